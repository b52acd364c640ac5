"""``krypsis warm``: compile what runs need before the first of them."""

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

from krypsis.cli.streams import Reporter, print_text
from krypsis.errors import PrivacyWarning


def warm() -> None:
    """Compile what a run on a table needs, so that the first run does not wait for it; keep nothing else.

    Plans and anonymizes the invented patients of 'krypsis demo' in a temporary folder. What is compiled is kept next to
    the installed files, or in the cache folder of the user where these cannot be written to.
    """
    from krypsis.io.dataset import Dataset  # noqa: PLC0415
    from krypsis.kernels import _jit  # noqa: PLC0415
    from krypsis.kinds.publishing import WantedFiles, publish_made  # noqa: PLC0415
    from krypsis.kinds.table.demo import hospital  # noqa: PLC0415
    from krypsis.kinds.table.profile.plan_file import plan_text, reading_of  # noqa: PLC0415
    from krypsis.kinds.table.profile.table import profile_table  # noqa: PLC0415
    from krypsis.plan import Plan  # noqa: PLC0415

    _jit.MOST_PLAIN_WORK = 0
    with TemporaryDirectory() as name, Reporter().listening() as reporter:
        data, plan = Path(name, "patients.csv"), Path(name, "plan.yaml")
        table = hospital()
        table.write_csv(data)
        dataset = Dataset(table, data.name, data)
        text = plan_text(profile_table(dataset), dataset, data.name, reading_of(data, None, None, None))
        plan.write_text(text, encoding="utf-8")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivacyWarning)  # of patients who do not exist
            publish_made(
                Plan.load(plan).run, Path(name, "release"), reporter, WantedFiles(["csv"], report=False), force=False
            )
    print_text("ready: the next run on a table has nothing to compile")
