"""The place where files are dropped or chosen."""

from collections.abc import Awaitable, Callable

from nicegui import events, ui
from nicegui.elements.upload_files import FileUpload

from krypsis.web.parts.frame import reports_errors
from krypsis.web.served import served
from krypsis.web.texts import say

TABLES = ".csv,.tsv,.txt,.data,.gz,.xz,.parquet,.pq,.xlsx,.xlsm,.xlsb,.xls,.ods"
"""The endings of names that tables have."""
GRAPHS = ".gml,.graphml,.xml,.json,.metis,.graph,.nauty,.edges,.edgelist"
ONTOLOGIES = ".ofn,.owl,.owx,.rdf,.ttl,.nt,.obo"
DATA = f"{TABLES},.bz2,.dat,{GRAPHS},{ONTOLOGIES}"
"""The endings of names that data of any kind has."""


def file_drop(label: str, on_file: Callable[[FileUpload], Awaitable[None]], accept: str = "") -> ui.upload:
    """Show a place for one file; it is sent as soon as it is chosen.

    Parameters
    ----------
    label
        says what to choose.
    on_file
        is given the file.
    accept
        the endings of names that are offered, such as ``.csv,.parquet``.
    """
    largest = served().settings.largest_upload

    async def arrived(event: events.UploadEventArguments) -> None:
        await reports_errors(on_file)(event.file)

    def refused() -> None:
        ui.notify(say("frame.too-large", size=f"{largest / 1024**2:,.0f}"), type="negative", position="top")

    with ui.element("div").classes("kr-drop"):
        upload = ui.upload(
            label=label, auto_upload=True, max_files=1, max_file_size=largest, on_upload=arrived, on_rejected=refused
        )
        upload.props(f'accept="{accept}" flat color="primary"').classes("kr-upload")
        choose = ui.button(say("frame.choose"), icon="upload_file", on_click=lambda: upload.run_method("pickFiles"))
        choose.props("no-caps unelevated color=primary")
        ui.label(label).classes("kr-quiet")
    return upload
