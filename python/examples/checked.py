"""What the examples of sweeps share: many small cases, and the proof that each was run once."""

from __future__ import annotations

import argparse
import json
import os
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import tokenyard as ty

TASK_REQUESTS = 6_000
"""Requests of a task: about a tenth of a second of work, beside which sending it costs little."""


def small_cases(count: int, requests: int = 150) -> list[ty.Case]:
    """As many cases as are asked for; with 150 requests each takes some milliseconds."""
    s = ty.Scenario.preset("router-showdown").set("edits", []).set("run.warmup_s", 0).set("run.max_requests", requests)
    axes = {"cluster.routing": ["random", "least-loaded"], "cluster.pools[0].replicas": [2, 4]}
    return list(ty.grid(s, axes, seeds=range(1, 1 + (count + 3) // 4)))[:count]


def tasks(cases: Sequence[ty.Case]) -> list[list[ty.Case]]:
    """The cases in tasks of ``TASK_REQUESTS``; all cases have the same number of requests."""
    at_once = max(1, TASK_REQUESTS // ty.Scenario.parse(str(cases[0]["scenario"]))["run.max_requests"])
    return [list(cases[i : i + at_once]) for i in range(0, len(cases), at_once)]


def work(cases: list[ty.Case], out: str) -> int:
    """The work of a task: runs cases, and notes which it ran. Returns how many it has rows of."""
    log = Path(out) / f"{os.getpid()}.log"
    for case in cases:
        known = (Path(out) / f"{case['case']}.json").exists()
        ty.run_case(case, out)
        if not known:
            with log.open("a") as lines:
                lines.write(f"{case['case']}\n")
    return len(cases)


def kill_one_when_half_done(out: str, count: int) -> int:
    """Waits until half of the rows are there, and kills a worker that works."""
    folder = Path(out)
    before: dict[Path, int] = {}
    while True:
        time.sleep(0.02)
        if len(list(folder.glob("*.json"))) < count // 2:
            before = {log: log.stat().st_size for log in folder.glob("*.log")}
            continue
        # One that wrote a moment ago is in the middle of a task.
        for log in folder.glob("*.log"):
            if log.stat().st_size > before.get(log, 0):
                os.kill(int(log.stem), signal.SIGKILL)
                return int(log.stem)


def check(out: str, cases: Sequence[ty.Case]) -> None:
    """Fails unless every case has one row, none was run twice, and rows have the digests that they have here."""
    rows = {row["case"]: row for row in ty.kept_rows(out)}
    assert set(rows) == {case["case"] for case in cases}, "a case was lost"
    ran = Counter(line for log in Path(out).glob("*.log") for line in log.read_text().split())
    twice = [case for case, times in ran.items() if times > 1]
    assert not twice, f"run twice: {twice[:5]}"
    # Between its row and its line in the log a worker may be killed: then there is a row, and no line.
    assert len(cases) - 1 <= len(ran) <= len(cases), f"{len(ran)} of {len(cases)} were noted"
    some = cases[:: max(1, len(cases) // 50)]
    for case in some:
        assert ty.run_case(case) == rows[case["case"]], "another row than on this machine's main process"
    print(f"{len(rows)} rows, each case run once; {len(some)} of them run again here with the same digests")


def check_digests(run: Run, file: Path | None) -> None:
    """Fails unless the workers give each preset of the file its digest there, without edits and with 1,000 requests."""
    if file is None:
        return
    expected = dict(line.split() for line in file.read_text("utf-8").splitlines())
    presets = {name: ty.Scenario.preset(name).set("edits", []).set("run.max_requests", 1000) for name in expected}
    cases = {name: next(iter(ty.grid(scenario))) for name, scenario in presets.items()}
    with tempfile.TemporaryDirectory() as out:
        run(list(cases.values()), out)
        rows = {row["case"]: row for row in ty.kept_rows(out)}
    given = {name: rows[case["case"]]["report_digest"] for name, case in cases.items()}
    assert given == expected, f"{given} in place of {expected}"
    print(f"{len(given)} presets with the digests of the command line")


Run = Callable[[list[ty.Case], str], None]
"""Runs cases into a folder."""


def measured(name: str, workers_of: Callable[[int], AbstractContextManager[Run]], count: int) -> None:
    """Prints how much faster two workers are than one, once they have started, with cases of 3,000 requests."""
    cases, first = small_cases(count, 3_000), small_cases(40)
    rates: dict[int, float] = {}
    for workers in (1, 2):
        with workers_of(workers) as run, tempfile.TemporaryDirectory() as out:
            run(first, out)
            began = time.perf_counter()
            run(cases, out)
            rates[workers] = len(cases) / (time.perf_counter() - began)
    share = rates[2] / (2 * rates[1])
    print(
        json.dumps(
            {
                "with": name,
                "cases": len(cases),
                "cases_per_s": {n: round(rate, 1) for n, rate in rates.items()},
                "of_linear": round(share, 3),
            }
        )
    )


def arguments(about: str) -> argparse.Namespace:
    """How many cases, and how many of them for the measurement."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--measured", type=int, default=200)
    parser.add_argument("--digests", type=Path, help="presets and their digests, which the workers must give too")
    return parser.parse_args()
