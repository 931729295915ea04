"""A sweep under Ray with two workers, one of which is killed on the way: nothing is lost, nothing is run twice.

On a cluster the same runs as it is: ``ray.init()`` finds it, and ``out`` is a folder that all machines see.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import checked
import ray
import tokenyard as ty
from ray import cloudpickle

# The workers get the functions of that file with the tasks.
cloudpickle.register_pickle_by_value(checked)

some = ray.remote(max_retries=4)(checked.work)


@contextmanager
def workers_of(workers: int) -> Iterator[checked.Run]:
    """All cases in tasks, as many at a time as there are workers."""

    def run(cases: list[ty.Case], out: str) -> None:
        done = ray.get([some.options(num_cpus=2 // workers).remote(task, out) for task in checked.tasks(cases)])
        assert sum(done) == len(cases)

    yield run


def with_data(cases: list[ty.Case]) -> None:
    """The same function in Ray Data: a row for each case."""
    rows = ray.data.from_items(cases).map(ty.run_case).take_all()
    assert {row["case"] for row in rows} == {case["case"] for case in cases}
    assert sorted(row["report_digest"] for row in rows) == sorted(row["report_digest"] for row in ty.run_cases(cases))
    print(f"{len(rows)} rows by Ray Data")


def main() -> None:
    """Runs, kills, checks, measures."""
    asked = checked.arguments(__doc__ or "")
    cases = checked.small_cases(asked.cases)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    # Workers that have started, before any of them is measured.
    ray.get([some.remote([], "") for _ in range(8)])
    with workers_of(2) as run, tempfile.TemporaryDirectory() as out:
        # A daemon, so that a run that fails ends the program.
        killer = threading.Thread(
            target=lambda: print("killed worker", checked.kill_one_when_half_done(out, len(cases))), daemon=True
        )
        killer.start()
        run(cases, out)
        killer.join()
        checked.check(out, cases)
        checked.check_digests(run, asked.digests)
    with_data(cases[:200])
    checked.measured("Ray", workers_of, asked.measured)
    ray.shutdown()


if __name__ == "__main__":
    main()
