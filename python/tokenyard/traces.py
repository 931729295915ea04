"""Recorded traces."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any, BinaryIO, cast

from . import _core
from .problems import Problem

__all__ = ["Trace"]

_PIECE = 1 << 20


class Trace:
    """The rows of a recorded trace. Read one with :meth:`load`, or give a path wherever a trace is taken."""

    def __init__(self, core: _core.Trace, file: str) -> None:
        self._core = core
        self.file = file
        """The file that it was read from."""

    @classmethod
    def load(cls, path: str | os.PathLike[str], columns: str | None = None) -> Trace:
        """Reads a file, as text or compressed with gzip.

        ``columns`` names columns as ``tokenyard run --columns`` takes them, such as ``arrival:ms=t,prompt=in,output=out``.
        """
        path = Path(path)
        reader = _core.TraceFile(str(path), columns)
        with path.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            source = cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if packed else raw
            while piece := source.read(_PIECE):
                if not reader.push(piece):
                    break
        return cls(reader.finish(), str(path))

    @property
    def digest(self) -> str:
        """The digest of its rows."""
        return self._core.digest

    @property
    def summary(self) -> dict[str, Any]:
        """Format, number of requests, length, tokens."""
        return cast(dict[str, Any], json.loads(self._core.summary))

    @property
    def warnings(self) -> list[Problem]:
        """What was noted while it was read."""
        return [Problem(*problem) for problem in self._core.warnings]

    def __len__(self) -> int:
        return len(self._core)

    def __repr__(self) -> str:
        return f"<Trace {self.file}: {len(self)} requests, digest {self.digest}>"
