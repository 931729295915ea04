//! The chart of the population: a dot for each candidate by generation and score, the best so far, the median, the best
//! on val, and those that did not run.

use super::{Lab, LabCandidate};
use base::html_text::{escaped, put};
use std::collections::BTreeMap;

/// The frame: left, right, top and bottom of the scores, and the row of those that did not run.
const LEFT: f64 = 44.0;
const RIGHT: f64 = 560.0;
const TOP: f64 = 18.0;
const BOTTOM: f64 = 236.0;
const CROSSES: f64 = 258.0;
/// Share of the scores that may lie below the frame; they are drawn at its edge.
const BELOW: f64 = 0.05;
/// Least distance of two labels.
const APART: f64 = 14.0;

/// Scales of a chart.
struct Frame {
    last: f64,
    low: f64,
    high: f64,
}

impl Frame {
    fn new(lab: &Lab) -> Self {
        let mut scores: Vec<f64> = lab.candidates.iter().filter_map(|c| c.score).collect();
        scores.sort_by(f64::total_cmp);
        let low = scores.get((BELOW * scores.len() as f64) as usize).copied().unwrap_or(0.4);
        let on_val: Vec<f64> = lab.on_val().into_iter().map(|(_, score)| score).collect();
        let low = on_val.iter().copied().fold(low.min(0.5), f64::min);
        let high = on_val.iter().copied().fold(scores.last().copied().unwrap_or(0.6).max(0.5), f64::max);
        let margin = ((high - low) * 0.06).max(0.005);
        Self { last: f64::from(lab.last_generation()).max(1.0), low: low - margin, high: high + margin }
    }

    fn x(&self, generation: f64) -> f64 {
        LEFT + 10.0 + (RIGHT - LEFT - 20.0) * generation / self.last
    }

    fn y(&self, score: f64) -> f64 {
        let share = ((score - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        BOTTOM - (BOTTOM - TOP) * share
    }

    /// A line in steps to the last generation.
    fn steps(&self, points: &[(u32, f64)]) -> String {
        let mut path = String::new();
        for (i, (generation, score)) in points.iter().enumerate() {
            let (x, y) = (self.x(f64::from(*generation)), self.y(*score));
            if i == 0 {
                put(&mut path, format_args!("M{x:.1} {y:.1}"));
            } else {
                put(&mut path, format_args!("H{x:.1}V{y:.1}"));
            }
        }
        if !points.is_empty() {
            put(&mut path, format_args!("H{:.1}", self.x(self.last)));
        }
        path
    }
}

/// The chart as SVG.
pub(super) fn population(lab: &Lab) -> String {
    let frame = Frame::new(lab);
    let mut out = String::from(
        "<svg viewBox=\"0 0 660 292\" role=\"img\" aria-label=\"Scores of the candidates by generation\">\n",
    );
    grid(&mut out, &frame);
    let mut seen: BTreeMap<u32, u32> = BTreeMap::new();
    for (i, candidate) in lab.candidates.iter().enumerate() {
        let within = seen.entry(candidate.generation).or_default();
        *within += 1;
        mark(&mut out, &frame, (i, candidate), *within);
    }
    let bests: Vec<(u32, f64)> = lab
        .bests
        .iter()
        .map(|&i| (lab.candidates[i].generation, lab.candidates[i].score.unwrap_or_default()))
        .collect();
    put(&mut out, format_args!("<path class=\"best\" d=\"{}\"/>\n", frame.steps(&bests)));
    let median: Vec<String> = lab
        .medians
        .iter()
        .map(|(g, score)| format!("{:.1} {:.1}", frame.x(f64::from(*g)), frame.y(*score)))
        .collect();
    if !median.is_empty() {
        put(&mut out, format_args!("<path class=\"median\" d=\"M{}\"/>\n", median.join("L")));
    }
    let on_val = lab.on_val();
    put(&mut out, format_args!("<path class=\"val\" d=\"{}\"/>\n", frame.steps(&on_val)));
    for (&i, (generation, score)) in lab.bests.iter().zip(&bests) {
        let (x, y) = (frame.x(f64::from(*generation)), frame.y(*score));
        let name = escaped(&lab.candidates[i].name);
        put(
            &mut out,
            format_args!(
                "<circle class=\"mark\" data-i=\"{i}\" data-x=\"{x:.1}\" data-y=\"{y:.1}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" tabindex=\"0\" \
                 role=\"button\" aria-label=\"Candidate {name}, score {score:.3}\"/>\n"
            ),
        );
    }
    let mut labels: Vec<(f64, String, &str)> = vec![(frame.y(0.5), "baseline 0.500".to_owned(), "")];
    labels.extend(bests.last().map(|(_, score)| (frame.y(*score), format!("best {score:.3}"), "strong")));
    labels.extend(lab.medians.last().map(|(_, score)| (frame.y(*score), format!("median {score:.3}"), "")));
    labels.extend(on_val.last().map(|(_, score)| (frame.y(*score), format!("on val {score:.3}"), "")));
    push_labels(&mut out, labels);
    if lab.not_run() > 0 {
        put(
            &mut out,
            format_args!(
                "<text x=\"{RIGHT}\" y=\"{:.1}\">{} did not run</text>\n",
                CROSSES + 4.0,
                lab.not_run()
            ),
        );
    }
    out.push_str("<circle class=\"ring\" id=\"ring\" r=\"6\" cx=\"-20\" cy=\"-20\"/>\n</svg>\n");
    out
}

/// Labels at the right edge, moved down where they would overlap.
fn push_labels(out: &mut String, mut labels: Vec<(f64, String, &str)>) {
    labels.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut lowest = f64::NEG_INFINITY;
    for (y, text, class) in labels {
        lowest = y.max(lowest + APART);
        put(
            out,
            format_args!("<text class=\"{class}\" x=\"{RIGHT}\" y=\"{:.1}\">{text}</text>\n", lowest + 4.0),
        );
    }
}

fn grid(out: &mut String, frame: &Frame) {
    let range = frame.high - frame.low;
    let step =
        [0.005, 0.01, 0.02, 0.05, 0.1, 0.2].into_iter().find(|step| range / step <= 6.0).unwrap_or(0.5);
    let first = base::math::floor(frame.low / step) as i64;
    for i in first..first + 8 {
        let score = i as f64 * step;
        if score < frame.low || score > frame.high {
            continue;
        }
        let y = frame.y(score);
        put(out, format_args!("<path class=\"grid\" d=\"M{LEFT} {y:.1}H{:.1}\"/>\n", RIGHT - 6.0));
        put(
            out,
            format_args!(
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{score:.3}</text>\n",
                LEFT - 6.0,
                y + 4.0
            ),
        );
    }
    let y = frame.y(0.5);
    put(out, format_args!("<path class=\"base\" d=\"M{LEFT} {y:.1}H{:.1}\"/>\n", RIGHT - 6.0));
    let last = frame.last as u32;
    let step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
        .into_iter()
        .find(|step| last / step <= 8)
        .unwrap_or(10_000);
    for generation in (0..=last).step_by(step as usize) {
        let x = frame.x(f64::from(generation));
        put(out, format_args!("<text x=\"{x:.1}\" y=\"284\" text-anchor=\"middle\">{generation}</text>\n"));
    }
    put(out, format_args!("<text x=\"{RIGHT}\" y=\"284\">generation</text>\n"));
}

/// A candidate: a dot, or a cross if it did not run. Those of one generation stand beside each other.
fn mark(out: &mut String, frame: &Frame, (i, candidate): (usize, &LabCandidate), within: u32) {
    let width = ((RIGHT - LEFT) / (frame.last + 1.0) * 0.7).min(14.0);
    // Steps of the golden ratio are spread evenly, however many there are.
    let share = base::math::remainder(f64::from(within) * 0.618_034, 1.0);
    let x = frame.x(f64::from(candidate.generation)) + width * (share - 0.5);
    match candidate.score {
        Some(score) => {
            let y = frame.y(score);
            put(
                out,
                format_args!(
                    "<circle class=\"dot\" data-i=\"{i}\" data-x=\"{x:.1}\" data-y=\"{y:.1}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\"/>\n"
                ),
            );
        }
        None => put(
            out,
            format_args!(
                "<path class=\"cross\" data-i=\"{i}\" data-x=\"{x:.1}\" data-y=\"{CROSSES}\" d=\"M{:.1} {:.1}l5 5m0-5l-5 5\"/>\n",
                x - 2.5,
                CROSSES - 2.5
            ),
        ),
    }
}
