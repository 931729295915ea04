"""Problems of input: where, what was found, what is allowed, how to fix it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["Problem", "ScenarioError"]


class Problem(NamedTuple):
    """One problem of an input.

    >>> print(Problem("error", "run.horizon_s", "-1", "0 to 2,592,000", "use 0 for no horizon"))
    error: run.horizon_s: -1; allowed: 0 to 2,592,000; use 0 for no horizon
    """

    severity: str
    """``error`` or ``warning``."""
    path: str
    """The field, such as ``cluster.pools[0].replicas``; empty for the whole input."""
    found: str
    """What stands there."""
    allowed: str
    """What may stand there."""
    fix: str
    """What to do."""

    def __str__(self) -> str:
        text = f"{self.severity}: "
        if self.path:
            text += f"{self.path}: "
        text += self.found
        if self.allowed:
            text += f"; allowed: {self.allowed}"
        return f"{text}; {self.fix}" if self.fix else text


class ScenarioError(ValueError):
    """An input that cannot be used, with all of its problems at once.

    >>> import tokenyard as ty
    >>> try:
    ...     ty.Scenario.parse('{"run": {"horizon_s": "long"}, "sed": 1}')
    ... except ty.ScenarioError as error:
    ...     for problem in error.problems:
    ...         print(problem.path)
    run.horizon_s
    sed
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: list[Problem] = list(problems)
        super().__init__(self.problems)

    @classmethod
    def of(cls, problems: Iterable[tuple[str, str, str, str, str]]) -> ScenarioError:
        """From problems as the simulator has them."""
        return cls(Problem(*problem) for problem in problems)

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)
