"""Scenarios as values, and what is said of bad ones."""

import pickle
from pathlib import Path

import pytest

import tokenyard as ty


def test_a_scenario_is_a_value() -> None:
    s = ty.Scenario.preset("router-showdown")
    t = s.set("cluster.routing", "random")
    assert s != t and s["cluster.routing"] != "random" and t["cluster.routing"] == "random"
    assert len({s, t, s.set("seed", s.seed)}) == 2
    assert pickle.loads(pickle.dumps(t)) == t
    assert t.with_seed(7).seed == 7 == t.with_seed(7)["seed"]
    with pytest.raises(KeyError):
        s["cluster.pools[99].replicas"]


def test_every_way_in_leads_to_the_same_scenario(tmp_path: Path) -> None:
    s = ty.Scenario.preset("kv-pressure").set("seed", 11)
    (tmp_path / "s.yaml").write_text(s.to_yaml(), "utf-8")
    (tmp_path / "s.json").write_text(s.to_json(), "utf-8")
    assert ty.Scenario.load(tmp_path / "s.yaml") == s == ty.Scenario.load(tmp_path / "s.json")
    assert ty.Scenario.from_link(s.to_link()) == s == ty.Scenario.from_dict(s.to_dict())
    assert ty.Scenario.parse(s.to_yaml()).digest == s.digest


@pytest.mark.parametrize("name", ty.presets())
def test_every_preset_survives_yaml_and_can_run(name: str) -> None:
    s = ty.Scenario.preset(name)
    assert ty.Scenario.parse(s.to_yaml()) == s
    assert s.check() == []


def test_all_problems_are_said_at_once() -> None:
    text = "run: { horizon_s: long }\nsede: 7\ncluster: { routing: nearest }\n"
    with pytest.raises(ty.ScenarioError) as caught:
        ty.Scenario.parse(text)
    problems = caught.value.problems
    assert {problem.path for problem in problems} == {"run.horizon_s", "sede", "cluster.routing"}
    assert all(problem.found and problem.allowed and problem.severity == "error" for problem in problems)
    assert "seed" in next(problem.fix for problem in problems if problem.path == "sede")
    assert len(str(caught.value).splitlines()) == 3
    again = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(again, ty.ScenarioError) and again.problems == problems


@pytest.mark.parametrize("text", ["", "# nothing", "a: 1\n---\nb: 2\n", "{", "\0", "[]", "3", "cluster: [", "a: 1\na: 2\n"])
def test_no_text_panics(text: str) -> None:
    with pytest.raises(ty.ScenarioError) as caught:
        ty.Scenario.parse(text)
    assert caught.value.problems


def test_meaning_is_checked_when_a_run_starts() -> None:
    s = ty.Scenario.parse("{}").set("run.horizon_s", 0)
    assert [problem.severity for problem in s.check()] == ["error"]
    with pytest.raises(ty.ScenarioError):
        s.run()
    with pytest.raises(ty.ScenarioError):
        s.start()
    with pytest.raises(ty.ScenarioError):
        ty.run_case(next(ty.grid(s)))


def test_bad_names_say_what_is_allowed() -> None:
    with pytest.raises(ValueError, match="chat-4xh100"):
        ty.Scenario.preset("chat")
    with pytest.raises(ty.ScenarioError):
        ty.Scenario.from_link("#no-such-preset;a=1")
    with pytest.raises(ty.ScenarioError, match="path"):
        ty.Scenario.parse("{}").set("..", 1)
    with pytest.raises(FileNotFoundError):
        ty.Scenario.load("no-such-file.yaml")


def test_a_paste_accounts_for_every_key() -> None:
    made = ty.Scenario.from_paste("vllm serve meta-llama/Llama-3.1-8B-Instruct --max-num-seqs 96 --enable-lora")
    assert made.scenario["cluster.pools[0].engine.max_num_seqs"] == 96
    standing = {key["found"]: key["standing"] for key in made.keys}
    assert standing["--max-num-seqs 96"] == "exact"
    assert any("enable-lora" in key for key in standing)
    with pytest.raises(ty.ScenarioError):
        ty.Scenario.from_paste("nothing that is known")
    into = ty.Scenario.preset("router-showdown")
    assert ty.Scenario.from_paste("vllm serve x --max-num-seqs 96", into=into).scenario != into
