"""Jobs in processes of their own: progress, results, cancelling, and what survives."""

import os
import signal
import time
import zipfile

import pytest

from jobs.following import wait_for, with_data, with_endless_work
from krypsis.errors import OutputError, UnknownNameError, UsageError
from krypsis.io.memory import is_lack_of_memory
from krypsis.progress import Interrupted, Progress
from krypsis.projects import Workspace, take_in
from krypsis.projects.jobs import Queue, worker
from krypsis.projects.jobs.job import MOST_KEPT, JobFiles
from krypsis.projects.jobs.kinds import run
from krypsis.release.audit_log import AuditLog
from patience import wait_until


@pytest.fixture
def workspace(tmp_path):
    return Workspace(tmp_path / "workspace")


@pytest.fixture
def queue(workspace):
    queue = Queue(workspace, grace=10)
    yield queue
    queue.close()


def is_searching(job):
    return job.is_over or job.judged > 0


def test_a_file_is_read_and_its_plan_is_run(workspace, queue):
    project = with_data(workspace)
    read = wait_for(queue, project, queue.submit(project, "read"))
    assert (read.state, read.result) == ("done", {"rows": 200, "columns": 3})
    ran = wait_for(queue, project, queue.submit(project, "run"))
    assert (ran.state, ran.result["release"], ran.result["holds"]) == ("done", 1, True), ran
    assert project.releases == (1,)
    assert ran.judged > 0
    assert ran.created <= ran.started <= ran.ended
    assert [job.id for job in queue.jobs(project)] == [ran.id, read.id]


def test_a_run_goes_to_the_levels_that_were_chosen(workspace, queue):
    project = with_data(workspace)
    project.write_plan("data: data/patients.csv\ncolumns: {age: QI, sex: QI}\npromises: [k-anonymity:k=2]\n")
    ran = wait_for(queue, project, queue.submit(project, "run", levels=[1, 0]))
    assert ran.result["levels"] == {"age": 1, "sex": 0}, ran


def test_the_error_of_the_library_is_the_error_of_the_job(workspace, queue):
    project = with_data(workspace)
    project.write_plan("data: data/patients.csv\ncolumns: {age: QI, shoe: QI}\npromises: [k-anonymity:k=5]\n")
    ran = wait_for(queue, project, queue.submit(project, "run"))
    assert ran.state == "failed"
    assert "column 'shoe' not found; columns: age, sex, disease" in ran.error
    assert project.releases == ()


def test_a_job_without_a_plan_says_what_to_do_first(workspace, queue):
    project = workspace.create("Nothing yet")
    assert "upload a file" in wait_for(queue, project, queue.submit(project, "run")).error
    assert "upload a file" in wait_for(queue, project, queue.submit(project, "read")).error


def test_progress_is_told_and_a_cancelled_search_ends_in_order(workspace, queue):
    project = with_endless_work(workspace)
    job = queue.submit(project, "run")
    running = wait_for(queue, project, job, is_searching)
    assert (running.state, running.phase) == ("running", "search")
    assert running.best is not None
    queue.cancel(project, job.id)
    ended = wait_for(queue, project, job)
    assert (ended.state, ended.error) == ("cancelled", "cancelled; nothing was changed")
    assert ended.judged >= running.judged
    assert project.releases == ()
    queue.close()
    assert sorted(path.name for path in (project.folder / "jobs").iterdir()) == [f"{job.id}.json"]


def test_a_job_that_does_not_stop_in_time_is_ended(workspace):
    queue = Queue(workspace, grace=0)
    project = with_endless_work(workspace)
    job = queue.submit(project, "run")
    wait_for(queue, project, job, is_searching)
    queue.cancel(project, job.id)
    ended = wait_for(queue, project, job)
    queue.close()
    assert ended.state == "cancelled"


def test_who_cancels_while_the_report_is_written_gets_no_release(workspace):
    """The release is written by then; without its report it would look like one that was wanted."""
    project = with_data(workspace)
    take_in(project)

    class Impatient(Progress):
        is_late = False

        def phase(self, name):
            self.is_late = name == "report"

        def wants_stop(self):
            return self.is_late

    with pytest.raises(Interrupted):
        run.run(project, Impatient())
    assert project.releases == ()
    assert [path.name for path in (project.folder / "releases").iterdir()] == ["audit.jsonl"]
    assert [one.outcome for one in AuditLog.of(project.folder / "releases").runs()] == ["withdrawn"]


def test_a_waiting_job_is_cancelled_before_it_begins(workspace, queue):
    project = with_endless_work(workspace)
    first, second = queue.submit(project, "run"), queue.submit(project, "run")
    assert queue.cancel(project, second.id).state == "cancelled"
    assert queue.cancel(project, second.id).started is None
    queue.cancel(project, first.id)
    wait_for(queue, project, first)


def test_a_process_that_was_killed_is_told_to_be_lost(workspace, queue):
    project = with_endless_work(workspace)
    job = queue.submit(project, "run")
    wait_for(queue, project, job, is_searching)
    os.kill(JobFiles(project).holder(job.id), signal.SIGKILL)
    lost = wait_for(queue, project, job)
    assert lost.state == "lost"
    assert "SIGKILL" in lost.error


def test_what_needs_too_much_memory_ends_with_that_reason(workspace):
    queue = Queue(workspace, memory=300 * 1024**2)
    project = with_data(workspace)
    job = wait_for(queue, project, queue.submit(project, "read"))
    queue.close()
    assert job.state == "failed"
    assert "memory" in job.error


def test_a_new_queue_follows_what_still_runs_and_runs_what_waits(workspace):
    project, other = with_endless_work(workspace), with_data(workspace)
    first = Queue(workspace)
    long, short = first.submit(project, "run"), first.submit(other, "read")
    wait_for(first, project, long, is_searching)
    second = Queue(workspace)  # as after a crash of the first, which ends nothing
    assert second.job(project, long.id).state == "running"
    second.cancel(project, long.id)
    assert wait_for(second, project, long).state == "cancelled"
    ended = wait_for(second, other, short)
    assert ended.state == "done", ended.error
    second.close()
    first.close()


def test_a_job_whose_process_went_with_the_machine_is_lost(workspace):
    project = with_data(workspace)
    files = JobFiles(project)
    job = files.create("run", {})
    files.write(job.model_copy(update={"state": "running"}))
    queue = Queue(workspace)
    lost = queue.job(project, job.id)
    queue.close()
    assert lost.state == "lost"
    assert "start it again" in lost.error


def test_closing_asks_running_jobs_to_stop(workspace):
    project = with_endless_work(workspace)
    queue = Queue(workspace)
    job = queue.submit(project, "run")
    wait_for(queue, project, job, is_searching)
    queue.close()
    assert JobFiles(project).read(job.id).state == "cancelled"
    assert JobFiles(project).holder(job.id) is None


def test_a_project_that_is_deleted_takes_its_jobs_with_it(workspace, queue):
    project, other = with_endless_work(workspace), with_data(workspace)
    job = queue.submit(project, "run")
    wait_for(queue, project, job, is_searching)
    process = JobFiles(project).holder(job.id)
    with queue.cleared(project.name):
        workspace.delete(project.name)
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    assert wait_for(queue, other, queue.submit(other, "read")).state == "done"
    assert not project.folder.exists()


def test_a_process_ends_by_itself_when_its_project_is_gone(workspace, queue):
    project = with_endless_work(workspace)
    job = queue.submit(project, "run")
    wait_for(queue, project, job, is_searching)
    process = JobFiles(project).holder(job.id)
    workspace.delete(project.name)
    wait_until(lambda: not os.path.exists(f"/proc/{process}"))  # noqa: PTH110
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_files_of_jobs_are_private_and_hold_no_values(workspace, queue):
    secret = "Zyklothymia"
    project = with_data(workspace, f"age,disease\n31,{secret}\n32,{secret}\n33,flu\n34,flu\n")
    wait_for(queue, project, queue.submit(project, "read"))
    wait_for(queue, project, queue.submit(project, "run"))
    for file in (project.folder / "jobs").iterdir():
        assert secret not in file.read_text()
        assert file.stat().st_mode & 0o077 == 0


def test_only_the_youngest_jobs_are_remembered(workspace):
    files = JobFiles(with_data(workspace))
    for _ in range(MOST_KEPT + 3):
        files.write(files.create("read", {}).ending("done"))
    assert len(files.all()) == MOST_KEPT + 1


@pytest.mark.parametrize("name", ["../../plan", "x", "", "20260102-030405-678901-ab/../../plan", "\0"])
def test_a_name_that_is_none_of_a_job_is_refused(workspace, queue, name):
    with pytest.raises(UsageError, match="a job is called like"):
        queue.job(with_data(workspace), name)


def test_an_unknown_kind_is_refused_with_the_known_ones(workspace, queue):
    with pytest.raises(UnknownNameError, match="Did you mean 'read'"):
        queue.submit(with_data(workspace), "raed")


def test_a_damaged_file_does_not_hide_the_other_jobs(workspace, queue):
    project = with_data(workspace)
    files = JobFiles(project)
    damaged, good = files.create("read", {}), files.create("read", {})
    files.path(damaged.id, "json").write_text("{", "utf-8")
    files.write(good.ending("done"))
    assert [job.state for job in queue.jobs(project)] == ["done", "lost"]


def test_an_error_does_not_tell_where_the_server_keeps_its_projects(workspace, queue):
    project = with_data(workspace)
    (project.folder / "checks").mkdir()
    with zipfile.ZipFile(project.folder / "checks" / "x.zip", "w") as archive:
        archive.writestr("manifest.json", "{}")
    failed = wait_for(queue, project, queue.submit(project, "check", upload="x.zip"))
    assert "manifest.json" in failed.error
    assert str(workspace.root) not in failed.error


@pytest.mark.parametrize(
    ("error", "is_memory"),
    [(MemoryError(), True), (RuntimeError("can't start new thread"), True), (RuntimeError("no such node"), False)],
)
def test_a_thread_that_gets_no_stack_wants_memory(error, is_memory):
    assert is_lack_of_memory(error) == is_memory


def test_a_job_whose_progress_cannot_be_written_is_not_called_cancelled(workspace, monkeypatch):
    project = with_data(workspace)
    files = JobFiles(project)
    job = files.create("run", {})

    def full(_self, _job):
        raise OutputError(f"{project.folder}/jobs/x.json cannot be written: No space left on device")

    def work(_project, progress):
        progress.phase("search")
        while not progress.wants_stop():
            time.sleep(0.01)
        raise Interrupted("stopped")

    monkeypatch.setattr(JobFiles, "write", full)
    monkeypatch.setattr(worker, "work_of", lambda _kind: work)
    ended = worker._done(project, files, job, 10**9)
    assert ended.state == "failed"
    assert ended.error == "jobs/x.json cannot be written: No space left on device"


def test_an_end_that_cannot_be_written_is_logged_unless_the_project_is_gone(workspace, caplog):
    project = with_data(workspace)
    queue = Queue(workspace)
    with queue._unless_deleted((project.name, "job")):
        raise OutputError("no space left")
    assert "no space left" in caplog.text
    caplog.clear()
    workspace.delete(project.name)
    with queue._unless_deleted((project.name, "job")):
        raise OutputError("no space left")
    assert not caplog.text
    queue.close()


def test_a_question_to_the_search_is_answered_without_a_release(workspace, queue):
    project = with_data(workspace)
    take_in(project)
    project.write_plan("data: data/patients.csv\ncolumns: {age: QI, sex: QI}\npromises:\n  - k-anonymity:k=2\n")
    yes = wait_for(queue, project, queue.submit(project, "feasibility"))
    assert yes.result["feasible"] is True, yes
    project.write_plan("data: data/patients.csv\ncolumns: {age: QI, sex: QI}\npromises:\n  - k-anonymity:k=201\n")
    no = wait_for(queue, project, queue.submit(project, "feasibility"))
    assert (no.state, no.result["feasible"]) == ("done", False), no
    assert "k-anonymity:k=201" in no.result["reason"]
    assert yes.result["made_of"] != no.result["made_of"]
    assert project.releases == ()


def test_other_work_of_a_project_does_not_wait_for_a_question_to_the_search(workspace, queue):
    project = with_endless_work(workspace)
    plan = project.plan_text
    take_in(project)
    project.write_plan(plan)
    asked = queue.submit(project, "feasibility", seconds=600)
    wait_for(queue, project, asked, lambda job: job.is_over or job.phase == "search")
    checked = queue.submit(project, "check", release=1)
    assert wait_for(queue, project, checked).state == "failed"  # there is no release, and it was looked for at once
    assert queue.job(project, asked.id).state == "cancelled"
