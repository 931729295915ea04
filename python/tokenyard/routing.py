"""A router in Python: for trying an idea out.

It is slow, as Python is asked at every arrival, and its run has no link: nobody else can repeat it. Write what has proved its
worth as a scorer expression, which runs everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from .runs import Columns, Session
from .scenario import Scenario, TraceLike

__all__ = ["Replica", "Request", "RoutedRun", "Router", "run_router"]


class Request(NamedTuple):
    """What a router may know of a request; not how long its answer will be."""

    number: int
    """Its number, from 0 in order of arrival."""
    arrival_us: int
    """When it arrived."""
    prompt_tokens: int
    """The length of its prompt."""
    client: str
    """The name of its client."""
    tenant: str
    """The name of its tenant."""
    slo_class: str
    """The name of its SLO class."""


class Replica(NamedTuple):
    """A replica as it is when the request arrives."""

    number: int
    """Its number."""
    pool: int
    """The number of its pool."""
    serving: bool
    """Whether it takes requests."""
    waiting: int
    """Requests in its wait queue."""
    running: int
    """Requests in its batch."""
    in_flight: int
    """Requests sent there that have not left."""
    kv_used: int
    """KV blocks in use."""
    kv_total: int
    """KV blocks in all."""


@runtime_checkable
class Router(Protocol):
    """What decides where requests go. A method ``custom_metrics() -> dict[str, float]`` is asked at the end, if there is one."""

    def route(self, request: Request, replicas: Sequence[Replica]) -> int | None:
        """The number of the replica that gets the request; None leaves it to the scenario's router."""
        ...


class RoutedRun(NamedTuple):
    """A run with a router in Python."""

    report: dict[str, Any]
    """The report."""
    digest: str
    """The digest of its results."""
    custom_metrics: dict[str, float]
    """The metrics of the router's own."""
    requests: Columns
    """A row for each request."""


def run_router(
    scenario: Scenario, router: Router, *, seed: int | None = None, trace: TraceLike = None
) -> RoutedRun:
    """Runs a scenario with a router in Python, asked when each request arrives.

    A choice that cannot be followed, such as a replica that takes no requests, is left to the scenario's router, and a notice of
    the report (``not-sent``) says so.

    >>> import tokenyard as ty
    >>> class FewestTokens:
    ...     def __init__(self):
    ...         self.asked = 0
    ...     def route(self, request, replicas):
    ...         self.asked += 1
    ...         return min((r for r in replicas if r.serving), key=lambda r: (r.in_flight, r.number)).number
    ...     def custom_metrics(self):
    ...         return {"asked": self.asked}
    >>> s = ty.Scenario.preset("chat-4xh100").set("run.max_requests", 100)
    >>> run_router(s, FewestTokens()).custom_metrics
    {'asked': 100.0}
    """
    session: Session = scenario.start(seed=seed, trace=trace)
    core, seen = session._core, 0
    while not core.step("arrival"):
        arrived = core.arrived()
        for number in range(seen, arrived):
            asked, replicas = core.sight(number)
            chosen = router.route(Request(number, *asked), [Replica(*replica) for replica in replicas])
            if chosen is not None:
                core.send(number, chosen)
        seen = arrived
    own: Mapping[str, float] = getattr(router, "custom_metrics", dict)()
    metrics = {str(name): float(value) for name, value in own.items()}
    return RoutedRun(session.report(), session.digest, metrics, session.requests())
