"""Evaluators of policies for programs that search: OpenEvolve, GEPA, ShinkaEvolve, SkyDiscover.

A candidate is YAML or JSON text with policies alone, as ``tokenyard evaluate`` takes it::

    routing: { weighted: { scorers: [{ scorer: { expression: "1 / (1 + in_flight)" }, weight: 1 }] } }

OpenEvolve and SkyDiscover take this file itself as their evaluator, with the suite in the environment: ``TOKENYARD_SUITE``.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from textwrap import indent
from typing import Any, NamedTuple, cast

# Searchers load this file by its path, so its imports name the package.
from tokenyard import _core
from tokenyard.problems import ScenarioError

__all__ = [
    "Evaluation",
    "GepaAdapter",
    "Suite",
    "candidate_text",
    "evaluate",
    "evaluate_stage1",
    "evaluate_stage2",
    "evaluate_stage3",
    "gepa_evaluator",
    "shinka_main",
]

SPLITS = ("train", "val", "test")

Evaluation = dict[str, Any]
"""What ``tokenyard evaluate`` prints: status, combined_score, metrics, scores, cases, artifacts, problems, digest."""


class Suite:
    """The cases that candidates run on, the baseline beside them, and the objectives.

    It keeps the runs of the baseline: evaluate many candidates with one suite.
    """

    def __init__(self, core: _core.Suite, path: str) -> None:
        self._core = core
        self.path = path
        """The file that it was read from."""

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Suite:
        """Reads a suite: a file, with the scenarios and traces that it names beside it, or one that comes along by its name.

        ``Suite.load("herding").cases("train")`` are ``['chat-1s', 'chat-2s']``.
        """
        name = os.fspath(path)
        return cls(_core.Suite.open(name), name)

    @property
    def digest(self) -> str:
        """The digest of the suite with its scenarios and traces."""
        return self._core.digest

    def cases(self, split: str | None = None) -> list[str]:
        """Names of its cases: all, or those of a split (train, val, test)."""
        return [name for name, own in self._core.cases() if split in (None, own)]

    def evaluate(
        self,
        candidate: str,
        split: str = "train",
        *,
        stage: int | None = None,
        cases: Iterable[str] = (),
        text_bytes: int = 8000,
    ) -> Evaluation:
        """Runs a candidate. A bad one is a result with the score 0; only a bad suite, split or stage raises."""
        found = self._core.evaluate(candidate, split, stage, list(cases), text_bytes)
        return cast(Evaluation, json.loads(found))

    def __repr__(self) -> str:
        return f"<Suite {self.digest}: {self.path}>"


_suites: dict[str, Suite] = {}


def _suite(suite: Suite | str | os.PathLike[str] | None = None) -> Suite:
    """A suite, read once; without one that of the environment."""
    if isinstance(suite, Suite):
        return suite
    named = os.environ.get("TOKENYARD_SUITE") if suite is None else os.fspath(suite)
    if not named:
        raise ValueError("no suite: set TOKENYARD_SUITE to the file of one")
    if named not in _suites:
        _suites[named] = Suite.load(named)
    return _suites[named]


def candidate_text(candidate: str | Mapping[str, str]) -> str:
    """A candidate as text; one in components (as GEPA has it) has a policy under each key.

    >>> print(candidate_text({"routing": "least-loaded", "scheduler": "fcfs"}))
    routing:
      least-loaded
    scheduler:
      fcfs
    """
    if isinstance(candidate, str):
        return candidate
    return "\n".join(f"{key}:\n{indent(text.strip(), '  ')}" for key, text in candidate.items())


def _result(found: Evaluation) -> Any:
    """The result as OpenEvolve and SkyDiscover have it: numbers, and texts for the next prompt."""
    metrics: dict[str, float] = {"combined_score": found["combined_score"], **found["metrics"]}
    metrics.update({f"score_{name}": score for name, score in found["scores"].items()})
    artifacts: dict[str, str] = {"feedback": found["artifacts"]["feedback"]}
    # A searcher that is running is imported already; each has a result class of its own.
    for module in ("openevolve.evaluation_result", "skydiscover.evaluation.evaluation_result"):
        if module in sys.modules:
            return sys.modules[module].EvaluationResult(metrics=metrics, artifacts=artifacts)
    return metrics


def _evaluated(program_path: str | os.PathLike[str], stage: int | None) -> Any:
    split = os.environ.get("TOKENYARD_SPLIT", "train")
    text = Path(program_path).read_text("utf-8")
    return _result(_suite().evaluate(text, split, stage=stage))


def evaluate(program_path: str) -> Any:
    """For OpenEvolve and SkyDiscover: all cases of the split in ``TOKENYARD_SPLIT``, by default train."""
    return _evaluated(program_path, None)


def evaluate_stage1(program_path: str) -> Any:
    """For the cascade of OpenEvolve: the first stage of the suite."""
    return _evaluated(program_path, 1)


def evaluate_stage2(program_path: str) -> Any:
    """The second stage."""
    return _evaluated(program_path, 2)


def evaluate_stage3(program_path: str) -> Any:
    """The third stage."""
    return _evaluated(program_path, 3)


def gepa_evaluator(
    suite: Suite | str | os.PathLike[str], *, split: str = "train"
) -> Callable[..., tuple[float, dict[str, Any]]]:
    """For ``gepa.optimize_anything``: ``evaluator(candidate[, example]) -> (score, info)``.

    An example is the name of a case, as ``suite.cases("train")`` has them; without one the whole split is run.
    """
    of = _suite(suite)

    def evaluator(candidate: str | Mapping[str, str], example: str | None = None) -> tuple[float, dict[str, Any]]:
        found = of.evaluate(candidate_text(candidate), split, cases=[] if example is None else [example])
        info: dict[str, Any] = {"scores": dict(found["scores"]), "Feedback": found["artifacts"]["feedback"]}
        if found["problems"]:
            info["Problems"] = [f"{p['path']}: {p['found']}; {p['fix']}" for p in found["problems"]]
        return float(found["combined_score"]), info

    return evaluator


class _Seen(NamedTuple):
    case: str
    score: float
    feedback: str


class GepaAdapter:
    """For ``gepa.optimize(adapter=GepaAdapter(suite), trainset=suite.cases("train"), …)``: the data are names of cases.

    Each key of a candidate is a component: ``{"routing": "weighted: …"}``.
    """

    propose_new_texts = None

    def __init__(self, suite: Suite | str | os.PathLike[str], *, text_bytes: int = 8000) -> None:
        self.suite = _suite(suite)
        self.text_bytes = text_bytes

    def evaluate(self, batch: list[str], candidate: dict[str, str], capture_traces: bool = False) -> Any:
        """Scores of the cases in a batch; a bad candidate scores 0 in all of them."""
        from gepa.core.adapter import EvaluationBatch

        text = candidate_text(candidate)
        found = self.suite.evaluate(text, cases=dict.fromkeys(batch), text_bytes=self.text_bytes)
        by_name = {case["id"]: case for case in found["cases"]}
        bad = found["artifacts"]["feedback"]
        nothing = dict.fromkeys(found["scores"], 0.0)

        def seen(name: str) -> tuple[_Seen, dict[str, float]]:
            case = by_name.get(name)
            if case is None:
                return _Seen(name, 0.0, bad), nothing
            scores = {objective["metric"]: float(objective["score"]) for objective in case["objectives"]}
            return _Seen(name, float(case["score"]), case["feedback"]), scores

        all_seen = [seen(name) for name in batch]
        return EvaluationBatch(
            outputs=[one.feedback for one, _ in all_seen],
            scores=[one.score for one, _ in all_seen],
            trajectories=[one for one, _ in all_seen] if capture_traces else None,
            objective_scores=[scores for _, scores in all_seen],
        )

    def make_reflective_dataset(
        self, candidate: dict[str, str], eval_batch: Any, components_to_update: list[str]
    ) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """What a reflector reads of each component: its text, and the feedback on every case."""
        seen = cast(list[_Seen], eval_batch.trajectories or [])

        def records(component: str) -> list[dict[str, Any]]:
            text = candidate[component]
            return [
                {"Inputs": {"case": one.case}, "Generated Outputs": text, "Feedback": one.feedback, "score": one.score}
                for one in seen
            ]

        return {component: records(component) for component in components_to_update}


def shinka_main(suite: str | None = None, arguments: Sequence[str] | None = None) -> None:
    """The main function of an ``evaluate.py`` for ShinkaEvolve: ``--program_path P --results_dir D``.

    Writes ``metrics.json`` and ``correct.json``. Held-back figures belong to no search: only the train split is run.
    """
    from argparse import ArgumentParser

    parser = ArgumentParser(description="Evaluates a candidate for ShinkaEvolve.")
    parser.add_argument("--program_path", required=True)
    parser.add_argument("--results_dir", required=True)
    asked = parser.parse_args(arguments)
    found = _suite(suite).evaluate(Path(asked.program_path).read_text("utf-8"))
    problems = "; ".join(f"{p['path']}: {p['found']}" for p in found["problems"])
    metrics = {
        "combined_score": found["combined_score"],
        "public": {**found["metrics"], **{f"score_{name}": score for name, score in found["scores"].items()}},
        "private": {"digest": found["digest"]},
        "text_feedback": found["artifacts"]["feedback"],
    }
    correct = {"correct": found["status"] == "success", "error": problems or None}
    folder = Path(asked.results_dir)
    folder.mkdir(parents=True, exist_ok=True)
    for name, document in [("metrics.json", metrics), ("correct.json", correct)]:
        (folder / name).write_text(json.dumps(document, indent=2), "utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """``python -m tokenyard.evolve PATH [train|val|test] --suite SUITE``: what ``tokenyard evaluate`` prints.

    Exit code 1 only if the suite cannot be used: a bad candidate is a result.
    """
    from argparse import ArgumentParser

    parser = ArgumentParser(prog="python -m tokenyard.evolve", description="Evaluates a candidate on a suite.")
    parser.add_argument("candidate", help="a file of policies")
    parser.add_argument("split", nargs="?", default="train", choices=SPLITS)
    parser.add_argument("--suite", help="the suite, by default TOKENYARD_SUITE of the environment")
    parser.add_argument("--stage", type=int)
    parser.add_argument("--case", action="append", default=[])
    parser.add_argument("--text-bytes", type=int, default=8000)
    asked = parser.parse_args(arguments)
    try:
        text = Path(asked.candidate).read_text("utf-8")
        found = _suite(asked.suite).evaluate(
            text, asked.split, stage=asked.stage, cases=asked.case, text_bytes=asked.text_bytes
        )
    except (OSError, ValueError) as error:
        problems = [str(problem) for problem in error.problems] if isinstance(error, ScenarioError) else [str(error)]
        print("\n".join(problems), file=sys.stderr)
        return 1
    print(json.dumps(found, indent=2, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
