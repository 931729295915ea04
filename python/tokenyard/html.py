"""Runs and scenarios as HTML for notebooks: figures and one chart, no script."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._core import PERCENTILES

if TYPE_CHECKING:
    from .runs import Run
    from .scenario import Scenario

__all__ = ["run_html", "scenario_html"]

WIDTH, HEIGHT, LEFT, BOTTOM = 560.0, 150.0, 56.0, 128.0
# The first and the last percentile over time, with their inks.
LINES = [(PERCENTILES[0], "#2a6fb0"), (PERCENTILES[-1], "#b0472a")]


def _ms(figures: dict[str, Any] | None, name: str) -> str:
    value = (figures or {}).get(name)
    return "–" if value is None else f"{value:,.1f}"


def _table(rows: list[list[str]]) -> str:
    head, *body = rows
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    rest = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in body)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{rest}</tbody></table>"


def _nice(largest: float) -> float:
    """The next of 1, 2 and 5 times a power of ten that is no smaller."""
    power = 10.0 ** math.floor(math.log10(largest)) if largest > 0 else 1.0
    return next((k * power for k in (1.0, 2.0, 5.0, 10.0) if k * power >= largest), largest)


def _path(times: npt.NDArray[np.float64], values: npt.NDArray[np.float64], end: float, top: float) -> str:
    parts: list[str] = []
    drawn = False
    for t, value in zip(times.tolist(), values.tolist(), strict=True):
        if not math.isfinite(value):
            drawn = False
            continue
        x = LEFT + t / end * (WIDTH - LEFT - 8.0)
        y = BOTTOM - value / top * (BOTTOM - 8.0)
        parts.append(f"{'L' if drawn else 'M'}{x:.1f} {y:.1f}")
        drawn = True
    return "".join(parts)


def ttft_svg(run: Run) -> str:
    """The time to first token over time, median and 99th percentile."""
    found = run.series("ttft-over-time")
    times = found["t_s"]
    curves = [found[f"{name}_ms"] for name, _ in LINES]
    known = [curve[np.isfinite(curve)] for curve in curves]
    largest = max((float(values.max()) for values in known if values.size), default=0.0)
    if largest <= 0.0:
        return ""
    end, top = max(float(times.max()), 1e-6), _nice(largest)
    shown = " and ".join(name for name, _ in LINES)
    said = f"TTFT over {end:,.0f} s: {shown} in ms; largest value {largest:,.0f} ms"
    parts = [
        f'<svg viewBox="0 0 {WIDTH:g} {HEIGHT:g}" width="{WIDTH:g}" role="img" aria-label="{escape(said)}" '
        'font-family="sans-serif" font-size="11" fill="currentColor">'
    ]
    for share in (0.0, 0.5, 1.0):
        y = BOTTOM - share * (BOTTOM - 8.0)
        parts.append(f'<path d="M{LEFT:g} {y:g}H{WIDTH - 8:g}" stroke="currentColor" stroke-opacity=".2"/>')
        parts.append(f'<text x="{LEFT - 6:g}" y="{y + 4:g}" text-anchor="end">{share * top:,.6g}</text>')
    for curve, (_, colour) in zip(curves, LINES, strict=True):
        path = _path(times, curve, end, top)
        parts.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
    for i, (label, colour) in enumerate(LINES):
        parts.append(f'<text x="{LEFT + 8 + 36 * i:g}" y="{HEIGHT - 6:g}" fill="{colour}">{label}</text>')
    parts.append(f'<text x="{WIDTH - 8:g}" y="{HEIGHT - 6:g}" text-anchor="end">TTFT in ms, 0 to {end:,.0f} s</text></svg>')
    return "".join(parts)


def run_html(run: Run) -> str:
    """The key figures of a run, and its TTFT over time."""
    report = run.report
    requests, latency = report["requests"], report["latency_ms"]
    rows = [["ms", "mean", *PERCENTILES]]
    for key, name in [("ttft", "TTFT"), ("itl", "ITL"), ("e2e", "E2E"), ("queue_wait", "queue wait")]:
        figures = latency.get(key)
        rows.append([name, *(_ms(figures, figure) for figure in ("mean", *PERCENTILES))])
    counts = f"{requests['arrived']:,} requests arrived, {requests['completed']:,} completed"
    verdict = report.get("verdict", {}).get("text", "")
    notices = "".join(f"<li>{escape(notice['text'])}</li>" for notice in report.get("notices", []))
    return (
        f"<div><b>{escape(report['title'] or 'Run')}</b> <code>{run.digest}</code><br>{counts}. {escape(verdict)}"
        f"{_table(rows)}{ttft_svg(run)}{f'<ul>{notices}</ul>' if notices else ''}</div>"
    )


def scenario_html(scenario: Scenario) -> str:
    """The pools, the router and the clients of a scenario."""
    document = scenario.to_dict()
    cluster, workload = document["cluster"], document["workload"]
    rows = [["pool", "replicas", "model", "GPU"]]
    for pool in cluster["pools"]:
        rows.append([str(pool.get(key, "")) for key in ("name", "replicas", "model", "gpu")])
    routing = cluster["routing"]
    router = routing if isinstance(routing, str) else ", ".join(routing)
    clients = len(workload.get("clients", []))
    about = f"router {router}; {clients} client{'' if clients == 1 else 's'}; seed {scenario.seed}"
    return (
        f"<div><b>{escape(document['title'] or 'Scenario')}</b> <code>{scenario.digest}</code><br>"
        f"{escape(about)}{_table(rows)}</div>"
    )
