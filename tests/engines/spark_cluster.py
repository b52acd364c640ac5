"""A cluster of Spark on this machine: a master and two workers, each a process of its own, without any Python."""

import atexit
import os
import signal
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from threading import Thread

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

    def kill_in_mid_job(self, session):
        """Begin to kill a worker once some tasks of a job are done and others are not; join what is returned."""
        killer = Thread(target=self._kill_at_work, args=(session,))
        killer.start()
        return killer

    def _worker(self, number):
        words = ("--cores", "1", "--memory", "512m", "--webui-port", "0", "--work-dir", self._folder / str(number))
        return self._started(self._folder / f"{number}.log", "worker.Worker", *words, self.master)

    def _started(self, log, name, *words):
        command = [Path(pyspark.__file__).parent / "bin" / "spark-class", f"org.apache.spark.deploy.{name}", *words]
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

    def _kill_at_work(self, session):
        tracker = session.sparkContext.statusTracker()

        def is_half_done():
            stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
            return any(stage and 0 < stage.numCompletedTasks < stage.numTasks for stage in stages)

        wait_until(is_half_done, look=0.02)
        _kill(self.workers.pop())


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
