//! The replay of an experiment: its cases, their runs, and what is compared.

use super::closed::Closed;
use super::compare::{Row, Side, blocks, compare, may_be_fitted};
use super::experiment::{Experiment, label, number_at};
use super::open::{Length, Open, Prompts, Stage, request};
use super::pool::{Latency, auto_blocks, beyond};
use super::{Files, halves, ladder, points, recorded, steps};
use benchmarks::replayed::piece;
use document::ExplicitRequest;
use serde::Serialize;
use serde_json::Value;

/// How a replay is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// The latency model.
    pub latency: Latency,
    /// How many seeds where arrivals or lengths are drawn.
    pub seeds: u32,
    /// Only the stages that coefficients may be fitted on, each with this many requests at most.
    pub fit_to: Option<u32>,
}

/// A part that could not be replayed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Unmodelled {
    /// Experiment.
    pub id: String,
    /// Stage; empty for the whole experiment.
    pub stage: String,
    /// Why.
    pub why: String,
}

/// The result of an experiment.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The compared figures.
    pub rows: Vec<Row>,
    /// The parts that could not be replayed.
    pub unmodelled: Vec<Unmodelled>,
}

/// The traffic of a case.
pub(super) enum Traffic {
    Listed(Vec<ExplicitRequest>, Vec<u32>),
    Drawn(Open),
    Closed(Closed),
}

/// One run, or one for each seed: what it is compared with stage by stage.
pub(super) struct Case<'a> {
    pub(super) tp: u32,
    pub(super) traffic: Traffic,
    pub(super) stages: u32,
    /// A measurement, and the stage of the run that it belongs to; `None` for all stages.
    sides: Vec<(&'a Value, Option<u32>)>,
}

/// The experiment while its cases are made.
struct Maker<'a> {
    e: &'a Experiment,
    fit_to: Option<u32>,
    unmodelled: Vec<Unmodelled>,
}

/// Replays an experiment. Parts that cannot be replayed are named.
pub fn replay(e: &Experiment, files: &Files<'_>, options: &Options) -> Outcome {
    if let Some(why) = beyond(e) {
        let unmodelled = vec![Unmodelled { id: e.id.clone(), stage: String::new(), why: why.to_owned() }];
        return Outcome { rows: Vec::new(), unmodelled };
    }
    let mut maker = Maker { e, fit_to: options.fit_to, unmodelled: Vec::new() };
    let table;
    let points = match maker.points(files) {
        Ok(found) => {
            table = found;
            &table[..]
        }
        Err(why) => {
            maker.leave_out("", why);
            &[]
        }
    };
    let halves = halves::stages(e, files);
    let mut cases = maker.cases(points, files);
    if let [first, second] = &halves[..]
        && let [case] = &mut cases[..]
    {
        case.sides.extend([(first, Some(0)), (second, Some(1))]);
    }
    if options.fit_to.is_some() {
        cases.retain_mut(|case| {
            case.sides.retain(|(measured, _)| may_be_fitted(e, measured));
            !case.sides.is_empty()
        });
    }
    let first_tp = cases.first().map(|c| c.tp);
    let mut out = Outcome { rows: Vec::new(), unmodelled: maker.unmodelled };
    for case in cases {
        let stage = case.sides.first().map(|(m, _)| label(m)).unwrap_or_default();
        let whole = case.sides.len() > 1;
        let leave_out = |why: String| Unmodelled {
            id: e.id.clone(),
            stage: if whole { String::new() } else { stage },
            why,
        };
        match case.run(e, options) {
            Ok(samples) => {
                for (measured, stage) in &case.sides {
                    let side = Side { measured, stage: *stage, tp: case.tp };
                    out.rows.extend(compare(e, &side, &samples));
                }
            }
            Err(why) => out.unmodelled.push(leave_out(why)),
        }
    }
    out.rows.extend(ladder::rows(e, &out.rows));
    if let Some(tp) = first_tp
        && let Ok(count) = auto_blocks(e, tp, &options.latency)
    {
        out.rows.extend(blocks(e, tp, f64::from(count)));
    }
    out.rows.extend(steps::rows(e, files, &options.latency));
    out.unmodelled.sort();
    out.unmodelled.dedup();
    out
}

impl<'a> Maker<'a> {
    fn leave_out(&mut self, stage: &str, why: impl Into<String>) {
        self.unmodelled.push(Unmodelled { id: self.e.id.clone(), stage: stage.to_owned(), why: why.into() });
    }

    fn points(&self, files: &Files<'_>) -> Result<Vec<points::Point>, String> {
        let expected = self.e.count("/workload/points").unwrap_or(0);
        if expected == 0 && !self.e.measured().is_empty() {
            return Ok(Vec::new());
        }
        let bytes = files("points.csv").map_err(|e| format!("points.csv: {e}"))?;
        let text = String::from_utf8(bytes).map_err(|_| "points.csv: not UTF-8".to_owned())?;
        let all = points::read(&text).map_err(|e| format!("points.csv: {e}"))?;
        let mut found: Vec<_> = all.into_iter().filter(|p| p.id == self.e.id).collect();
        points::mark_lowest(&mut found);
        if found.is_empty() {
            Err("nothing was measured, and points.csv has no line of it".to_owned())
        } else {
            Ok(found)
        }
    }

    fn cases<'b>(&mut self, points: &'b [points::Point], files: &Files<'_>) -> Vec<Case<'b>>
    where
        'a: 'b,
    {
        let mut cases: Vec<Case<'b>> = points.iter().map(|p| self.point(p)).collect();
        if self.e.measured().is_empty() {
            if points.is_empty() && self.unmodelled.is_empty() {
                self.leave_out("", "nothing was measured");
            }
            return cases;
        }
        if self.e.at("/workload/requests_file").is_some() {
            match self.recorded(files) {
                Ok(found) => cases.extend(found),
                Err(why) => self.leave_out("", why),
            }
            return cases;
        }
        if self.ladder_is_one_run() {
            cases.extend(self.ladder());
            return cases;
        }
        for measured in self.e.measured() {
            match self.single(measured) {
                Ok(case) => cases.push(case),
                Err(why) => self.leave_out(&label(measured), why),
            }
        }
        cases
    }

    fn point<'b>(&self, p: &'b points::Point) -> Case<'b> {
        let spread = self.e.text("/workload/input_tokens").contains("[0.8, 1.0]");
        // Users whose requests all have the same length would stay in step for ever, which no measured run shows: lengths of
        // an unknown client vary by a tenth.
        let length = |tokens: u32| {
            if spread {
                Length::Uniform { min: tokens * 4 / 5, max: tokens }
            } else {
                Length::Uniform { min: tokens - tokens / 10, max: tokens + tokens / 10 }
            }
        };
        let requests = p.concurrency.saturating_mul(10);
        let closed =
            Closed { in_flight: p.concurrency, requests, input: length(p.isl), output: length(p.osl) };
        Case { tp: p.tp, traffic: Traffic::Closed(closed), stages: 1, sides: vec![(&p.measured, Some(0))] }
    }

    fn tp(&self) -> Result<u32, String> {
        let of_decode = || self.e.count("/disaggregated/decode_tp");
        let tp = self.e.count("/tp").or_else(of_decode).filter(|tp| *tp > 0);
        tp.ok_or_else(|| "several tensor parallelisms in one experiment, or none".to_owned())
    }

    /// Rows of a request file: one run, or one for each rate if the clock restarts with each.
    fn recorded(&mut self, files: &Files<'_>) -> Result<Vec<Case<'a>>, String> {
        let name = self.e.text("/workload/requests_file");
        let tp = self.tp()?;
        let rows =
            files(name).and_then(|bytes| recorded::rows(&bytes)).map_err(|e| format!("{name}: {e}"))?;
        let output = self.e.count("/workload/output_tokens");
        let rows = match self.fit_to {
            Some(most) if self.e.group != "C" => first_stage(rows, most),
            _ => rows,
        };
        let mut names: Vec<&str> = Vec::new();
        for row in &rows {
            if names.last() != Some(&row.stage.as_str()) && !names.contains(&row.stage.as_str()) {
                names.push(&row.stage);
            }
        }
        let separate = names.len() > 1 && self.e.measured().iter().any(|m| label(m).starts_with("qps"));
        if !separate {
            let all: Vec<_> = rows.iter().collect();
            let requests = recorded::requests(&all, output)?;
            let place = |row: &recorded::Row| names.iter().position(|n| *n == row.stage).unwrap_or(0) as u32;
            let halved = self.e.group == "C";
            let stage_of = if halved { halves::halves(&rows) } else { rows.iter().map(place).collect() };
            let sides = self.e.measured().iter().map(|m| {
                let text = label(m);
                (m, names.iter().position(|n| *n == text).map(|i| i as u32))
            });
            let sides = sides.collect();
            return Ok(vec![Case {
                tp,
                traffic: Traffic::Listed(requests, stage_of),
                stages: if halved { 2 } else { names.len() as u32 },
                sides,
            }]);
        }
        self.rates(&rows, output, tp)
    }

    /// One run for each rate. If all rates have the same prompts, the rows of the previous rate come first, to fill
    /// the cache.
    fn rates(
        &mut self,
        rows: &[recorded::Row],
        output: Option<u32>,
        tp: u32,
    ) -> Result<Vec<Case<'a>>, String> {
        let mut rates = Vec::new();
        for measured in self.e.measured() {
            let text = label(measured);
            let rate = text.trim_start_matches("qps").parse::<f64>().ok();
            let same = |row: &&recorded::Row| row.stage.parse::<f64>().ok() == rate && rate.is_some();
            let of_rate: Vec<_> = rows.iter().filter(same).collect();
            if of_rate.is_empty() {
                self.leave_out(&text, "no rows of this stage in the request file");
            } else {
                rates.push((measured, of_rate));
            }
        }
        let all: Vec<_> = rates.iter().map(|(_, rows)| rows.clone()).collect();
        let again = recorded::same_prompts(&all);
        let lmcache = self.e.text("/engine/kv_offload").starts_with("LMCache");
        let store = if lmcache { LMCACHE } else { recorded::Store { chunk: 1, free: 1.0 } };
        let case = |(i, (measured, rows)): (usize, (&'a Value, Vec<&recorded::Row>))| {
            let mut stage_of = vec![0; rows.len()];
            let requests = if again {
                stage_of.extend(vec![1; rows.len()]);
                recorded::twice([&all[i.saturating_sub(1)], &rows], output, PAUSE_S, store)?
            } else {
                recorded::requests(&rows, output)?
            };
            let scored = u32::from(again);
            let traffic = Traffic::Listed(requests, stage_of);
            Ok(Case { tp, traffic, stages: scored + 1, sides: vec![(measured, Some(scored))] })
        };
        rates.into_iter().enumerate().map(case).collect()
    }

    /// Whether the client runs all stages without a pause, so that a backlog carries over.
    fn ladder_is_one_run(&self) -> bool {
        self.e.text("/client/tool").starts_with("inference-perf")
            && !self.e.list("/workload/stages").is_empty()
    }

    /// All stages in one run. Stages at rates that the client could not send are left out.
    fn ladder(&mut self) -> Option<Case<'a>> {
        let mut stages = Vec::new();
        for spec in self.e.list("/workload/stages") {
            match stage(spec, spec) {
                Ok(stage) => stages.push(stage),
                Err(why) => {
                    self.leave_out("", why);
                    return None;
                }
            }
        }
        let mut sides = Vec::new();
        let mut last = 0;
        for measured in self.e.measured() {
            let text = label(measured);
            if measured.get("open_loop") == Some(&Value::Bool(false)) {
                self.leave_out(&text, "the client could not keep up with the rate");
                continue;
            }
            let by_number = text.parse::<usize>().ok().filter(|n| *n < stages.len());
            let rate = number_at(measured, "offered_req_per_s");
            let by_rate = || stages.iter().rposition(|s| rate.is_some_and(|r| (s.per_s - r).abs() < 1e-6));
            match (text.as_str(), by_number.or_else(by_rate)) {
                ("all", _) => sides.push((measured, None)),
                (_, Some(number)) => {
                    last = last.max(number);
                    sides.push((measured, Some(number as u32)));
                }
                (_, None) => self.leave_out(&text, "no such stage in the workload"),
            }
        }
        if let Some(most) = self.fit_to {
            sides.retain(|(_, stage)| *stage == Some(0));
            last = 0;
            stages[0].shorten(most);
        }
        let saturates = self.e.measured().iter().any(|m| m.get("open_loop").is_some());
        if saturates || self.fit_to.is_some() {
            stages.truncate(last + 1);
        }
        let traffic = self.lengths(None).map(|(input, output)| {
            let prompts = Prompts::read(self.e);
            Traffic::Drawn(Open { stages: stages.clone(), prompts, input, output, pause_s: PAUSE_S })
        });
        match (self.tp(), traffic) {
            (Ok(tp), Ok(traffic)) => Some(Case { tp, traffic, stages: stages.len() as u32, sides }),
            (Err(why), _) | (_, Err(why)) => {
                self.leave_out("", why);
                None
            }
        }
    }

    /// Lengths of prompts and answers: the stage's, or the experiment's.
    fn lengths(&self, measured: Option<&Value>) -> Result<(Length, Length), String> {
        let requests = measured.and_then(|m| number_at(m, "n")).filter(|n| *n > 0.0);
        let length = |key: &str, total: &str| {
            let total = measured.and_then(|m| number_at(m, total)).zip(requests).map(|(t, n)| t / n);
            let own = measured.and_then(|m| m.get(key)).and_then(|v| Length::read(v, total));
            let usual = || self.e.at(&format!("/workload/{key}")).and_then(|v| Length::read(v, total));
            own.or_else(usual).ok_or_else(|| format!("no {key} that can be drawn"))
        };
        let output = length("output_tokens", "out_tokens_total");
        // If only the first token was measured, a few more do not matter.
        let first_only = measured.is_some_and(|m| m.get("e2e_ms").is_none() && m.get("itl_ms").is_none());
        let output = if first_only { output.or(Ok(Length::Fixed(4))) } else { output };
        Ok((length("input_tokens", "in_tokens_total")?, output?))
    }

    /// One stage in a run of its own.
    fn single(&self, measured: &'a Value) -> Result<Case<'a>, String> {
        let tp = self.tp()?;
        if let Some(prefix) = number_at(measured, "prefix_tokens") {
            if self.e.text("/workload/loop") != "closed" || measured.get("concurrency").is_some() {
                return Err("a shared prefix under load that is not described".to_owned());
            }
            let suffix = number_at(measured, "suffix_tokens").unwrap_or(1.0);
            return Ok(prefix_case(measured, tp, [prefix as u32, suffix as u32]));
        }
        let (input, output) = self.lengths(Some(measured))?;
        let spec = self.e.list("/workload/stages").first().unwrap_or(&Value::Null);
        let in_flight = number_at(measured, "concurrency").or_else(|| number_at(spec, "concurrency"));
        let offered = number_at(measured, "offered_req_per_s");
        let closed = self.e.text("/workload/loop").starts_with("closed");
        let traffic = match in_flight.filter(|n| (1.0..=65_536.0).contains(n)) {
            Some(n) if closed && offered.is_none() => {
                let counted = number_at(measured, "n").or_else(|| number_at(spec, "requests"));
                let requests = counted.unwrap_or(n).clamp(n, 100_000.0) as u32;
                Traffic::Closed(Closed { in_flight: n as u32, requests, input, output })
            }
            _ => {
                let of_rate = self.e.list("/workload/stages").iter().find(|s| {
                    number_at(s, "req_per_s").zip(offered).is_some_and(|(a, b)| (a - b).abs() < 1e-6)
                });
                let stages = vec![stage(measured, of_rate.unwrap_or(spec))?];
                Traffic::Drawn(Open { stages, prompts: Prompts::read(self.e), input, output, pause_s: 0.0 })
            }
        };
        Ok(Case { tp, traffic, stages: 1, sides: vec![(measured, Some(0))] })
    }
}

/// The rows of the first stage.
fn first_stage(mut rows: Vec<recorded::Row>, most: u32) -> Vec<recorded::Row> {
    let first = rows.first().map(|r| r.stage.clone());
    rows.retain(|r| Some(&r.stage) == first.as_ref());
    rows.truncate(most as usize);
    rows
}

/// A prompt whose prefix is new, one whose prefix is cached, and one of the same length that is new.
fn prefix_case(measured: &Value, tp: u32, [prefix, suffix]: [u32; 2]) -> Case<'_> {
    let texts = [
        vec![piece(1, prefix), piece(2, suffix)],
        vec![piece(1, prefix), piece(3, suffix)],
        vec![piece(4, prefix + suffix)],
    ];
    let requests = (0u32..).zip(texts).map(|(i, text)| request(i, u64::from(i) * 300_000_000, text, 4));
    let traffic = Traffic::Listed(requests.collect(), vec![0, 1, 2]);
    Case { tp, traffic, stages: 3, sides: vec![(measured, Some(0))] }
}

/// A stage with its rate, from what was measured or from the workload.
fn stage(measured: &Value, spec: &Value) -> Result<Stage, String> {
    let either = |keys: &[&str]| {
        keys.iter()
            .find_map(|key| number_at(measured, key))
            .or_else(|| keys.iter().find_map(|key| number_at(spec, key)))
    };
    let per_s = either(&["offered_req_per_s", "req_per_s"]).filter(|r| *r > 0.0 && *r <= 1e5);
    let per_s = per_s.ok_or("neither a rate nor a number in flight")?;
    let counted = number_at(measured, "n").or_else(|| number_at(spec, "requests"));
    let seconds = either(&["send_window_s", "duration_s"]).or_else(|| counted.map(|n| n / per_s));
    let seconds = seconds.filter(|s| *s > 0.0 && *s <= 86_400.0).ok_or("no length of the stage")?;
    let requests = (per_s * seconds).round().max(1.0);
    let requests = if number_at(measured, "failed").unwrap_or(0.0) > 0.0 {
        requests
    } else {
        counted.unwrap_or(requests)
    };
    if requests > 100_000.0 {
        return Err(format!("{requests} requests in one stage; at most 100,000 are replayed"));
    }
    let burstiness = number_at(measured, "burstiness").filter(|b| *b > 0.0);
    let cv = burstiness.map_or(1.0, |b| (1.0 / b.sqrt()).clamp(0.05, 20.0));
    Ok(Stage { per_s, seconds, requests: requests as u32, cv })
}

/// The client waits for all answers of a stage before it begins the next. Idle time costs nothing, so that the pause is long
/// enough for any backlog.
const PAUSE_S: f64 = 7200.0;

/// LMCache keeps whole chunks, and copies them while the engine waits: about half as long as it would compute them.
const LMCACHE: recorded::Store = recorded::Store { chunk: 256, free: 0.5 };
