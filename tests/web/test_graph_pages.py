"""The journey of a graph through the pages, without a browser."""

import pytest
from nicegui import ui
from nicegui.elements.upload_files import SmallFileUpload

from krypsis import registry
from krypsis.errors import UsageError
from krypsis.kinds.publishing import publish
from krypsis.progress import NO_PROGRESS
from krypsis.projects import Reading, take_in
from krypsis.projects.jobs.kinds import attack, check, read
from krypsis.web.parts.attack_success import WORDS, translated_words
from web.simulated import over, until, visiting

pytestmark = pytest.mark.anyio

# A star of six with a triangle at one of its ends: the center is the only vertex with five edges.
EDGES = [("hub", end) for end in "abcde"] + [("a", "b"), ("c", "x"), ("d", "y"), ("x", "y")]
GML = (
    "graph [\n"
    + "".join(f'  node [ id {place} label "{name}" ]\n' for place, name in enumerate(["hub", *"abcdexy"]))
    + "".join(
        "  edge [ source {} target {} ]\n".format(*(["hub", *"abcdexy"].index(end) for end in edge)) for edge in EDGES
    )
    + "]\n"
)
CSV = "from,to,what\n" + "".join(f"{one},{two},{'work' if two in 'abc' else 'love'}\n" for one, two in EDGES)
PEOPLE = "person,job\n" + "".join(
    f"{name},{'cook' if place % 2 else 'nurse'}\n" for place, name in enumerate(["hub", *"abcdexy"])
)
FOUND_OUT = Reading()


def friends(served, text=GML, name="friends.gml", reading=FOUND_OUT):
    """Return a project with a graph, and the plan that was proposed for it."""
    project = served.workspace.create("Friends")
    (project.folder / "data" / name).write_text(text)
    take_in(project, reading)
    return project


def typed_friends(served):
    """Return a project with a graph whose vertices have attributes and whose edges have types."""
    project = served.workspace.create("Friends")
    (project.folder / "files").mkdir()
    (project.folder / "files" / "people.csv").write_text(PEOPLE)
    (project.folder / "data" / "friends.csv").write_text(CSV)
    reading = Reading(kind="graph", vertices="files/people.csv", source="from", target="to", type="what")
    take_in(project, reading)
    return project


def published_friends(served, promise="k-degree-anonymity:k=2"):
    """Return a project with a release of the graph."""
    project = friends(served)
    project.write_plan(project.plan_text.replace("k-degree-anonymity:k=4", promise))
    publish(project.plan(), project.release_folder(1))
    return project


async def test_an_uploaded_graph_is_recognized_and_described(tmp_path):
    async with visiting(tmp_path) as (user, served):
        await user.open("/")
        upload = next(iter(user.find(ui.upload).elements))
        await upload.handle_uploads([SmallFileUpload("friends.gml", "text/plain", GML.encode())])
        (project,) = await until(served.workspace.projects)
        job = await over(served, project)
        assert job.state == "done", job.error
        assert job.result == {"rows": 8}
        await user.open(f"/projects/{project.name}/data")
        await user.should_see("friends.gml: 8 vertices, 9 edges")
        await user.should_see("the number of its edges (H_1)")
        assert (project.plan().kind, project.has_table, project.records) == ("graph", False, 8)
        await user.open("/")
        await user.should_see("8")


async def test_pages_about_tables_are_closed_for_a_graph(tmp_path):
    async with visiting(tmp_path) as (user, served):
        friends(served)
        for step in ("hierarchies", "explore"):
            await user.open(f"/projects/friends/{step}")
            await user.should_see("8 vertices, 9 edges")
        closed = [one for one in user.find(ui.label).elements if one.props.get("aria-disabled") == "true"]
        assert sorted(one.text for one in closed) == ["2. Hierarchies", "6. Explore"]


async def test_edges_in_a_table_become_a_graph_where_the_visitor_says_so(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = friends(served, CSV, "friends.csv")
        assert project.has_table
        await user.open("/projects/friends/data")
        next(iter(user.find(kind=ui.select, marker="kind").elements)).set_value("graph")
        await user.should_see("Column of one end of an edge")
        fields = {one.props.get("label"): one for one in user.find(ui.input).elements}
        fields["Column of the types of edges"].set_value("what")
        user.find("Read again").click()
        job = await over(served, project)
        assert job.state == "done", job.error
        await user.open("/projects/friends/data")
        await user.should_see("8 vertices, 9 edges")
        assert project.plan().read.type == "what"
        assert not project.has_table


async def test_a_table_of_vertices_is_uploaded_next_to_the_edges(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = friends(served, CSV, "friends.csv", Reading(kind="graph", type="what"))
        await user.open("/projects/friends/data")
        await user.should_see("Attributes of the vertices")
        upload = next(one for one in user.find(ui.upload).elements if "CSV, Parquet or Excel" in one.props["label"])
        await upload.handle_uploads([SmallFileUpload("people.csv", "text/csv", PEOPLE.encode())])
        job = await over(served, project)
        assert job.state == "done", job.error
        plan = project.plan()
        assert (plan.vertices, list(plan.columns), plan.read.type) == ("files/people.csv", ["job"], "what")
        await user.open("/projects/friends/data")
        await user.should_see("Now: files/people.csv")


async def test_an_attribute_that_is_known_gets_a_hierarchy_and_its_page(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = typed_friends(served)
        await user.open("/projects/friends/plan")
        select = next(iter(user.find(kind=ui.select, marker="role-job").elements))
        select.set_value("quasi-identifier")
        await until(lambda: project.plan().columns["job"].hierarchy == {"kind": "flat"})
        await user.open("/projects/friends/hierarchies")
        await user.should_see("2 different values in 8 records")
        upload = next(iter(user.find(ui.upload).elements))
        jobs = b"cook;kitchen;*\nnurse;ward;*\n"
        await upload.handle_uploads([SmallFileUpload("jobs.csv", "text/csv", jobs)])
        await until(lambda: project.plan().columns["job"].hierarchy == "hierarchies/job.csv")
        await user.should_see("kitchen")
        assert project.plan().bind(project.plan().read_data()).hierarchies["job"].height == 2
        await user.open("/projects/friends/plan")
        next(iter(user.find(kind=ui.select, marker="role-job").elements)).set_value("sensitive")
        await until(lambda: project.plan().columns["job"].hierarchy is None)


async def test_a_file_that_is_not_there_is_reported_and_nothing_changes(tmp_path):
    async with visiting(tmp_path) as (_, served):
        project = friends(served)
        before = project.plan_text
        for place in ("files/none.csv", "../../etc/passwd"):
            with pytest.raises(UsageError):
                read.run(project, NO_PROGRESS, data_kind="graph", vertices=place)
        with pytest.raises(UsageError, match="sheet has no meaning for a graph"):
            read.run(project, NO_PROGRESS, data_kind="graph", sheet="1")
        assert project.plan_text == before


async def test_promises_of_graphs_are_chosen_by_forms(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = friends(served)
        await user.open("/projects/friends/plan")
        await user.should_see("The plan fits the data.")
        adding = next(one for one in user.find(ui.select).elements if one.props.get("label") == "Add a promise")
        models = {name for name, cls in registry.classes("model").items() if cls.kind == "graph"}
        assert set(adding.options) == models
        method = next(one for one in user.find(ui.select).elements if one.props.get("label") == "Algorithm")
        methods = {name for name, cls in registry.classes("algorithm").items() if cls.kind == "graph"}
        assert set(method.options) == {"auto", *methods}
        (k,) = [one for one in user.find(ui.input).elements if one.props.get("label") == "k"]
        k.set_value("2")
        await until(lambda: project.plan().promises == ("k-degree-anonymity:k=2",))
        method.set_value("k-degree")
        await until(lambda: project.plan().algorithm == "k-degree")


async def test_roles_of_attributes_and_sensitive_types_are_written_into_the_plan(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = typed_friends(served)
        await user.open("/projects/friends/plan")
        await user.should_see("Attributes and types")
        next(iter(user.find(kind=ui.select, marker="role-job").elements)).set_value("sensitive")
        await until(lambda: project.plan().columns["job"].role.value == "sensitive")

        def types():
            return next(iter(user.find(kind=ui.select, marker="sensitive-types").elements))

        assert sorted(await until(lambda: types().options)) == ["love", "work"]
        types().set_value(["love"])
        await until(lambda: project.plan().edges.sensitive == ("love",))
        await user.open("/projects/friends/run")
        await user.should_see("Types of edges that nobody should learn")
        await user.should_see("love")


async def test_a_plan_that_does_not_fit_the_graph_is_reported(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = typed_friends(served)
        project.write_plan(project.plan_text.replace("sensitive: []", "sensitive: [hate]"))
        await user.open("/projects/friends/plan")
        await user.should_see("no edge has the sensitive type 'hate'")


async def test_a_graph_is_run_and_its_release_is_checked(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = friends(served)
        await user.open("/projects/friends/run")
        user.find("Anonymize").click()
        job = await over(served, project)
        assert job.state == "done", job.error
        assert check.run(project, NO_PROGRESS, release=1)["holds"]


@pytest.mark.parametrize(
    ("promise", "shown"), [("k-degree-anonymity:k=2", "Edges"), ("supervertex-anonymity:k=2", "Super-vertices")]
)
async def test_the_result_shows_the_graph_before_and_after(tmp_path, promise, shown):
    async with visiting(tmp_path) as (user, served):
        published_friends(served, promise)
        await user.open("/projects/friends/result")
        await user.should_see("The graph before and after")
        await user.should_see(shown)
        await user.should_see("What was done")
        (frame,) = [one for one in user.find(ui.element).elements if one.tag == "iframe"]
        assert frame.props["src"].endswith("/releases/1/report.html")
        await user.should_not_see("Suppressed records")


async def test_attacks_on_a_graph_are_tried_before_and_after(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = published_friends(served)
        await user.open("/projects/friends/attack")
        next(iter(user.find(kind=ui.select, marker="attacks").elements)).set_value("vertex-refinement")
        await user.should_see("The degree of a person, the degrees of the neighbors")
        user.find(marker="try").click()
        job = await over(served, project)
        assert job.state == "done", job.error
        (found,) = job.result["attacks"]
        await user.open("/projects/friends/attack")
        await user.should_see("Vertex refinement")
        await user.should_see(registry.find("attack", "vertex-refinement").success[1:])
        await user.should_see("Before: succeeds for")
        await user.should_see("Without the release the attacker succeeds for 12.5 %.")
        assert found["before"]["rate"] > found["after"]["rate"]
        assert found["before"]["baseline"] == 1 / 8


async def test_all_attacks_that_a_report_shows_are_tried_unless_one_is_named(tmp_path):
    async with visiting(tmp_path) as (_, served):
        project = published_friends(served)
        found = attack.run(project, NO_PROGRESS, release=1)["attacks"]
        assert {"vertex-refinement", "link-disclosure"} <= {one["spec"] for one in found}
        assert "active" not in {one["spec"] for one in found}  # takes long
        (only,) = attack.run(project, NO_PROGRESS, release=1, attacks=["vertex-refinement:depth=1"])["attacks"]
        assert only["spec"] == "vertex-refinement:depth=1"
        with pytest.raises(UsageError, match="none of these attacks"):
            attack.run(project, NO_PROGRESS, release=1, attacks=["linkage"])


async def test_a_graph_that_was_replaced_is_not_attacked(tmp_path):
    async with visiting(tmp_path) as (user, served):
        project = published_friends(served)
        take_in(project)
        with pytest.raises(UsageError, match="was replaced"):
            attack.run(project, NO_PROGRESS, release=1)
        await user.open("/projects/friends/attack")
        await user.should_see("was replaced after this release was made")


async def test_the_pages_of_a_graph_speak_greek(tmp_path):
    async with visiting(tmp_path) as (user, served):
        published_friends(served)
        user.http_client.headers["Accept-Language"] = "el"
        for step, text in {
            "data": "Ιδιότητες των κορυφών",
            "plan": "Ιδιότητες και τύποι",
            "run": "Υπόσχεση",
            "result": "Ο γράφος πριν και μετά",
            "attack": "Ποια επίθεση",
        }.items():
            await user.open(f"/projects/friends/{step}")
            await user.should_see(text)


async def test_the_advisor_sees_that_the_data_is_a_graph(tmp_path):
    async with visiting(tmp_path) as (user, served):
        friends(served)
        await user.open("/projects/friends/advisor")
        await user.should_see("8 vertices")


def test_the_words_of_every_attack_are_translated():
    of_histories = {name for name, cls in registry.classes("attack").items() if cls.kind == "history"}
    assert translated_words("el").keys() == registry.classes("attack").keys() - of_histories
    assert all(tuple(words) == WORDS for words in translated_words("el").values())
