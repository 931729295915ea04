"""Evaluators for searchers. The searchers themselves run in examples/evolve_a_router.py."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tokenyard as ty
from tokenyard import evolve

GOOD = "routing: {weighted: {scorers: [{scorer: {expression: '1 / (1 + in_flight)'}, weight: 1}]}}"

SUITE = evolve.Suite.load("herding")


@pytest.fixture(autouse=True)
def suite_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKENYARD_SUITE", "herding")


def test_a_good_expression_beats_the_baseline_on_what_is_held_back() -> None:
    found = SUITE.evaluate(GOOD, "test")
    assert found["status"] == "success" and found["combined_score"] > 0.6
    assert found == evolve.Suite.load("herding").evaluate(GOOD, "test")
    assert [case["id"] for case in found["cases"]] == SUITE.cases("test")


def test_a_bad_candidate_is_a_result_and_a_bad_question_raises() -> None:
    bad = SUITE.evaluate("routing: nearest")
    assert (bad["status"], bad["combined_score"]) == ("error", 0) and bad["problems"] and bad["artifacts"]["feedback"]
    assert SUITE.evaluate("cluster: {}")["status"] == "error"
    with pytest.raises(ty.ScenarioError):
        SUITE.evaluate(GOOD, stage=99)
    with pytest.raises(ty.ScenarioError):
        SUITE.evaluate(GOOD, cases=["no-such"])
    with pytest.raises(ValueError, match="train, val, test"):
        SUITE.evaluate(GOOD, "all")
    with pytest.raises(ty.ScenarioError):
        evolve.Suite.load("no-such-suite.yaml")


def metrics_of(result: Any) -> dict[str, float]:
    """The metrics of a result, which is a dict where OpenEvolve is not installed."""
    metrics: dict[str, float] = getattr(result, "metrics", result)
    return metrics


def test_functions_of_a_file_take_stages(tmp_path: Path) -> None:
    program = tmp_path / "program.yaml"
    program.write_text(f"# EVOLVE-BLOCK-START\n{GOOD}\n# EVOLVE-BLOCK-END\n", "utf-8")
    metrics = metrics_of(evolve.evaluate(str(program)))
    assert metrics["combined_score"] == SUITE.evaluate(GOOD)["combined_score"]
    assert all(isinstance(value, float | int) for value in metrics.values())
    metrics = metrics_of(evolve.evaluate_stage1(str(program)))
    assert metrics["combined_score"] == SUITE.evaluate(GOOD, stage=1)["combined_score"]


def test_gepa_gets_scores_by_case_and_feedback_by_component() -> None:
    pytest.importorskip("gepa", reason="gepa is not installed")
    adapter, cases = evolve.GepaAdapter(SUITE), SUITE.cases("train")
    candidate = {"routing": GOOD.removeprefix("routing: ")}
    batch = adapter.evaluate([*cases, cases[0]], candidate, capture_traces=True)
    by_name = {case["id"]: case["score"] for case in SUITE.evaluate(GOOD)["cases"]}
    assert batch.scores == [by_name[name] for name in [*cases, cases[0]]]
    data = adapter.make_reflective_dataset(candidate, batch, ["routing"])
    assert [record["Inputs"]["case"] for record in data["routing"]] == [*cases, cases[0]]
    assert all(record["Feedback"] for record in data["routing"])
    bad = adapter.evaluate(cases, {"routing": "nearest"}, capture_traces=True)
    assert bad.scores == [0.0] * len(cases) and "nearest" in bad.trajectories[0].feedback


def test_optimize_anything_gets_a_score_and_what_happened() -> None:
    evaluator = evolve.gepa_evaluator(SUITE)
    score, info = evaluator(GOOD)
    assert score == SUITE.evaluate(GOOD)["combined_score"] and set(info["scores"]) and info["Feedback"]
    score, info = evaluator({"routing": "nearest"}, "chat-1s")
    assert score == 0 and info["Problems"]


def test_shinka_gets_its_two_files(tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text(
        '// EVOLVE-BLOCK-START\n{"routing": "least-loaded"}\n// EVOLVE-BLOCK-END\n', "utf-8"
    )
    evolve.shinka_main("herding", ["--program_path", str(tmp_path / "p.json"), "--results_dir", str(tmp_path / "out")])
    metrics = json.loads((tmp_path / "out" / "metrics.json").read_text("utf-8"))
    assert 0 < metrics["combined_score"] < 1 and metrics["public"] and metrics["text_feedback"]
    assert json.loads((tmp_path / "out" / "correct.json").read_text("utf-8")) == {"correct": True, "error": None}
    (tmp_path / "p.json").write_text('{"routing": "nearest"}', "utf-8")
    evolve.shinka_main("herding", ["--program_path", str(tmp_path / "p.json"), "--results_dir", str(tmp_path / "out")])
    correct = json.loads((tmp_path / "out" / "correct.json").read_text("utf-8"))
    assert not correct["correct"] and "routing" in correct["error"]


def test_the_script_of_a_container_prints_one_document(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(GOOD, "utf-8")
    script = Path(evolve.__file__).with_name("evaluate.sh")
    environment = {**os.environ, "PYTHON": sys.executable, "TOKENYARD_SUITE": "herding"}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["sh", str(script), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)

    ran = run(str(tmp_path / "c.yaml"), "test")
    assert ran.returncode == 0 and json.loads(ran.stdout) == SUITE.evaluate(GOOD, "test")
    (tmp_path / "c.yaml").write_text("routing: nearest", "utf-8")
    bad = run(str(tmp_path / "c.yaml"))
    assert bad.returncode == 0 and json.loads(bad.stdout)["status"] == "error"
    assert run(str(tmp_path / "c.yaml"), "--suite", "no-such.yaml").returncode == 1
