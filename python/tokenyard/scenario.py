"""Scenarios as values."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from . import _core
from .problems import Problem, ScenarioError
from .traces import Trace

if TYPE_CHECKING:
    from .runs import Run, Session

__all__ = ["Imported", "Scenario", "TraceLike", "presets"]

TraceLike = Trace | str | os.PathLike[str] | None
"""A trace, or the path of its file."""


def presets() -> list[str]:
    """Names of the built-in scenarios.

    >>> "chat-4xh100" in presets()
    True
    """
    return _core.presets()


class Imported(NamedTuple):
    """What became of configuration of other programs."""

    scenario: Scenario
    """The scenario with it."""
    keys: list[dict[str, Any]]
    """What each key becomes: key, found, standing (exact, near, ignored, unknown, …), becomes."""
    warnings: list[Problem]
    """Warnings."""


class Scenario:
    """What to run: a cluster, its traffic, a seed and edits. A value: :meth:`set` gives a new one.

    >>> s = Scenario.preset("chat-4xh100").set("run.horizon_s", 20).set("run.warmup_s", 2).set("edits", [])
    >>> s["cluster.routing"]
    'least-loaded'
    >>> t = s.set("cluster.routing", "round-robin")
    >>> t == s, t.set("cluster.routing", "least-loaded") == s
    (False, True)
    >>> Scenario.from_link(t.to_link()) == t
    True
    """

    __slots__ = ("_core", "_folder")

    def __init__(self, core: _core.Scenario, folder: str = "") -> None:
        self._core = core
        self._folder = folder

    @classmethod
    def parse(cls, text: str) -> Scenario:
        """Reads JSON or YAML text; raises :class:`ScenarioError` with all problems."""
        return cls(_core.Scenario.parse(text))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Scenario:
        """Reads a JSON or YAML file. A trace that it names is looked for beside it."""
        path = Path(path)
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            raise ScenarioError(
                [Problem("error", str(path), "a binary file", "JSON or YAML text in UTF-8", "check the file")]
            ) from None
        return cls(_core.Scenario.parse(text), str(path.parent))

    @classmethod
    def preset(cls, name: str) -> Scenario:
        """A built-in scenario; :func:`presets` has their names."""
        return cls(_core.Scenario.preset(name))

    @classmethod
    def from_link(cls, link: str) -> Scenario:
        """The scenario of a link of the page."""
        return cls(_core.Scenario.from_link(link))

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Scenario:
        """The scenario of a document, as :meth:`to_dict` gives it."""
        return cls.parse(json.dumps(document))

    @classmethod
    def from_paste(
        cls,
        *texts: str,
        into: Scenario | None = None,
        settle: Mapping[str, int] | None = None,
    ) -> Imported:
        """Configuration of other programs as a scenario: an ``EndpointPickerConfig``, a Deployment, ``vllm serve`` flags, metrics.

        ``into`` is the scenario that it changes; by default a new one, with traffic that its fleet carries. ``settle`` says,
        for a field that two sources set differently, which one counts.

        >>> made = Scenario.from_paste("vllm serve meta-llama/Llama-3.1-8B-Instruct --max-num-seqs 96")
        >>> made.scenario["cluster.pools[0].engine.max_num_seqs"]
        96
        """
        base = into.to_json() if into is not None else ""
        named = [("", text) for text in texts]
        found = json.loads(_core.imported(named, base, list((settle or {}).items())))
        if not found["scenario"]:
            raise ScenarioError(_problems(found["problems"]) + _open(found["conflicts"]))
        return Imported(cls.parse(found["scenario"]), found["keys"], _problems(found["warnings"]))

    def set(self, path: str, value: object) -> Scenario:
        """A new scenario with the field at ``path`` set, as ``tokenyard run --set`` does.

        >>> Scenario.parse("{}").set("cluster.pools[0].replicas", 6)["cluster.pools[0].replicas"]
        6
        """
        return Scenario(self._core.set(path, json.dumps(value)), self._folder)

    def with_seed(self, seed: int) -> Scenario:
        """The same scenario with another seed."""
        return Scenario(self._core.with_seed(seed), self._folder)

    def __getitem__(self, path: str) -> Any:
        value: Any = self.to_dict()
        for key in path.replace("]", "").replace("[", ".").split("."):
            try:
                value = value[int(key) if isinstance(value, list) else key]
            except (KeyError, IndexError, TypeError, ValueError):
                raise KeyError(path) from None
        return value

    def check(self) -> list[Problem]:
        """All problems of a run of it; empty if it can run."""
        return [Problem(*problem) for problem in self._core.check()]

    @property
    def digest(self) -> str:
        """Equal digests mean equal scenarios: the ``scenario_digest`` of reports."""
        return self._core.digest

    @property
    def seed(self) -> int:
        """The seed of every random draw."""
        return self._core.seed

    def to_link(self, trace: TraceLike = None) -> str:
        """The link of the scenario, from ``#`` on: behind the address of the page it opens there."""
        rows = self._trace(trace)
        return self._core.to_link(rows._core if rows is not None else None)

    def to_json(self) -> str:
        """The whole document as JSON text."""
        return self._core.to_json()

    def to_yaml(self) -> str:
        """The whole document as YAML text."""
        return self._core.to_yaml()

    def to_dict(self) -> dict[str, Any]:
        """The whole document."""
        return cast(dict[str, Any], json.loads(self._core.to_json()))

    def run(self, *, seed: int | None = None, trace: TraceLike = None) -> Run:
        """Runs it to its end. Other threads of Python run meanwhile; Ctrl-C ends it.

        >>> r = Scenario.preset("chat-4xh100").set("run.max_requests", 50).run(seed=7)
        >>> r.report["requests"]["arrived"]
        50
        """
        from .runs import Run

        return Run(self if seed is None else self.with_seed(seed), trace)

    def start(self, *, seed: int | None = None, trace: TraceLike = None) -> Session:
        """Starts a run that is advanced, edited and looked at on its way."""
        from .runs import Session

        return Session(self if seed is None else self.with_seed(seed), trace)

    def _trace(self, trace: TraceLike) -> Trace | None:
        """The trace given, or the one that the scenario names beside its file."""
        if isinstance(trace, Trace):
            return trace
        if trace is not None:
            return Trace.load(trace)
        file = self._core.trace_file
        if file and self._folder:
            beside = Path(self._folder) / Path(file).name
            if beside.is_file():
                return Trace.load(beside)
        return None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scenario) and self._core == other._core

    def __hash__(self) -> int:
        return hash(self.digest)

    def __reduce__(self) -> tuple[Any, tuple[str, str]]:
        return _unpickled, (self.to_json(), self._folder)

    def __repr__(self) -> str:
        title = self.to_dict()["title"]
        return f"<Scenario {self.digest}{': ' + title if title else ''}>"

    def _repr_html_(self) -> str:
        from .html import scenario_html

        return scenario_html(self)


def _unpickled(text: str, folder: str) -> Scenario:
    return Scenario(_core.Scenario.parse(text), folder)


def _problems(found: Iterable[Mapping[str, str]]) -> list[Problem]:
    return [Problem(d["severity"], d["path"], d["found"], d["allowed"], d["fix"]) for d in found]


def _open(conflicts: Iterable[Mapping[str, Any]]) -> list[Problem]:
    def problem(conflict: Mapping[str, Any]) -> Problem:
        choices = ", ".join(f"{i}: {choice['value']}" for i, choice in enumerate(conflict["choices"]))
        field = conflict["field"]
        return Problem("error", field, choices, "one value", f"settle={{{field!r}: N}} with the number of one of them")

    return [problem(conflict) for conflict in conflicts if conflict.get("chosen") is None]
