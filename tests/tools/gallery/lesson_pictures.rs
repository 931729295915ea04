//! Pictures of lessons: those of the cards of presets, and some that compare runs of a lesson.

use super::pictures::{
    DOTS, Draw, Look, Picture, SIDE, Shape, buckets, curves, draw, labelled, most, place, span, steps, words,
};
use super::rows::{Row, latencies, number, rows, text, within};
use base::math::ln;
use base::{Diagnostic, Diagnostics};
use document::{Scenario, parse};
use export::Table;
use study::lesson::Lesson;
use study::sweep::scale_traffic;

/// The runs of a picture and its kind. Names are of runs or scenarios of the lesson, or of presets.
#[derive(Clone, Copy, Debug)]
pub(super) enum Of {
    /// TTFT of each request in the first scenario that the lesson opens.
    First,
    /// A picture of one run.
    Run(&'static str, Draw),
    /// The duration of decode steps by the number of requests in them, of several runs together.
    StepTimes { of: &'static [&'static str], until_s: f64, caption: &'static str },
    /// The steps of the first replica in two runs, in one stretch of time.
    Steps { of: [&'static str; 2], from_s: f64, length_s: f64, caption: &'static str },
    /// p99 of TTFT against factors of the traffic.
    Load { of: &'static str, factors: &'static [f64], caption: &'static str, range: &'static str },
    /// Requests waiting over time in runs with names, each dashed or not.
    Waiting { of: &'static [(&'static str, &'static str, bool)], seconds: [f64; 2], caption: &'static str },
    /// The longest queue of any replica in runs with names.
    Longest { of: &'static [(&'static str, &'static str)], seconds: [f64; 2], caption: &'static str },
    /// A latency of two runs with names as distributions.
    Two {
        of: [(&'static str, &'static str); 2],
        latency: &'static str,
        seconds: [f64; 2],
        caption: &'static str,
    },
}

/// The scenario of the first step that has one, or of the first run.
pub(super) fn first_scenario(lesson: &Lesson) -> Result<Option<Scenario>, Diagnostics> {
    for step in 0..lesson.steps.len() {
        if let Some(text) = lesson.open_step(step)?.scenario {
            return parse(&text).map(Some);
        }
    }
    lesson.runs.keys().next().map(|run| lesson.scenario_named(run)).transpose()
}

/// Draws runs of a lesson.
pub(super) fn draw_of(lesson: &Lesson, of: &Of) -> Result<Picture, Diagnostics> {
    let named = |name: &str| lesson.scenario_named(name);
    match *of {
        Of::First => Ok(Picture::default()),
        Of::Run(name, content) => draw(&named(name)?, content),
        Of::StepTimes { of, until_s, caption } => {
            let mut all = Vec::new();
            for name in of {
                all.extend(rows(&named(name)?, Table::Events, until_s)?);
            }
            Ok(step_times(&all, caption))
        }
        Of::Steps { of, from_s, length_s, caption } => {
            let lane = |name: &str| -> Result<Picture, Diagnostics> {
                let all = rows(&named(name)?, Table::Events, from_s + length_s)?;
                Ok(steps(&all, [from_s, from_s], length_s))
            };
            Ok(one_below_the_other(lane(of[0])?, lane(of[1])?).titled(caption, format!("{length_s} s")))
        }
        Of::Load { of, factors, caption, range } => {
            Ok(load(&named(of)?, factors)?.titled(caption, range.to_owned()))
        }
        Of::Waiting { of, seconds, caption } => {
            let mut lines = Vec::new();
            for (name, label, dashed) in of {
                let all = rows(&named(name)?, Table::Series, seconds[1])?;
                let here = buckets(&all, None, seconds);
                let point = |(x, row): (u32, &_)| [f64::from(x), number(row, "waiting").unwrap_or(0.0)];
                lines.push((*label, *dashed, here.into_iter().map(point).collect()));
            }
            Ok(labelled(&lines).titled(caption, span(seconds, "")))
        }
        Of::Longest { of, seconds, caption } => {
            let mut found = Vec::new();
            for (name, label) in of {
                let all = rows(&named(name)?, Table::Series, seconds[1])?;
                let here = all.iter().filter(|row| number(row, "replica").is_some());
                let after = here.filter(|row| number(row, "bucket_start_us") >= Some(seconds[0] * 1e6));
                found.push((*label, most(after.filter_map(|row| number(row, "waiting")))));
            }
            Ok(longest(&found).titled(caption, span(seconds, "")))
        }
        Of::Two { of, latency, seconds, caption } => {
            let found = |name: &str| -> Result<Vec<f64>, Diagnostics> {
                let all = within(rows(&named(name)?, Table::Requests, seconds[1])?, seconds);
                Ok(latencies(all.iter(), latency))
            };
            let both = [found(of[0].0)?, found(of[1].0)?];
            Ok(curves(&both, [of[0].1, of[1].1]).titled(caption, String::new()))
        }
    }
}

/// The first lane of a picture over the second lane of another with the same shapes.
fn one_below_the_other(upper: Picture, lower: Picture) -> Picture {
    let merged = upper.shapes.into_iter().zip(lower.shapes).map(|(one, two)| match (one, two) {
        (Shape::Bars { lanes, bars, look }, Shape::Bars { bars: others, .. }) => {
            let bars = bars.into_iter().filter(|bar| bar[0] == 0);
            Shape::Bars {
                lanes,
                bars: bars.chain(others.into_iter().filter(|bar| bar[0] == 1)).collect(),
                look,
            }
        }
        (one, _) => one,
    });
    Picture { shapes: merged.collect(), ..Picture::default() }
}

fn step_times(all: &[Row], caption: &str) -> Picture {
    let mut found: Vec<[f64; 2]> = all
        .iter()
        .filter(|row| text(row, "event") == "step-started" && number(row, "prefill_tokens") <= Some(0.0))
        .filter_map(|row| Some([number(row, "decode_tokens")?, number(row, "duration_us")?]))
        .filter(|[batch, _]| *batch >= 1.0)
        .collect();
    found.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let most_batch = most(found.iter().map(|step| step[0])).max(2.0);
    let most_us = most(found.iter().map(|step| step[1]));
    let point =
        |[batch, us]: &[f64; 2]| [place(ln(*batch), 0.0, ln(most_batch)), place(*us, 0.0, 1.15 * most_us)];
    // One dot for each size of a batch, and at most every fourth pixel of a card.
    let mut points: Vec<[u32; 2]> = Vec::new();
    for step in &found {
        let at = point(step);
        if points.last().is_none_or(|last| at[0] >= last[0] + 1000 / DOTS as u32 * 2) {
            points.push(at);
        }
    }
    let top = format!("{:.0} ms", most_us / 1000.0);
    let shapes = vec![
        Shape::Line { points: points.clone(), look: Look::Plain },
        Shape::Dots { points, look: Look::Plain },
        words(0, place(1.0, 0.0, 1.15), &top),
    ];
    Picture { shapes, ..Picture::default() }.titled(caption, format!("batch 1 – {most_batch:.0}, log"))
}

fn load(scenario: &Scenario, factors: &[f64]) -> Result<Picture, Diagnostics> {
    let mut found = Vec::new();
    for factor in factors {
        let mut with = scenario.clone();
        scale_traffic(&mut with, *factor).map_err(|problem: Diagnostic| vec![problem])?;
        let seconds = [with.run.warmup_s, with.run.horizon_s];
        let all = within(rows(&with, Table::Requests, seconds[1])?, seconds);
        let ttft = latencies(all.iter(), "ttft_us");
        let p99 = ttft.get((ttft.len() * 99 / 100).min(ttft.len().saturating_sub(1))).copied();
        found.push([*factor, p99.unwrap_or(0.0)]);
    }
    let (low, high) = (found[0][0], most(found.iter().map(|point| point[0])));
    let slo_us = scenario.slo.ttft_ms * 1000.0;
    // The last point may be far above the others: the picture ends at three objectives.
    let top =
        most(found.iter().map(|point| point[1])).min(if slo_us > 0.0 { 3.0 * slo_us } else { f64::MAX });
    let points: Vec<[u32; 2]> =
        found.iter().map(|[x, us]| [place(*x, low, high), place(*us, 0.0, 1.1 * top)]).collect();
    let mut shapes = vec![
        Shape::Line { points: points.clone(), look: Look::Plain },
        Shape::Dots { points, look: Look::Plain },
    ];
    if slo_us > 0.0 && slo_us < top {
        shapes.insert(0, Shape::Level { y: place(slo_us, 0.0, 1.1 * top) });
    }
    Ok(Picture { shapes, ..Picture::default() })
}

/// Bars with their names before and their lengths behind them.
fn longest(found: &[(&str, f64)]) -> Picture {
    const LEFT: u32 = 360;
    const RIGHT: u32 = 880;
    let top = most(found.iter().map(|(_, n)| *n)).max(1.0);
    let lanes = found.len() as u32;
    let (mut bars, mut shapes) = (Vec::new(), Vec::new());
    for (lane, (name, n)) in (0..).zip(found) {
        let y = SIDE as u32 - (2 * lane + 1) * SIDE as u32 / 2 / lanes;
        let end = LEFT + place(*n, 0.0, top) * (RIGHT - LEFT) / SIDE as u32;
        bars.push([lane, LEFT, end]);
        shapes.push(words(0, y, name));
        shapes.push(words(SIDE as u32, y, &format!("{n:.0}")));
    }
    shapes.push(Shape::Bars { lanes, bars, look: Look::Waiting });
    Picture { shapes, ..Picture::default() }
}
