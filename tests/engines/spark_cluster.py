"""A cluster of a master and two workers, one of which is killed while a table is published; prints what came out."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Thread

import pyspark

from engines import places
from engines.nasty_values import counted, published, rows_of, some_recoding
from krypsis.io.dataset import Dataset
from krypsis.io.sql import publishing
from patience import PATIENCE

ROLES = {"age": "quasi-identifier", "zip": "quasi-identifier", "number": "insensitive"}
JAVA = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"


def main(path):
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        log = Path(folder, "master.log")
        stack.enter_context(
            started(folder, log, "master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        )
        master = wait_for(lambda: address_in(log))
        workers = [
            stack.enter_context(
                started(
                    folder,
                    Path(folder, f"{number}.log"),
                    "worker.Worker",
                    "--cores",
                    "1",
                    "--memory",
                    "512m",
                    "--webui-port",
                    "0",
                    "--work-dir",
                    f"{folder}/{number}",
                    master,
                )
            )
            for number in range(2)
        ]
        places.FAST |= {
            "spark.executor.memory": "512m",
            "spark.executor.extraJavaOptions": JAVA,
            "spark.sql.files.maxPartitionBytes": "2000",
            "spark.sql.shuffle.partitions": "2",
        }
        session = places.spark(master)
        stack.callback(session.stop)
        before = wait_for(lambda: running(session) == 2 and 2)
        publishing.PART_ROWS = (400, 400)
        found = counted(Dataset.of(path, engine="spark").engine, ROLES)
        killer = Thread(target=kill_at_work, args=(session, workers[0]))
        killer.start()
        rows = rows_of(published(found, some_recoding(found.frequency, (1, 0))))
        killer.join()
        after = wait_for(lambda: running(session) == 1 and 1)
        answer = {
            "workers": {"before": before, "after": after},
            "counts": found.frequency.counts.tolist(),
            "rows": rows,
        }
    sys.stdout.write(json.dumps(answer) + "\n")


@contextmanager
def started(folder, log, name, *words):
    """Run a process of the cluster, and all that it starts, for as long as the context lasts."""
    spark = Path(pyspark.__file__).parent
    command = [spark / "bin" / "spark-class", f"org.apache.spark.deploy.{name}", *words]
    settings = {
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": JAVA,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": folder,
    }
    with log.open("w") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=output, env=os.environ | settings, start_new_session=True
        )
        try:
            yield process
        finally:
            kill(process)


def kill(process):
    """End a process and its executors at once."""
    for pid in [*descendants(process.pid), process.pid]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    process.wait()


def descendants(pid):
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    children = [int(word) for word in found.stdout.split()]
    return [*(below for child in children for below in descendants(child)), *children]


def kill_at_work(session, worker):
    """Kill a worker once some tasks of a job are done and others are not."""
    tracker = session.sparkContext.statusTracker()

    def is_half_done():
        stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
        return any(stage and 0 < stage.numCompletedTasks < stage.numTasks for stage in stages)

    wait_for(is_half_done)
    kill(worker)


def running(session):
    """Return how many executors there are, without the driver."""
    return session.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1


def address_in(log):
    words = log.read_text(encoding="utf-8").split()
    return next((word for word in words if word.startswith("spark://")), None)


def wait_for(answer, seconds=PATIENCE):
    until = time.monotonic() + seconds
    while not (found := answer()):
        if time.monotonic() > until:
            sys.exit("waited in vain")
        time.sleep(0.02)
    return found


if __name__ == "__main__":
    main(sys.argv[1])
