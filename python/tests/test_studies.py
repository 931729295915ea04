"""Comparisons, capacity, questions."""

import pytest

import tokenyard as ty

S = ty.Scenario.preset("router-showdown").set("edits", []).set("run.horizon_s", 15).set("run.warmup_s", 2)


def test_threads_change_no_comparison() -> None:
    b = S.set("cluster.routing", "least-loaded")
    one, two = (ty.compare(S, b, seeds=3, jobs=jobs) for jobs in (1, 3))
    assert one == two
    assert one["seeds"] == ["11", "12", "13"] and one["paired"]
    same = ty.compare(S, S)
    assert same["metrics"]["e2e_ms"]["p99"]["diff"] == 0


def test_capacity_takes_objectives_and_refuses_bad_ones() -> None:
    s = S.set("cluster.pools[0].replicas", 1)
    found = ty.capacity(s, ttft_ms=400, share=0.9, seeds=2, jobs=2)
    assert found["end"] == "found" and found["lo"] <= found["rate_per_s"] <= found["hi"]
    with pytest.raises(ty.ScenarioError) as caught:
        ty.capacity(s, ttft_ms=-1, tpot_ms=-2, share=3)
    assert len(caught.value.problems) == 3


def test_what_if_names_every_replica_and_explain_the_slow() -> None:
    found = ty.what_if(S, 40)
    assert len(found["alternatives"]) == S["cluster.pools[0].replicas"]
    one = ty.what_if(S, 40, to=1, until_s=10)
    assert one["until_us"] == 10_000_000
    with pytest.raises(ty.ScenarioError, match="request"):
        ty.what_if(S, 10**6)
    assert ty.explain(S, {"time": "ttft", "above": 90})["slow_words"]
    with pytest.raises(ValueError, match="no-such"):
        ty.explain(S, {"no-such": 1})


def test_an_oracle_of_eviction_has_no_regret_and_needs_prefix_caching() -> None:
    order = "cluster.pools[0].kv.eviction_order"
    found = ty.regret(S)
    assert found["oracle_has"] == [f"{order}=belady"] and found["own"]["prompt_blocks"] > 0
    assert ty.regret(S.set(order, "belady"))["block_regret"] == 0
    with pytest.raises(ty.ScenarioError, match="prefix"):
        ty.regret(S.set("cluster.pools[0].kv.prefix_caching", False))
