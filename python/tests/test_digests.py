"""The command line and Python give the same digests."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import tokenyard as ty

TEN = (Path(__file__).parents[2] / "tests" / "ten-presets.txt").read_text("utf-8").split()


def command_line() -> str | None:
    """The program that TOKENYARD_BIN names, or one that was built here."""
    named = os.environ.get("TOKENYARD_BIN")
    built = Path(os.environ.get("CARGO_TARGET_DIR", Path(__file__).parents[2] / "target"))
    candidates = [named, *(str(built / profile / "tokenyard") for profile in ("release", "debug"))]
    return next((found for found in candidates if found and shutil.which(found)), None)


@pytest.mark.parametrize("name", TEN)
def test_the_command_line_gives_the_same_digest(name: str) -> None:
    program = command_line()
    if program is None:
        pytest.skip("no command line here: build it, or name it with TOKENYARD_BIN")
    scenario = ty.Scenario.preset(name).set("edits", []).set("run.max_requests", 1000)
    edits = ["--set", "edits=[]", "--set", "run.max_requests=1000"]
    printed = subprocess.run([program, "digest", name, *edits], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == scenario.run().digest
    (case,) = ty.grid(scenario)
    assert ty.run_case(case)["report_digest"] == printed.strip()


@pytest.mark.parametrize("name", TEN)
def test_the_library_s_own_digests_hold_here(name: str) -> None:
    """A session, a run and a row are one run."""
    scenario = ty.Scenario.preset(name).set("edits", []).set("run.max_requests", 300)
    sim = scenario.start()
    sim.advance()
    (case,) = ty.grid(scenario)
    assert sim.digest == scenario.run().digest == ty.run_case(case)["report_digest"]
