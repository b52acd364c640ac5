"""What the web pages of graphs add to the shared ones: forms of the plan, and the graph before and after."""

from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import run, ui

from krypsis.data.graphs import ClusteredGraph
from krypsis.data.schema import Role
from krypsis.errors import KrypsisError
from krypsis.format.graph_tables import EDGES
from krypsis.kinds.graph.plan import GraphPlan
from krypsis.kinds.graph.proposal import proposed_hierarchy
from krypsis.kinds.graph.publication import GraphPublication
from krypsis.plan import Plan
from krypsis.projects.published_release import PublishedRelease
from krypsis.release.order import private_record_of
from krypsis.release.release import Release
from krypsis.report.text import readable, sentence
from krypsis.web.kind_pages import KindPages
from krypsis.web.parts.frame import heading, next_step, reports_errors
from krypsis.web.parts.plan_draft import Draft
from krypsis.web.parts.plan_form import MethodForms, PromiseForms
from krypsis.web.parts.tables import plain_table, quoted
from krypsis.web.texts import say


class AttributeForms:
    """The roles of the attributes of vertices, and the types of edges that nobody should learn."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.planned = self._planned()
        self.types: tuple[str, ...] = self.planned.edges.sensitive
        with ui.element("section").classes("kr-card kr-stack"):
            heading(say("graph.attributes"))
            self.show()
        if self.has_types:
            ui.timer(0, reports_errors(self._offer_types), once=True)

    @property
    def has_types(self) -> bool:
        """Whether the plan names types of edges, as the proposed one does where there are any."""
        return "edges" in self.planned.model_fields_set

    def reload(self) -> None:
        """Show what the plan says now, unless that is what the forms say."""
        planned, shown = self._planned(), self.planned
        if (planned.columns, planned.edges) != (shown.columns, shown.edges):
            self.planned = planned
            self.show.refresh()

    @ui.refreshable_method
    def show(self) -> None:
        """Show the role of each attribute, and the sensitive types."""
        columns = self.planned.columns
        ui.label(say("graph.attributes-text" if columns else "graph.no-attributes")).classes("kr-quiet")
        if columns:
            rows = [(readable(name), self._role(name, column.role)) for name, column in columns.items()]
            plain_table([say("graph.attribute"), say("data.role")], rows, say("graph.attributes"))
            next_step(self.draft.project, "hierarchies").props("outline")
        if self.has_types:
            chosen = list(self.planned.edges.sensitive)
            options = list(dict.fromkeys([*self.types, *chosen]))
            self.choice = ui.select(options, value=chosen, multiple=True, label=say("graph.sensitive-types"))
            self.choice.props("outlined dense use-chips").classes("kr-field-wide").mark("sensitive-types")
            self.choice.on_value_change(reports_errors(lambda event: self._set_types(event.value)))

    def _role(self, name: str, role: Role) -> Any:
        def show() -> None:
            options = {one.value: say(f"data.role-{one.value}") for one in Role}
            select = ui.select(options, value=role.value).classes("kr-role").mark(f"role-{name}")
            select.props(f'dense outlined options-dense aria-label="{quoted(say("data.role-of", column=name))}"')
            select.on_value_change(reports_errors(lambda event: self._set_role(name, event.value)))

        return show

    async def _set_role(self, name: str, role: str) -> None:
        """Give an attribute a role; one that an attacker knows gets a hierarchy, as a column of a table does."""
        planned = self._planned()
        stated = planned.columns[name].hierarchy
        hierarchy: str | Mapping[str, Any] | None = None
        if role == Role.QUASI_IDENTIFIER.value and isinstance(stated, str | dict):  # a file holds no objects
            hierarchy = stated
        elif role == Role.QUASI_IDENTIFIER.value:
            hierarchy = await run.io_bound(_proposed_hierarchy, planned, name)
        self.draft.apply(lambda plan: plan.set_column(name, "role", role).set_column(name, "hierarchy", hierarchy))

    def _set_types(self, types: Sequence[str]) -> None:
        wanted = [name for name in self.types if name in types]
        if wanted != list(self._planned().edges.sensitive):
            self.draft.apply(lambda plan: plan.set(("edges",), {"sensitive": wanted}))

    async def _offer_types(self) -> None:
        """Offer the types that edges of the graph have."""
        types = await run.io_bound(_types, self.planned)
        if types:
            self.types = types
            self.choice.set_options(list(types))

    def _planned(self) -> GraphPlan:
        return GraphPlan.require(self.draft.plan())


def _proposed_hierarchy(plan: GraphPlan, name: str) -> Mapping[str, Any]:
    return proposed_hierarchy(plan.attribute_table(), name)


def _types(plan: GraphPlan) -> tuple[str, ...]:
    try:
        return plan.read_data().types
    except KrypsisError:  # the page says elsewhere what is wrong with the plan
        return ()


class GraphPages(KindPages):
    """The pages of a graph."""

    kind = "graph"

    def plan_forms(self, draft: Draft) -> list[Any]:
        """Show the forms of the plan."""
        return [PromiseForms(draft), MethodForms(draft, ("algorithm",)), AttributeForms(draft)]

    def run_facts(self, plan: Plan) -> dict[str, str]:
        """Return what happens to attributes and types of edges, where the graph has any."""
        graph = GraphPlan.require(plan)
        by_role = {role: [name for name, column in graph.columns.items() if column.role is role] for role in Role}
        facts = {
            say("graph.known"): by_role[Role.QUASI_IDENTIFIER],
            say("run.removed"): by_role[Role.IDENTIFIER],
            say("run.protected"): by_role[Role.SENSITIVE],
            say("graph.sensitive-types"): graph.edges.sensitive,
        }
        return {name: ", ".join(map(readable, found)) for name, found in facts.items() if found}

    def result_figures(self, release: PublishedRelease) -> dict[str, str]:
        """Return the numbers of published vertices and edges, or of super-vertices."""
        manifest = release.manifest
        if EDGES in manifest.tables:
            return {
                say("graph.vertices"): f"{manifest.rows:,}",
                say("graph.edges"): f"{manifest.tables[EDGES].rows:,}",
            }
        return {say("graph.supervertices"): f"{manifest.rows:,}"}

    async def show_result(self, release: PublishedRelease) -> None:
        """Show the size of the graph before and after, and what was done to it."""
        rows, done = await run.io_bound(_outcome, release) or ((), ())
        with ui.element("section").classes("kr-card kr-stack"):
            heading(say("graph.before-after"))
            head = [say("graph.what"), say("result.before"), say("result.after")]
            named = [(say(f"graph.{name}"), *figures) for name, *figures in rows]
            plain_table(head, named, say("graph.before-after"), numbers=(1, 2))
        if done:
            with ui.element("section").classes("kr-card kr-stack"):
                heading(say("graph.done"))
                with ui.element("ul").props('lang="en"'):  # methods speak English
                    for line in done:
                        with ui.element("li"):
                            ui.label(sentence(line))


def _outcome(release: PublishedRelease) -> tuple[tuple[tuple[str, str, str], ...], tuple[str, ...]]:
    """Return the figures before and after, and what the private record says was done."""
    publication, record = Release.load(release.folder).publication, private_record_of(release.folder)
    if not isinstance(publication, GraphPublication):
        return (), ()
    graph = publication.graph
    edges = int(graph.counts.sum()) if isinstance(graph, ClusteredGraph) else len(graph.edges)
    vertices_before, edges_before = _size_before(release)
    rows = [("vertices", vertices_before, f"{graph.vertices:,}"), ("edges", edges_before, f"{edges:,}")]
    if isinstance(graph, ClusteredGraph):
        rows.append(("supervertices", "–", f"{len(graph):,}"))
    return tuple(rows), tuple(record.get("said", ()))


def _size_before(release: PublishedRelease) -> tuple[str, str]:
    """Return how many vertices and edges the graph has that the release was made of, where it is still there."""
    if not release.is_of_this_data:
        return "–", "–"
    try:
        graph = GraphPlan.require(release.project.plan()).read_data()
    except KrypsisError:  # the plan was changed, and cannot be read now
        return "–", "–"
    return f"{graph.vertices:,}", f"{len(graph.edges):,}"
