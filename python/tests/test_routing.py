"""Routers in Python."""

from collections.abc import Sequence

import numpy as np
import pytest

import tokenyard as ty

S = ty.Scenario.preset("router-showdown").set("edits", []).set("run.max_requests", 250)


class Fixed:
    """Always the same replica."""

    def __init__(self, to: int | None) -> None:
        self.to = to
        self.seen: list[ty.Request] = []

    def route(self, request: ty.Request, replicas: Sequence[ty.Replica]) -> int | None:
        assert len(replicas) == S["cluster.pools[0].replicas"]
        self.seen.append(request)
        return self.to

    def custom_metrics(self) -> dict[str, float]:
        return {"longest_prompt": max(request.prompt_tokens for request in self.seen)}


def test_a_router_decides_about_every_request() -> None:
    router = Fixed(2)
    run = ty.run_router(S, router)
    assert [request.number for request in router.seen] == list(range(250))
    assert set(run.requests["replica"][run.requests["state"] == "completed"]) == {2}
    assert run.custom_metrics["longest_prompt"] == run.requests["prompt_tokens"].max()
    assert (run.requests["prompt_tokens"] == [request.prompt_tokens for request in router.seen]).all()
    assert run.digest == ty.run_router(S, Fixed(2)).digest != S.run().digest


def test_a_router_that_says_nothing_changes_nothing() -> None:
    assert ty.run_router(S, Fixed(None)).digest == S.run().digest


def test_more_requests_than_edits_are_sent() -> None:
    s = S.set("run.max_requests", 1500)
    assert np.isin(ty.run_router(s, Fixed(1)).requests["replica"], [1]).all()


def test_a_bad_choice_raises_and_a_router_s_own_error_comes_through() -> None:
    with pytest.raises(ValueError, match="replica 99; allowed: below"):
        ty.run_router(S, Fixed(99))

    class Broken:
        def route(self, request: ty.Request, replicas: Sequence[ty.Replica]) -> int:
            raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        ty.run_router(S, Broken())


def test_a_steered_run_has_no_link() -> None:
    sim = S.start()
    assert sim.to_link() is not None
    sim.step("arrival")
    sim._core.send(0, 1)
    assert sim.to_link() is None
