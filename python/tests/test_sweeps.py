"""Sweeps: each case once, whatever happens on the way."""

import json
import multiprocessing
from pathlib import Path

import pytest

import tokenyard as ty
from tokenyard.sweeps import _keep

S = ty.Scenario.preset("chat-4xh100").set("edits", []).set("run.max_requests", 40).set("run.warmup_s", 0)
AXES: dict[str, list[object]] = {"cluster.routing": ["random", "least-loaded"], "cluster.pools[0].replicas": [2, 4]}


def test_a_grid_has_all_combinations_and_each_case_its_digest() -> None:
    cases = list(ty.grid(S, AXES, seeds=[5, 6, 7]))
    assert len(cases) == 12 == len({case["case"] for case in cases})
    assert json.loads(cases[-1]["set"]) == {"cluster.routing": "least-loaded", "cluster.pools[0].replicas": 4, "seed": 7}
    assert cases == list(ty.grid(S, AXES, seeds=[5, 6, 7]))
    with pytest.raises(ty.ScenarioError):
        list(ty.grid(S, {"cluster.routing": ["no-such"]}))


def test_rows_are_the_same_with_threads_processes_and_a_folder(tmp_path: Path) -> None:
    cases = list(ty.grid(S, AXES, seeds=2))
    rows = ty.sweep(cases)
    assert rows == ty.sweep(iter(cases), out=tmp_path, jobs=3)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert rows == pool.map(ty.run_case, cases)
    assert rows[0]["report_digest"] == ty.Scenario.parse(cases[0]["scenario"]).run().digest
    assert rows[0]["cluster.routing"] == "random" and rows[0]["seed"] == "42"
    assert sorted(row["case"] for row in rows) == [row["case"] for row in ty.kept_rows(tmp_path)]


def test_a_sweep_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = list(ty.grid(S, seeds=6))
    rows = ty.sweep(cases[:4], out=tmp_path)
    before = {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()}
    (tmp_path / f".{cases[4]['case']}.part").write_text('{"case": "half', "utf-8")
    ran: list[str] = []
    real = _keep

    def kept(folder: Path, row: dict[str, object]) -> None:
        ran.append(str(row["case"]))
        real(folder, row)

    monkeypatch.setattr("tokenyard.sweeps._keep", kept)
    assert ty.sweep(cases, out=tmp_path)[:4] == rows
    assert ran == [case["case"] for case in cases[4:]]
    assert all(file.stat().st_mtime_ns == at for file, at in before.items())


def test_a_row_that_is_there_stays(tmp_path: Path) -> None:
    row = ty.run_case(next(ty.grid(S)), tmp_path)
    _keep(tmp_path, {**row, "requests": -1})
    assert ty.kept_rows(tmp_path) == [row]
    assert [file.name for file in tmp_path.iterdir()] == [f"{row['case']}.json"]


def test_an_error_of_a_case_ends_the_sweep(tmp_path: Path) -> None:
    cases = list(ty.grid(S, {"run.horizon_s": [240, 0], "run.max_requests": [0]}))
    with pytest.raises(ty.ScenarioError):
        ty.sweep(cases, out=tmp_path, jobs=2)
    assert len(ty.kept_rows(tmp_path)) <= 1
