"""Runs: over, and under way."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from . import _core
from .problems import Problem
from .scenario import Scenario, TraceLike

__all__ = ["Columns", "Run", "Session"]

Columns = dict[str, npt.NDArray[Any]]
"""Columns by name, of equal length, as ``pandas.DataFrame`` and ``polars.DataFrame`` take them."""


class Run:
    """A run that is over. ``Scenario.run`` makes it.

    >>> import tokenyard as ty
    >>> r = ty.Scenario.preset("chat-4xh100").set("run.max_requests", 200).set("run.warmup_s", 1).run()
    >>> r.report["latency_ms"]["ttft"]["p99"] > r.report["latency_ms"]["ttft"]["p50"]
    True
    >>> rows = r.requests()
    >>> len(rows["ttft_us"]), str(rows["state"][0])
    (200, 'completed')
    """

    def __init__(self, scenario: Scenario, trace: TraceLike = None) -> None:
        self.scenario = scenario
        """What was run."""
        rows = scenario._trace(trace)
        self._core = _core.Run(scenario._core, rows._core if rows is not None else None)

    @cached_property
    def report(self) -> dict[str, Any]:
        """The report, as ``tokenyard run --json`` prints it: docs/reference/report.md has every figure."""
        return cast(dict[str, Any], json.loads(self._core.report))

    @property
    def digest(self) -> str:
        """Equal digests mean equal results, on every machine and however the run was made."""
        return self._core.digest

    @property
    def warnings(self) -> list[Problem]:
        """What was noted when it started."""
        return [Problem(*problem) for problem in self._core.warnings]

    def requests(self) -> Columns:
        """A row for each request in order of arrival: docs/reference/output.md has the columns.

        Whole numbers are ``int64`` where all are known, else ``float64`` with NaN; names are objects, None if unknown.
        """
        return self.table("requests")

    def series(self, view: str | None = None, *, window_s: float = 0.0) -> Columns:
        """Time series: all of them by bucket, or the ones of a chart by its name, such as ``kv-use``."""
        if view is None:
            return self.table("series")
        return cast(Columns, self._core.view(view, window_s))

    def decisions(self, candidates: int = 64) -> Columns:
        """A row for each decision of the router and candidate, the best candidates first. The run is made once more for it."""
        return self.table("decisions", candidates)

    def table(self, name: str, candidates: int = 64) -> Columns:
        """The rows of a table: requests, series, decisions, events or scaling. The last three make the run once more."""
        return self._core.table(name, candidates)

    def to_link(self) -> str | None:
        """The link of what ran; None if it would be too long."""
        return self._core.to_link()

    def to_html(self) -> str:
        """The run as one page of HTML that opens offline."""
        return self._core.page()

    def __repr__(self) -> str:
        r = self.report["requests"]
        return f"<Run {self.digest}: {r['arrived']} requests, {r['completed']} completed>"

    def _repr_html_(self) -> str:
        from .html import run_html

        return run_html(self)


class Session:
    """A run under way. ``Scenario.start`` makes it.

    >>> import tokenyard as ty
    >>> sim = ty.Scenario.preset("chat-4xh100").set("run.max_requests", 500).set("edits", []).start()
    >>> sim.advance(until_s=10)
    False
    >>> sim.apply({"set": {"cluster.pools[0].replicas": 6}})
    []
    >>> sim.advance()
    True
    >>> len(sim.report()["replicas"])
    6
    """

    def __init__(self, scenario: Scenario, trace: TraceLike = None) -> None:
        rows = scenario._trace(trace)
        self._core = _core.Session(scenario._core, rows._core if rows is not None else None)

    def advance(self, *, until_s: float | None = None) -> bool:
        """Runs up to an instant, or to the end; returns whether the run has ended."""
        return self._core.advance(None if until_s is None else round(until_s * 1e6))

    def step(self, kind: str = "event") -> bool:
        """Runs until an ``event``, ``engine-step``, ``arrival``, ``completion`` or ``preemption``; returns whether the run has ended."""
        return self._core.step(kind)

    def apply(self, edit: Mapping[str, Any]) -> list[Problem]:
        """Applies an edit at the instant shown, such as ``{"set": {"cluster.routing": "random"}}``; returns warnings."""
        return [Problem(*problem) for problem in self._core.apply(json.dumps(edit))]

    @property
    def now_s(self) -> float:
        """The instant shown, in seconds."""
        return self._core.now_us / 1e6

    @property
    def ended(self) -> bool:
        """Whether the run has ended."""
        return self._core.ended

    @property
    def digest(self) -> str:
        """The digest of the results so far."""
        return self._core.digest

    @property
    def warnings(self) -> list[Problem]:
        """What was noted when it started."""
        return [Problem(*problem) for problem in self._core.warnings]

    def report(self) -> dict[str, Any]:
        """The report so far."""
        return cast(dict[str, Any], json.loads(self._core.report()))

    def frame(self) -> dict[str, Any]:
        """What the page would show at the instant: replicas, queues, key figures of the latest 30 s."""
        return cast(dict[str, Any], json.loads(self._core.frame()))

    def requests(self) -> Columns:
        """A row for each request so far."""
        return self._core.table("requests")

    def series(self, view: str | None = None, *, window_s: float = 0.0) -> Columns:
        """Time series so far: all of them by bucket, or the ones of a chart by its name."""
        if view is None:
            return self._core.table("series")
        found: dict[str, npt.NDArray[np.float64]] = self._core.view(view, window_s)
        return cast(Columns, found)

    def scenario(self) -> Scenario:
        """The scenario with all edits that were made: its run gives the same results."""
        return Scenario(self._core.scenario())

    def to_link(self) -> str | None:
        """The link of the run with its edits; None if it would be too long, or if a router in Python had a hand in it."""
        return self._core.to_link()

    def __repr__(self) -> str:
        return f"<Session at {self.now_s:g} s{', ended' if self.ended else ''}>"
