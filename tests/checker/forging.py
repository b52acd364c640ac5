"""Change a release as somebody would who knows the format."""

import hashlib
import json
from pathlib import Path


def rewrite(folder: Path, **changes) -> None:
    """Change fields of the manifest."""
    path = folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def forge(folder: Path, name: str, content: bytes) -> None:
    """Change a file and its checksum in the manifest, as somebody would who knows the format."""
    (folder / name).write_bytes(content)
    files = json.loads((folder / "manifest.json").read_text())["files"]
    for file in files:
        if file["name"] == name:
            file.update(sha256=hashlib.sha256(content).hexdigest(), bytes=len(content))
    rewrite(folder, files=files)
