"""Tokenyard: a deterministic simulator of an LLM-serving cluster.

A run is scenario + seed + edits: the same three give the same bytes on every machine.

>>> import tokenyard as ty
>>> s = ty.Scenario.preset("chat-4xh100").set("run.horizon_s", 30).set("edits", [])
>>> r = s.run(seed=7)
>>> r.report["requests"]["conserved"]
True
>>> r.digest == s.run(seed=7).digest
True
"""

from ._core import __version__
from .problems import Problem, ScenarioError
from .routing import Replica, Request, RoutedRun, Router, run_router
from .runs import Run, Session
from .scenario import Imported, Scenario, presets
from .studies import capacity, compare, explain, regret, what_if
from .sweeps import Case, grid, kept_rows, run_case, run_cases, sweep
from .traces import Trace
from .widget import widget

__all__ = [
    "Case",
    "Imported",
    "Problem",
    "Replica",
    "Request",
    "RoutedRun",
    "Router",
    "Run",
    "Scenario",
    "ScenarioError",
    "Session",
    "Trace",
    "__version__",
    "capacity",
    "compare",
    "explain",
    "grid",
    "kept_rows",
    "presets",
    "regret",
    "run_case",
    "run_cases",
    "run_router",
    "sweep",
    "what_if",
    "widget",
]
