//! Small pictures of a run, as shapes in a square of 1,000 by 1,000 whose origin is at the bottom left.
//!
//! They are made from the rows that a run writes for other programs, and contain nothing else.

use super::rows::{Row, inside, latencies, number, of_client, rows, text, within};
use base::Diagnostics;
use base::math::ln;
use document::{Scenario, from_value, set_path};
use export::Table;
use serde::Serialize;
use serde_json::Value;
use ts_rs::TS;

/// The side of the square.
pub(super) const SIDE: f64 = 1000.0;
/// Most dots of a picture; of more only every second or third is drawn.
pub(super) const DOTS: usize = 240;
/// Steps of a distribution.
const STEPS: usize = 50;
/// Columns of a map over time.
const COLUMNS: usize = 60;

/// The content of a picture: the part of a run, in seconds, and the kind of drawing.
#[derive(Clone, Copy, Debug)]
pub(super) enum Draw {
    /// A latency of each request, of one client or of all, by arrival; on a logarithmic scale.
    Dots { of: &'static str, client: &'static str, seconds: [f64; 2], caption: &'static str },
    /// Requests waiting on each replica over time.
    Queues { seconds: [f64; 2], caption: &'static str },
    /// Requests waiting on each replica at two instants.
    Grids { at_s: [f64; 2], caption: &'static str },
    /// KV blocks of a replica in use, and preemptions.
    Blocks { replica: u64, seconds: [f64; 2], caption: &'static str },
    /// Counts per second, each dashed or not.
    Rates { seconds: [f64; 2], caption: &'static str, lines: &'static [(&'static str, bool)] },
    /// Arrivals per second of two clients.
    Arrivals { clients: [&'static str; 2], seconds: [f64; 2], caption: &'static str },
    /// The steps of the first replica in two stretches of time.
    Steps { windows: [f64; 2], length_s: f64, caption: &'static str },
    /// The segments of some requests.
    Lives { from: usize, every: usize, count: usize, seconds: [f64; 2], caption: &'static str },
    /// Admitted and refused requests of each client.
    Admitted { seconds: [f64; 2], caption: &'static str },
    /// A latency in two pools as distributions.
    Pools { of: &'static str, seconds: [f64; 2], names: [&'static str; 2], caption: &'static str },
    /// TTFT of the scenario, and with another value of a field, as distributions.
    Against {
        path: &'static str,
        value: &'static str,
        names: [&'static str; 2],
        seconds: [f64; 2],
        caption: &'static str,
    },
}

/// A picture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, TS)]
pub(crate) struct Picture {
    /// The caption.
    pub(crate) caption: String,
    /// The range shown.
    pub(crate) range: String,
    /// Its shapes, the first at the back.
    pub(crate) shapes: Vec<Shape>,
}

/// The look of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Look {
    /// The run itself.
    Plain,
    /// The run compared with.
    Dashed,
    /// It missed an objective, or was refused.
    Missed,
    /// Waiting.
    Waiting,
    /// Prefill of a whole prompt.
    Prefill,
    /// Prefill in chunks, with other requests in the step.
    Chunk,
    /// Decoding.
    Decode,
}

/// A part of a picture.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Shape {
    /// A line through points.
    Line {
        /// x and y of each.
        points: Vec<[u32; 2]>,
        /// Its look.
        look: Look,
    },
    /// Dots at points.
    Dots {
        /// x and y of each.
        points: Vec<[u32; 2]>,
        /// Their look.
        look: Look,
    },
    /// A map: a digit from 0 to 9 for each cell, row by row from the top.
    Cells {
        /// Left and right edge.
        x: [u32; 2],
        /// Cells in a row.
        columns: u32,
        /// The digits.
        digits: String,
    },
    /// Bars on lanes, counted from the top.
    Bars {
        /// Number of lanes.
        lanes: u32,
        /// Lane, begin and end of each.
        bars: Vec<[u32; 3]>,
        /// Their look.
        look: Look,
    },
    /// A line across, at a height.
    Level {
        /// The height.
        y: u32,
    },
    /// A label, at the side with free space.
    Words {
        /// Where the label begins, or ends in the right half.
        at: [u32; 2],
        /// The text.
        text: String,
    },
}

/// Draws a run.
pub(super) fn draw(scenario: &Scenario, draw: Draw) -> Result<Picture, Diagnostics> {
    let run = |table, until_s| rows(scenario, table, until_s);
    let ttft_ms = scenario.slo.ttft_ms;
    Ok(match draw {
        Draw::Dots { of, client, seconds, caption } => {
            let of_all = run(Table::Requests, seconds[1] + 20.0)?;
            let objective = if of == "ttft_us" { ttft_ms } else { 0.0 };
            dots(&of_client(of_all, client), of, seconds, objective).titled(caption, span(seconds, "log"))
        }
        Draw::Queues { seconds, caption } => {
            queues(&run(Table::Series, seconds[1])?, seconds).titled(caption, span(seconds, ""))
        }
        Draw::Grids { at_s, caption } => {
            let two = [run(Table::Series, at_s[0])?, run(Table::Series, at_s[1])?];
            grids(&two).titled(caption, format!("{} s, {} s", at_s[0], at_s[1]))
        }
        Draw::Blocks { replica, seconds, caption } => {
            blocks(&run(Table::Series, seconds[1])?, replica, seconds)
                .titled(caption, span(seconds, "0 – 100 %"))
        }
        Draw::Rates { seconds, caption, lines } => {
            rates(&run(Table::Series, seconds[1])?, lines, seconds).titled(caption, span(seconds, ""))
        }
        Draw::Arrivals { clients, seconds, caption } => {
            arrivals(&run(Table::Requests, seconds[1])?, clients, seconds).titled(caption, span(seconds, ""))
        }
        Draw::Steps { windows, length_s, caption } => {
            let found = run(Table::Events, windows[1] + length_s)?;
            steps(&found, windows, length_s).titled(caption, format!("{length_s} s each"))
        }
        Draw::Lives { from, every, count, seconds, caption } => {
            let all = run(Table::Requests, seconds[1] + 20.0)?;
            let some: Vec<Row> = all.into_iter().skip(from).step_by(every).take(count).collect();
            lives(&some, seconds).titled(caption, span(seconds, ""))
        }
        Draw::Admitted { seconds, caption } => {
            admitted(&run(Table::Requests, seconds[1])?, scenario, seconds).titled(caption, span(seconds, ""))
        }
        Draw::Pools { of, seconds, names, caption } => {
            let all = within(run(Table::Requests, seconds[1])?, seconds);
            let of_pool = |name: &str| latencies(all.iter().filter(|row| text(row, "pool") == name), of);
            curves(&[of_pool(names[0]), of_pool(names[1])], names).titled(caption, String::new())
        }
        Draw::Against { path, value, names, seconds, caption } => {
            let mut other = base::json::tree(scenario);
            set_path(&mut other, path, value).expect("a field of the preset");
            let other: Scenario = from_value(other)?;
            let of = |scenario: &Scenario| -> Result<Vec<f64>, Diagnostics> {
                let all = within(rows(scenario, Table::Requests, seconds[1])?, seconds);
                Ok(latencies(all.iter(), "ttft_us"))
            };
            curves(&[of(scenario)?, of(&other)?], names).titled(caption, String::new())
        }
    })
}

impl Picture {
    /// Adds the captions, after the range from [`curves`].
    pub(super) fn titled(mut self, caption: &str, range: String) -> Self {
        caption.clone_into(&mut self.caption);
        if !range.is_empty() {
            self.range = range;
        }
        self
    }
}

pub(super) fn span(seconds: [f64; 2], scale: &str) -> String {
    let comma = if scale.is_empty() { "" } else { ", " };
    format!("{scale}{comma}{} – {} s", seconds[0], seconds[1])
}

/// The coordinate of a value between two others.
pub(super) fn place(value: f64, low: f64, high: f64) -> u32 {
    let share = if high > low { (value - low) / (high - low) } else { 0.0 };
    (share.clamp(0.0, 1.0) * SIDE).round() as u32
}

pub(super) fn most(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, f64::max)
}

pub(super) fn words(x: u32, y: u32, text: &str) -> Shape {
    Shape::Words { at: [x, y], text: text.to_owned() }
}

fn dots(rows: &[Row], of: &str, seconds: [f64; 2], objective_ms: f64) -> Picture {
    let found: Vec<(f64, f64, bool)> = rows
        .iter()
        .filter_map(|row| {
            let at_s = number(row, "arrival_us")? / 1e6;
            let missed = row.get("slo_met") == Some(&Value::Bool(false));
            Some((at_s, number(row, of)?, missed)).filter(|(at_s, us, _)| inside(*at_s, seconds) && *us > 0.0)
        })
        .collect();
    let every = found.len().div_ceil(DOTS).max(1);
    let low = found.iter().fold(f64::MAX, |low, (_, us, _)| low.min(*us));
    let (low, high) = (ln(low.min(1e9)), ln(most(found.iter().map(|(_, us, _)| *us)).max(1.0)));
    let of_look = |wanted: bool| -> Vec<[u32; 2]> {
        let some = found.iter().step_by(every).filter(|(.., missed)| *missed == wanted);
        some.map(|(at_s, us, _)| [place(*at_s, seconds[0], seconds[1]), place(ln(*us), low, high)]).collect()
    };
    let mut shapes = vec![
        Shape::Dots { points: of_look(false), look: Look::Plain },
        Shape::Dots { points: of_look(true), look: Look::Missed },
    ];
    if objective_ms > 0.0 && ln(objective_ms * 1000.0) < high {
        shapes.insert(0, Shape::Level { y: place(ln(objective_ms * 1000.0), low, high) });
    }
    Picture { shapes, ..Picture::default() }
}

/// A digit for each value, on one scale.
fn digits(values: &[f64], top: f64) -> String {
    values.iter().map(|v| char::from(b'0' + (9.0 * v / top.max(1.0)).ceil().min(9.0) as u8)).collect()
}

fn queues(rows: &[Row], seconds: [f64; 2]) -> Picture {
    let mut by_replica: Vec<Vec<f64>> = Vec::new();
    for row in rows {
        let (Some(at_us), Some(replica)) = (number(row, "bucket_start_us"), number(row, "replica")) else {
            continue;
        };
        if !inside(at_us / 1e6, seconds) {
            continue;
        }
        let (replica, x) = (replica as usize, place(at_us / 1e6, seconds[0], seconds[1]) as usize);
        by_replica.resize(by_replica.len().max(replica + 1), vec![0.0; COLUMNS]);
        let column = &mut by_replica[replica][x * COLUMNS / (SIDE as usize + 1)];
        *column = column.max(number(row, "waiting").unwrap_or(0.0));
    }
    let values: Vec<f64> = by_replica.iter().flatten().copied().collect();
    let top = most(values.iter().copied());
    let cells = Shape::Cells { x: [0, SIDE as u32], columns: COLUMNS as u32, digits: digits(&values, top) };
    Picture { shapes: vec![cells], ..Picture::default() }
}

fn grids(two: &[Vec<Row>; 2]) -> Picture {
    let waiting = |rows: &Vec<Row>| -> Vec<f64> {
        let last = most(rows.iter().filter_map(|row| number(row, "bucket_start_us")));
        let here = rows.iter().filter(|row| number(row, "bucket_start_us").is_some_and(|us| us >= last));
        here.filter(|row| number(row, "replica").is_some()).filter_map(|row| number(row, "waiting")).collect()
    };
    let both = [waiting(&two[0]), waiting(&two[1])];
    let top = most(both.iter().flatten().copied());
    let cells = |values: &[f64], x| Shape::Cells { x, columns: 16, digits: digits(values, top) };
    Picture { shapes: vec![cells(&both[0], [0, 480]), cells(&both[1], [520, 1000])], ..Picture::default() }
}

/// The buckets of the cluster, or of a replica, between two instants, with the place of each.
pub(super) fn buckets(rows: &[Row], replica: Option<f64>, seconds: [f64; 2]) -> Vec<(u32, &Row)> {
    let here = |row: &&Row| number(row, "replica") == replica;
    let placed = |row| {
        let at_s = number(row, "bucket_start_us")? / 1e6;
        inside(at_s, seconds).then(|| (place(at_s, seconds[0], seconds[1]), row))
    };
    rows.iter().filter(here).filter_map(placed).collect()
}

fn blocks(rows: &[Row], replica: u64, seconds: [f64; 2]) -> Picture {
    let of_replica = buckets(rows, Some(replica as f64), seconds);
    let points = of_replica
        .iter()
        .map(|(x, row)| [*x, place(number(row, "kv_usage").unwrap_or(0.0), 0.0, 1.08)])
        .collect();
    let preempted = buckets(rows, None, seconds).into_iter();
    let lost =
        preempted.filter(|(_, row)| number(row, "preemptions") > Some(0.0)).map(|(x, _)| [x, SIDE as u32]);
    let shapes = vec![
        Shape::Line { points, look: Look::Plain },
        Shape::Dots { points: lost.collect(), look: Look::Missed },
    ];
    Picture { shapes, ..Picture::default() }
}

fn rates(rows: &[Row], lines: &[(&'static str, bool)], seconds: [f64; 2]) -> Picture {
    let all = buckets(rows, None, seconds);
    let of = |name: &str, row: &Row| {
        let n = |key| number(row, key).unwrap_or(0.0);
        let count = match name {
            "arrived" => n("arrived"),
            "preempted" => n("preemptions"),
            "in time" => n("completed") - n("slo_missed"),
            _ => n("completed"),
        };
        count * 1e6 / n("bucket_width_us").max(1.0)
    };
    // The mean of five buckets, to smooth out noise.
    let smooth = |name: &str| -> Vec<[f64; 2]> {
        let mean = |part: &[(u32, &Row)]| {
            let sum: f64 = part.iter().map(|(_, row)| of(name, row)).sum();
            [f64::from(part[part.len() / 2].0), sum / part.len() as f64]
        };
        all.windows(5).map(mean).collect()
    };
    let lines: Vec<(&str, bool, Vec<[f64; 2]>)> =
        lines.iter().map(|(name, dashed)| (*name, *dashed, smooth(name))).collect();
    labelled(&lines)
}

/// Lines with their names where they end, all on one scale from 0.
pub(super) fn labelled(lines: &[(&str, bool, Vec<[f64; 2]>)]) -> Picture {
    let top = 1.15 * most(lines.iter().flat_map(|(.., points)| points.iter().map(|p| p[1])));
    let mut shapes = Vec::new();
    for (name, dashed, points) in lines {
        let points: Vec<[u32; 2]> = points.iter().map(|p| [p[0] as u32, place(p[1], 0.0, top)]).collect();
        let highest = points.iter().max_by_key(|p| p[1]).copied().unwrap_or_default();
        shapes.push(words(highest[0], highest[1], name));
        shapes.push(Shape::Line { points, look: if *dashed { Look::Dashed } else { Look::Plain } });
    }
    Picture { range: String::new(), shapes, caption: String::new() }
}

fn arrivals(rows: &[Row], clients: [&'static str; 2], seconds: [f64; 2]) -> Picture {
    let width_s = (seconds[1] - seconds[0]) / COLUMNS as f64;
    let of = |client: &str| -> Vec<[f64; 2]> {
        let mut counts = [0.0; COLUMNS];
        for row in rows.iter().filter(|row| text(row, "client") == client) {
            let at_s = number(row, "arrival_us").unwrap_or(0.0) / 1e6;
            if inside(at_s, seconds) {
                counts[((at_s - seconds[0]) / width_s) as usize % COLUMNS] += 1.0;
            }
        }
        let x = |i: usize| (i as f64 + 0.5) / COLUMNS as f64 * SIDE;
        counts.iter().enumerate().map(|(i, n)| [x(i), n / width_s]).collect()
    };
    labelled(&[(clients[0], true, of(clients[0])), (clients[1], false, of(clients[1]))])
}

pub(super) fn steps(rows: &[Row], windows: [f64; 2], length_s: f64) -> Picture {
    let mut bars: [Vec<[u32; 3]>; 3] = Default::default();
    for (lane, from_s) in (0..).zip(windows) {
        let here = [from_s, from_s + length_s];
        for row in rows.iter().filter(|row| text(row, "event") == "step-started") {
            let (Some(at_us), Some(took_us)) = (number(row, "time_us"), number(row, "duration_us")) else {
                continue;
            };
            if !inside(at_us / 1e6, here) {
                continue;
            }
            let kind = match number(row, "prefill_tokens").unwrap_or(0.0) as u64 {
                0 => 2,
                1..=2048 => 1,
                _ => 0,
            };
            let end = place((at_us + took_us) / 1e6, here[0], here[1]);
            let begin = place(at_us / 1e6, here[0], here[1]);
            match bars[kind].last_mut() {
                Some([last, _, until]) if *last == lane && *until + 2 >= begin => *until = end,
                _ => bars[kind].push([lane, begin, end]),
            }
        }
    }
    let looks = [Look::Prefill, Look::Chunk, Look::Decode];
    let shapes = bars.into_iter().zip(looks).rev().map(|(bars, look)| Shape::Bars { lanes: 2, bars, look });
    Picture { shapes: shapes.collect(), ..Picture::default() }
}

fn lives(rows: &[Row], seconds: [f64; 2]) -> Picture {
    let parts = [
        ("arrival_us", "first_scheduled_us", Look::Waiting),
        ("first_scheduled_us", "first_token_us", Look::Prefill),
        ("first_token_us", "end_us", Look::Decode),
    ];
    let shape = |(from, to, look): (&str, &str, Look)| {
        let bar = |(lane, row): (usize, &Row)| {
            let at = |name| Some(place(number(row, name)? / 1e6, seconds[0], seconds[1]));
            Some([lane as u32, at(from)?, at(to)?])
        };
        let bars = rows.iter().enumerate().filter_map(bar).collect();
        Shape::Bars { lanes: rows.len() as u32, bars, look }
    };
    Picture { shapes: parts.into_iter().map(shape).collect(), ..Picture::default() }
}

fn admitted(rows: &[Row], scenario: &Scenario, seconds: [f64; 2]) -> Picture {
    let here = within(rows.to_vec(), seconds);
    let counts: Vec<(&str, [f64; 2])> = scenario
        .workload
        .clients
        .iter()
        .map(|client| {
            let of = |refused: bool| {
                let all = here.iter().filter(|row| text(row, "client") == client.name);
                all.filter(|row| (text(row, "state") == "rejected") == refused).count() as f64
            };
            (client.tenant.as_str(), [of(false), of(true)])
        })
        .collect();
    let top = most(counts.iter().map(|(_, [a, b])| a + b));
    let lanes = counts.len() as u32;
    let x = |n: f64| 180 + place(n, 0.0, top) * 820 / 1000;
    let (mut taken, mut refused, mut shapes) = (Vec::new(), Vec::new(), Vec::new());
    for (lane, (name, [a, b])) in (0..).zip(counts) {
        taken.push([lane, 180, x(a)]);
        if b > 0.0 {
            refused.push([lane, x(a), x(a + b)]);
        }
        shapes.push(words(0, 1000 - (2 * lane + 1) * 500 / lanes, name));
    }
    shapes.push(Shape::Bars { lanes, bars: taken, look: Look::Decode });
    shapes.push(Shape::Bars { lanes, bars: refused, look: Look::Missed });
    Picture { shapes, ..Picture::default() }
}

/// Two distributions on one logarithmic scale: the first dashed.
pub(super) fn curves(two: &[Vec<f64>; 2], names: [&str; 2]) -> Picture {
    let quantile = |all: &[f64], i: usize| all[(all.len() - 1) * i / STEPS];
    let low = two.iter().map(|all| quantile(all, 0)).fold(f64::MAX, f64::min);
    let high = most(two.iter().map(|all| quantile(all, STEPS)));
    let mut shapes = Vec::new();
    for (all, (name, look)) in two.iter().zip(names.into_iter().zip([Look::Dashed, Look::Plain])) {
        let point =
            |i| [place(ln(quantile(all, i)), ln(low), ln(high)), (i as f64 / STEPS as f64 * SIDE) as u32];
        let points: Vec<[u32; 2]> = (0..=STEPS).map(point).collect();
        let side = if look == Look::Dashed { STEPS * 2 / 5 } else { STEPS * 4 / 5 };
        shapes.push(words(points[side][0], points[side][1], name));
        shapes.push(Shape::Line { points, look });
    }
    let range = format!("{:.0} – {:.0} ms, log", low / 1000.0, high / 1000.0);
    Picture { caption: String::new(), range, shapes }
}
