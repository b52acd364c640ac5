"""Start a server on a free port, anonymize the demo data through its API, and bring the release home."""

import os
import secrets
import subprocess
import sys
import time
from pathlib import Path

import httpx

from krypsis.kinds.table.demo import hospital

command = [sys.executable, "-m", "krypsis.cli.main", "serve", "--port", "0", "--workspace", "projects"]
token = secrets.token_urlsafe()
variables = {**os.environ, "KRYPSIS_TOKEN": token}  # without it, the server draws a token and prints it
with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=variables) as server:  # noqa: S603
    address = server.stdout.readline().split()[3]  # Krypsis is at http://127.0.0.1:40123/ (press …
    with httpx.Client(base_url=f"{address}api/", headers={"Authorization": f"Bearer {token}"}, timeout=60) as api:
        project = "projects/" + api.post("projects", json={"title": "Patients"}).json()["name"]
        api.put(f"{project}/data/patients.csv", content=hospital(rows=2000).write_csv().encode()).raise_for_status()
        for kind in ("read", "run"):  # reading the file drafts the plan that is then carried out
            job = api.post(f"{project}/jobs", json={"kind": kind}).json()
            while job["state"] in ("waiting", "running"):
                time.sleep(0.2)
                job = api.get(f"{project}/jobs/{job['id']}").json()
            print(kind, job["state"], job["error"] or "")
        for verdict in job["result"]["verdicts"]:
            print(verdict["sentence"])
        release = f"{project}/releases/{job['result']['release']}"
        Path("release.zip").write_bytes(api.get(f"{release}/release.zip").content)
        Path("report.html").write_bytes(api.get(f"{release}/report.html").content)
        api.delete(project).raise_for_status()  # with all its data
    server.terminate()
