"""Runs a notebook from its first cell to its last. With ``--write`` its outputs are kept; without, they must be as they are kept."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

nbformat: Any = importlib.import_module("nbformat")
nbclient: Any = importlib.import_module("nbclient")


def kept(cell: Any) -> list[str]:
    """What a cell printed, as text: HTML differs by the version of its library."""
    return [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.get("outputs", [])]


def main() -> int:
    """Returns 1 if outputs are not the ones that are kept."""
    file = Path(sys.argv[1])
    before = nbformat.read(file, as_version=4)
    ran = nbformat.read(file, as_version=4)
    nbclient.NotebookClient(ran, timeout=300, kernel_name="python3").execute()
    for cell in ran.cells:
        cell.metadata.pop("execution", None)
    if "--write" in sys.argv:
        nbformat.write(ran, file)
        return 0
    stale = [i for i, (a, b) in enumerate(zip(before.cells, ran.cells, strict=True)) if kept(a) != kept(b)]
    if stale:
        print(f"{file}: outputs of cells {stale} are stale: python python/tests/run_notebook.py {file} --write")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
