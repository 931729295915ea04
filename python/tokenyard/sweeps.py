"""Many cases: on this machine, or on workers of Ray and Dask, which take :func:`run_case` as it is.

A case is a plain dictionary of texts and numbers, its row too, so that both travel as they are. A row is a function of its
case: the digest in it is the same on every machine.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import lru_cache
from pathlib import Path
from typing import Any, TypedDict, cast

from . import _core
from .scenario import Scenario
from .traces import Trace

__all__ = ["Case", "grid", "kept_rows", "run_case", "run_cases", "sweep"]

Row = dict[str, Any]
"""The figures of a case: its digests, outcomes, latencies in milliseconds, costs, and the values that were set."""


class Case(TypedDict):
    """One run of a sweep."""

    case: str
    """The digest by which the case is known: of the scenario, the trace and the version of the simulator."""
    scenario: str
    """The scenario as JSON text."""
    trace: str
    """The file of its trace; empty for none."""
    set: str
    """What was set, as JSON text: values by path, the seed among them."""


def grid(
    scenario: Scenario,
    axes: Mapping[str, Iterable[object]] | None = None,
    /,
    *,
    seeds: int | Sequence[int] = 1,
    trace: str | os.PathLike[str] | None = None,
    **more: Iterable[object],
) -> Iterator[Case]:
    """The cases of all combinations of values, each with all seeds; the last axis changes first.

    ``axes`` has the values by path, such as ``{"cluster.routing": ["random", "least-loaded"]}``.

    ``seeds`` is a number of seeds from the scenario's own on, or a list. A case that cannot be read raises
    :class:`ScenarioError` here, not on a worker.

    >>> import tokenyard as ty
    >>> s = ty.Scenario.preset("chat-4xh100").set("run.max_requests", 50)
    >>> cases = list(ty.grid(s, {"cluster.routing": ["random", "least-loaded"]}, seeds=2))
    >>> len(cases), cases[0]["set"]
    (4, '{"cluster.routing": "random", "seed": 42}')
    """
    numbers = [scenario.seed + k for k in range(seeds)] if isinstance(seeds, int) else list(seeds)
    file = "" if trace is None else os.fspath(trace)
    both = {**(axes or {}), **more}
    paths = list(both)
    for values in itertools.product(*(list(values) for values in both.values())):
        made = scenario
        for path, value in zip(paths, values, strict=True):
            made = made.set(path, value)
        for seed in numbers:
            text = made.with_seed(seed).to_json()
            said = json.dumps({**dict(zip(paths, values, strict=True)), "seed": seed})
            yield Case(case=_digest(text, file), scenario=text, trace=file, set=said)


def run_case(case: Case | Mapping[str, Any], out: str | os.PathLike[str] | None = None) -> Row:
    """Runs a case and returns its row.

    With a folder ``out`` the row is kept there, in a file named by the case; a case that has one is not run again. The file is
    whole or not there at all, whenever a worker is killed.

    >>> import tokenyard as ty
    >>> s = ty.Scenario.preset("chat-4xh100").set("run.max_requests", 50).set("run.warmup_s", 0)
    >>> row = ty.run_case(next(ty.grid(s)))
    >>> row["requests"], row["report_digest"] == ty.run_case(next(ty.grid(s)))["report_digest"]
    (50, True)
    """
    if out is not None:
        kept = _read(Path(out), str(case["case"]))
        if kept is not None:
            return kept
    trace = _trace(str(case["trace"]))
    scenario = _core.Scenario.parse(str(case["scenario"]))
    outcomes = _core.Outcomes(scenario, trace._core if trace is not None else None)
    said = cast(dict[str, object], json.loads(str(case["set"])))
    values = {path: value if isinstance(value, (str, int, float)) else json.dumps(value) for path, value in said.items()}
    row: Row = {"case": case["case"], **values, **json.loads(outcomes.row())}
    if out is not None:
        _keep(Path(out), row)
    return row


def run_cases(
    cases: Iterable[Case | Mapping[str, Any]], out: str | os.PathLike[str] | None = None
) -> list[Row]:
    """Runs some cases one after the other: the work of a task, which should be a second or more."""
    return [run_case(case, out) for case in cases]


def sweep(
    cases: Iterable[Case | Mapping[str, Any]],
    *,
    out: str | os.PathLike[str] | None = None,
    jobs: int = 1,
) -> list[Row]:
    """Runs all cases, ``jobs`` at a time, and returns their rows in order.

    With a folder ``out`` a sweep that was ended goes on where it was: cases that have a row there are not run again.

    >>> import tempfile, tokenyard as ty
    >>> s = ty.Scenario.preset("chat-4xh100").set("run.max_requests", 50)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = ty.sweep(ty.grid(s, seeds=3), out=folder, jobs=2)
    ...     rows == ty.sweep(ty.grid(s, seeds=3), out=folder)
    True
    """
    if jobs <= 1:
        return run_cases(cases, out)
    rows: list[Row | None] = []
    open_ones: dict[Future[Row], int] = {}

    def take(some: Iterable[Future[Row]]) -> None:
        for done in some:
            rows[open_ones.pop(done)] = done.result()

    # A run needs no interpreter, so threads are enough; few wait at a time, so that cases may come from a generator.
    pool = ThreadPoolExecutor(jobs)
    try:
        for case in cases:
            rows.append(None)
            open_ones[pool.submit(run_case, case, out)] = len(rows) - 1
            if len(open_ones) >= 2 * jobs:
                take(wait(open_ones, return_when=FIRST_COMPLETED).done)
        take(wait(open_ones).done)
    finally:
        pool.shutdown(cancel_futures=True)
    return cast(list[Row], rows)


def kept_rows(out: str | os.PathLike[str]) -> list[Row]:
    """All rows of a folder, in the order of their cases' digests."""
    return [cast(Row, json.loads(file.read_text("utf-8"))) for file in sorted(Path(out).glob("*.json"))]


def _digest(text: str, file: str) -> str:
    trace = _trace(file)
    said = "\n".join([_core.__version__, text, "" if trace is None else trace.digest])
    return hashlib.blake2b(said.encode(), digest_size=8).hexdigest()


def _trace(file: str) -> Trace | None:
    if not file:
        return None
    about = os.stat(file)
    return _loaded(file, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=4)
def _loaded(file: str, _changed: int, _size: int) -> Trace:
    return Trace.load(file)


def _read(folder: Path, case: str) -> Row | None:
    try:
        text = (folder / f"{case}.json").read_text("utf-8")
    except FileNotFoundError:
        return None
    return cast(Row, json.loads(text))


def _keep(folder: Path, row: Row) -> None:
    """Writes a row; one that is there already stays."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{row['case']}.json"
    part = folder / f".{row['case']}.{uuid.uuid4().hex}"
    try:
        with part.open("x", encoding="utf-8") as text:
            json.dump(row, text)
            text.flush()
            os.fsync(text.fileno())
        try:
            os.link(part, file)
        except FileExistsError:
            return
        except OSError:
            # A file system without links: the new row is the same as one that is there.
            os.replace(part, file)
    finally:
        part.unlink(missing_ok=True)
