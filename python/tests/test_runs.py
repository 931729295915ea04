"""Runs, sessions and their rows."""

import csv
import gzip
import io
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import tokenyard as ty

SMALL = ty.Scenario.preset("chat-4xh100").set("run.max_requests", 300).set("run.warmup_s", 1).set("edits", [])


def test_rows_agree_with_the_report() -> None:
    r = SMALL.run()
    rows = r.requests()
    assert {len(column) for column in rows.values()} == {300}
    assert rows["arrival_us"].dtype == np.int64 and rows["state"].dtype == object
    assert (np.diff(rows["arrival_us"]) >= 0).all()
    measured = rows["measured"].astype(bool)
    ttft = rows["ttft_us"][measured]
    assert np.quantile(ttft[np.isfinite(ttft)], 0.99) / 1000 == pytest.approx(r.report["latency_ms"]["ttft"]["p99"])
    assert (rows["state"] == "completed").sum() == r.report["requests"]["completed"]
    assert r.report["run"]["seed"] == 42 and r.digest == SMALL.run().digest != SMALL.run(seed=43).digest


def test_series_decisions_and_events() -> None:
    r = SMALL.run()
    series = r.series()
    cluster = np.isnan(series["replica"])
    assert np.nansum(series["arrived"][cluster]) == 300
    kv = r.series("kv-use")
    assert list(kv)[:2] == ["t_s", "r0"] and kv["r0"].dtype == np.float64
    decisions = r.decisions(candidates=2)
    assert decisions["chosen"].dtype == bool and decisions["chosen"].sum() == 300
    assert set(decisions["pool"]) == {SMALL["cluster.pools[0].name"]}
    assert "arrived" in set(r.table("events")["event"])
    scaling = r.table("scaling")
    assert "decision" in scaling and all(len(column) == 0 for column in scaling.values())
    with pytest.raises(ValueError, match="kv-use"):
        r.series("no-such")
    with pytest.raises(ValueError, match="scaling"):
        r.table("no-such")
    with pytest.raises(ValueError, match="allowed"):
        r.decisions(10**6)


def test_rows_become_frames() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame(SMALL.run().requests())
    assert frame.shape[0] == 300 and frame["ttft_us"].notna().any()


def test_a_session_is_the_run_however_it_is_sliced() -> None:
    sim = SMALL.start()
    while not sim.advance(until_s=sim.now_s + 0.7):
        assert sim.report()["requests"]["conserved"]
    assert sim.digest == SMALL.run().digest
    assert sim.ended and len(sim.requests()["request"]) == 300


def test_an_edit_in_a_session_is_an_edit_of_the_scenario() -> None:
    sim = SMALL.start()
    sim.advance(until_s=5)
    assert sim.apply({"set": {"cluster.pools[0].replicas": 6}}) == []
    with pytest.raises(ty.ScenarioError, match="replicas"):
        sim.apply({"set": {"cluster.pools[0].replicas": -1}})
    sim.advance()
    assert len(sim.report()["replicas"]) == 6
    again = sim.scenario()
    assert again["edits[0].at_us"] == 5_000_000
    assert again.run().digest == sim.digest
    link = sim.to_link()
    assert link is not None and ty.Scenario.from_link(link).run().digest == sim.digest
    assert sim.frame()["replicas"]


def test_steps() -> None:
    sim = SMALL.start()
    assert not sim.step("arrival") and sim.report()["requests"]["arrived"] == 1
    assert not sim.step("completion") and sim.report()["requests"]["completed"] == 1
    sim.advance(until_s=5)
    assert sim.series("throughput")["t_s"].size >= 1
    with pytest.raises(ValueError, match="completion"):
        sim.step("nothing")


def test_a_trace_is_replayed(tmp_path: Path) -> None:
    lines = "\n".join(f'{{"timestamp": {250 * i}, "input_length": {100 + i}, "output_length": 20}}' for i in range(40))
    (tmp_path / "t.jsonl").write_text(lines, "utf-8")
    (tmp_path / "t.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    s = ty.Scenario.parse("{}").set("run.horizon_s", 0).set("run.warmup_s", 0)
    s = s.set("workload.clients", []).set("workload.trace", {"file": "t.jsonl"})
    by_path = s.run(trace=tmp_path / "t.jsonl")
    assert len(by_path.requests()["request"]) == 40
    packed = ty.Trace.load(tmp_path / "t.jsonl.gz")
    assert len(packed) == 40 and packed.summary["requests"] == 40
    assert s.run(trace=packed).digest == by_path.digest
    # Beside the file of the scenario it is found by its name.
    (tmp_path / "s.yaml").write_text(s.to_yaml(), "utf-8")
    assert ty.Scenario.load(tmp_path / "s.yaml").run().digest == by_path.digest
    (tmp_path / "bad.jsonl").write_text("nothing\n", "utf-8")
    with pytest.raises(ty.ScenarioError):
        ty.Trace.load(tmp_path / "bad.jsonl")
    (case,) = ty.grid(s, trace=tmp_path / "t.jsonl")
    assert ty.run_case(case)["report_digest"] == by_path.digest


def test_other_threads_run_meanwhile() -> None:
    s = SMALL.set("run.max_requests", 20_000)
    turns = 0
    done = threading.Event()

    def count() -> None:
        nonlocal turns
        while not done.is_set():
            turns += 1
            time.sleep(0.001)

    other = threading.Thread(target=count)
    other.start()
    s.run()
    done.set()
    other.join()
    assert turns > 20


@pytest.mark.parametrize("what", ["s.run()", "s.start().advance()", "ty.run_case(next(ty.grid(s)))"])
def test_ctrl_c_ends_a_run(what: str) -> None:
    code = (
        # A program in the background of a shell begins with the signal ignored.
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import tokenyard as ty\n"
        "s = ty.Scenario.preset('chat-4xh100').set('edits', []).set('run.horizon_s', 50_000)\n"
        "print('begun', flush=True)\n"
        f"try:\n    {what}\nexcept KeyboardInterrupt:\n    print('ended')\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "begun\n"
        time.sleep(0.3)
        running.send_signal(signal.SIGINT)
        assert running.stdout.read() == "ended\n"
    assert running.returncode == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_run_in_a_fork_says_so_and_does_not_hang() -> None:
    sim = SMALL.start()
    child = os.fork()
    if child == 0:
        try:
            sim.advance()
            os._exit(1)
        except RuntimeError as error:
            os._exit(0 if "process" in str(error) else 2)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


def test_html_has_figures_and_one_picture_and_no_script() -> None:
    r = SMALL.set("title", "<b>1 & 2").run()
    html = r._repr_html_()
    assert html.count("<svg") == 1 and "<script" not in html and "&lt;b&gt;1 &amp; 2" in html
    assert f"{r.report['latency_ms']['ttft']['p99']:,.1f}" in html
    assert SMALL["title"].replace("&", "&amp;") in SMALL._repr_html_()
    page = r.to_html()
    assert page.startswith("<!") and "</html>" in page


def test_csv_of_the_columns_is_the_file_of_the_command_line() -> None:
    """Names of the columns are those that docs/reference/output.md lists."""
    rows = SMALL.run().requests()
    text = io.StringIO()
    csv.writer(text).writerow(rows)
    assert text.getvalue().startswith("request,name,client,tenant,slo_class,session,pool,replica,state")
