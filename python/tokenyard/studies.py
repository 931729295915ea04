"""Studies of whole runs: comparisons, capacity, questions about decisions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar, cast

from . import _core
from .scenario import Scenario, TraceLike
from .traces import Trace

__all__ = ["capacity", "compare", "explain", "regret", "what_if"]

T = TypeVar("T")
R = TypeVar("R")


def _each(work: Callable[[T], R], items: Iterable[T], jobs: int) -> list[R]:
    """The results in order; threads are enough, as a run needs no interpreter."""
    if jobs <= 1:
        return [work(item) for item in items]
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(work, items))


def _rows(scenario: Scenario, trace: TraceLike) -> _core.Trace | None:
    found = scenario._trace(trace)
    return found._core if isinstance(found, Trace) else None


def compare(
    a: Scenario, b: Scenario, *, seeds: int = 1, trace: TraceLike = None, jobs: int = 1
) -> dict[str, Any]:
    """Two scenarios on the same traffic, seed by seed, as ``tokenyard compare --json`` prints it.

    >>> import tokenyard as ty
    >>> a = ty.Scenario.preset("router-showdown").set("run.horizon_s", 20).set("run.warmup_s", 2).set("edits", [])
    >>> found = compare(a, a.set("cluster.routing", "least-loaded"), seeds=2)
    >>> found["seeds"], found["paired"], sorted(found["metrics"]["ttft_ms"]["p99"])
    (['11', '12'], True, ['a', 'b', 'diff', 'hi', 'lo', 'verdict'])
    """
    rows = [_rows(a, trace), _rows(b, trace)]

    def outcome(which: tuple[int, int]) -> _core.Outcomes:
        k, side = which
        scenario = (a, b)[side]
        return _core.Outcomes(scenario._core.with_seed(scenario.seed + k), rows[side])

    made = _each(outcome, [(k, side) for k in range(seeds) for side in (0, 1)], jobs)
    pairs = [made[i : i + 2] for i in range(0, len(made), 2)]
    return cast(dict[str, Any], json.loads(_core.compared([a._core, b._core], pairs)))


def capacity(
    scenario: Scenario,
    *,
    ttft_ms: float | None = None,
    tpot_ms: float | None = None,
    e2e_ms: float | None = None,
    share: float = 0.99,
    seeds: int = 1,
    trace: TraceLike = None,
    jobs: int = 1,
) -> dict[str, Any]:
    """The highest rate at which a share of the requests meets the objectives, as ``tokenyard capacity --json`` prints it.

    Objectives that are given replace all of the scenario's.

    >>> import tokenyard as ty
    >>> s = ty.Scenario.parse("{}").set("run.horizon_s", 20).set("run.warmup_s", 2).set("cluster.pools[0].replicas", 1)
    >>> found = capacity(s, ttft_ms=500, share=0.95)
    >>> found["end"], found["rate_per_s"] > 1
    ('found', True)
    """
    given = {"ttft_ms": ttft_ms, "tpot_ms": tpot_ms, "e2e_ms": e2e_ms}
    objectives = [f"{name}={value}" for name, value in given.items() if value is not None]
    search = _core.Capacity(scenario._core, objectives, share, _rows(scenario, trace))
    found = _each(search.of_seed, [scenario.seed + k for k in range(seeds)], jobs)
    return cast(dict[str, Any], json.loads(search.answer(found)))


def what_if(
    scenario: Scenario,
    request: int,
    *,
    to: int | None = None,
    most: int = 0,
    until_s: float | None = None,
    stage: str = "home",
    trace: TraceLike = None,
) -> dict[str, Any]:
    """One routing decision and its alternatives: how the request and all others would have fared on each other replica.

    >>> import tokenyard as ty
    >>> s = ty.Scenario.preset("chat-4xh100").set("run.max_requests", 100)
    >>> found = what_if(s, 40)
    >>> sum(a["chosen"] for a in found["alternatives"])
    1
    """
    asked: dict[str, Any] = {"request": request, "most": most, "stage": stage}
    if to is not None:
        asked["to"] = to
    if until_s is not None:
        asked["until_us"] = round(until_s * 1e6)
    questions = _core.Questions(scenario._core, _rows(scenario, trace))
    return cast(dict[str, Any], json.loads(questions.what_if(json.dumps(asked))))


def explain(
    scenario: Scenario, asked: Mapping[str, Any] | None = None, *, trace: TraceLike = None
) -> dict[str, Any]:
    """Why the slowest requests of a run are slow, as ``tokenyard explain --json`` prints it."""
    questions = _core.Questions(scenario._core, _rows(scenario, trace))
    return cast(dict[str, Any], json.loads(questions.explain(json.dumps(dict(asked or {})))))


def regret(scenario: Scenario, *, seeds: int = 1, trace: TraceLike = None) -> dict[str, Any]:
    """The KV caches of a run beside those of an oracle, as ``tokenyard regret --json`` prints it.

    >>> import tokenyard as ty
    >>> s = ty.Scenario.preset("long-chats").set("run.horizon_s", 20).set("run.warmup_s", 2)
    >>> regret(s.set("cluster.pools[0].kv.eviction_order", "belady"))["block_regret"]
    0.0
    """
    return cast(dict[str, Any], json.loads(_core.regret(scenario._core, seeds, _rows(scenario, trace))))
