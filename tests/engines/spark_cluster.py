"""A cluster of Spark on this machine: a master and two workers, each a process of its own, without any Python."""

import atexit
import os
import signal
import subprocess
import tempfile
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Event, Thread

import pyspark

from patience import wait_until

JAVA = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
SETTINGS = {
    "spark.executor.memory": "512m",
    "spark.executor.extraJavaOptions": JAVA,
    "spark.sql.shuffle.partitions": "2",
}
"""What a session needs in addition to work there."""
NO_PYTHON = "/nowhere/python"
"""What the session asks its workers to run functions of Python with: nothing of ours may depend on any."""
WORKERS = 2


@cache
def cluster():
    """Return the cluster of this process, which the first test that needs it starts."""
    return Cluster()


class Cluster:
    """A master and its workers, which are stopped when the process ends."""

    def __init__(self):
        folder = tempfile.TemporaryDirectory()
        atexit.register(folder.cleanup)
        self._folder = Path(folder.name)
        log = self._folder / "master.log"
        self._started(log, "master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        self.master = wait_until(lambda: _address_in(log))
        self.workers = [self._worker(number) for number in range(WORKERS)]

    @contextmanager
    def losing_a_worker(self, session):
        """Kill a worker once some tasks of a job are done and others are not; the context says whether that was."""
        killed, over = Event(), Event()
        killer = Thread(target=self._kill_at_work, args=(session, killed, over))
        killer.start()
        try:
            yield killed.is_set
        finally:
            over.set()
            killer.join()

    def _worker(self, number):
        words = ("--cores", "1", "--memory", "512m", "--webui-port", "0", "--work-dir", self._folder / str(number))
        return self._started(self._folder / f"{number}.log", "worker.Worker", *words, self.master)

    def _started(self, log, name, *words):
        program = Path(pyspark.__file__).parent / "bin" / "spark-class"
        # They end with this process, also where that is killed.
        command = ["setpriv", "--pdeathsig", "KILL", program, f"org.apache.spark.deploy.{name}", *words]
        settings = {
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": JAVA,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_DIRS": str(self._folder),
        }
        with log.open("w") as output:
            process = subprocess.Popen(
                command, stdout=output, stderr=output, env=os.environ | settings, start_new_session=True
            )
        atexit.register(_kill, process)
        return process

    def _kill_at_work(self, session, killed, over):
        tracker = session.sparkContext.statusTracker()
        while not over.wait(0.01):
            stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
            if any(stage and 0 < stage.numCompletedTasks < stage.numTasks for stage in stages):
                _kill(self.workers.pop())
                killed.set()
                return


def executors(session):
    """Return how many processes work for a session, without the driver."""
    return session.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1


def _kill(process):
    """End a process and its executors at once."""
    for pid in [*_descendants(process.pid), process.pid]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    process.wait()


def _descendants(pid):
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    children = [int(word) for word in found.stdout.split()]
    return [*(below for child in children for below in _descendants(child)), *children]


def _address_in(log):
    words = log.read_text(encoding="utf-8").split()
    return next((word for word in words if word.startswith("spark://")), None)
