"""A sweep under Dask with two workers, one of which is killed on the way: nothing is lost, nothing is run twice.

On a cluster the same runs as it is: ``Client(address)`` finds it, and ``out`` is a folder that all machines see.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import checked
import tokenyard as ty
from dask.distributed import Client, LocalCluster
from distributed.protocol.pickle import cloudpickle

# The workers get the functions of that file with the tasks.
cloudpickle.register_pickle_by_value(checked)


@contextmanager
def workers_of(workers: int) -> Iterator[checked.Run]:
    """A cluster with this number of workers; a task whose worker ends is given to another."""
    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        client.wait_for_workers(workers)

        def run(cases: list[ty.Case], out: str) -> None:
            done = client.gather(client.map(checked.work, checked.tasks(cases), out=out, retries=4))
            assert sum(done) == len(cases)

        yield run


def one_by_one(cases: list[ty.Case]) -> None:
    """A task for each case, known by its digest."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        futures = client.map(ty.run_case, cases, key=[case["case"] for case in cases])
        assert client.gather(futures) == ty.run_cases(cases)
        print(f"{len(cases)} rows, a task each")


def main() -> None:
    """Runs, kills, checks, measures."""
    asked = checked.arguments(__doc__ or "")
    cases = checked.small_cases(asked.cases)
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
    one_by_one(cases[:200])
    checked.measured("Dask", workers_of, asked.measured)


if __name__ == "__main__":
    main()
