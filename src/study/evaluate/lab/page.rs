//! The report as one page of HTML that needs no other file: figures, the population, the best candidate case by case,
//! and the feedback of a candidate that is clicked.

use super::chart::population;
use super::{Lab, LabCandidate, LabCase, LabEvaluation};
use crate::evaluate::text::figure;
use base::html_text::{escaped, put};
use base::json;
use document::limits;
use serde_json::{Value, json};

const STYLE: &str = include_str!("lab.css");
const SCRIPT: &str = include_str!("lab.js");
/// Objectives in the table of cases.
const OBJECTIVES: usize = 2;
/// Splits by position.
const SPLITS: [&str; 3] = ["train", "val", "test"];

/// The page of an evolution.
pub fn page(lab: &Lab) -> String {
    let best = lab.best().unwrap_or(&lab.candidates[0]);
    let suite = best.evaluations.iter().flatten().map(|e| &e.suite).next();
    let title =
        suite.map(|suite| suite.title.as_str()).filter(|title| !title.is_empty()).unwrap_or("a suite");
    let mut out = String::from("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out.push_str("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n");
    out.push_str("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n");
    put(
        &mut out,
        format_args!(
            "<title>Evolution report: {} – Tokenyard</title>\n<style>\n{STYLE}</style>\n",
            escaped(title)
        ),
    );
    let at = lab.bests.last().copied().unwrap_or_default();
    put(
        &mut out,
        format_args!(
            "</head>\n<body>\n<header><h1>Evolution report</h1><span class=\"m\">policies for the suite “{}”</span>\
             <button id=\"save\" data-best=\"{at}\">Save the best candidate</button></header>\n",
            escaped(title)
        ),
    );
    figures(&mut out, lab, best);
    out.push_str("<main>\n<section>\n<h2>Scores of the population <span>on train; a dot a candidate, click for its feedback</span></h2>\n");
    out.push_str(&population(lab));
    out.push_str("</section>\n<section>\n<h2>Best against baseline <span>95 % intervals over the seeds; 0.500 is the baseline</span></h2>\n");
    cases(&mut out, best);
    out.push_str("</section>\n<section>\n");
    put(
        &mut out,
        format_args!(
            "<h2>Best candidate <span>#{}, generation {}</span></h2>\n",
            escaped(&best.name),
            best.generation
        ),
    );
    put(
        &mut out,
        format_args!(
            "<pre>{}</pre>\n<h2 class=\"gap\">How it came about <span>each the best of its time</span></h2>\n",
            escaped(&best.text)
        ),
    );
    history(&mut out, lab);
    out.push_str("</section>\n<section>\n<h2><span id=\"who\" style=\"color:var(--ink);font-weight:600\"></span><span id=\"about\"></span></h2>\n");
    out.push_str("<pre id=\"feedback\"></pre>\n<h2 class=\"gap\">Its text</h2>\n<pre id=\"text\"></pre>\n</section>\n</main>\n");
    footer(&mut out, best);
    put(&mut out, format_args!("<script type=\"application/json\" id=\"data\">{}</script>\n", data(lab)));
    put(&mut out, format_args!("<script>\n{SCRIPT}</script>\n</body>\n</html>\n"));
    out
}

/// What the script shows of each candidate; no text can end the element around it.
fn data(lab: &Lab) -> String {
    let mut order: Vec<usize> = (0..lab.candidates.len()).collect();
    let score = |i: usize| lab.candidates[i].score.unwrap_or(-1.0);
    order.sort_by(|&a, &b| score(b).total_cmp(&score(a)).then(a.cmp(&b)));
    let mut left = limits::LAB_TEXT_BYTES;
    let mut kept = vec![""; lab.candidates.len()];
    for i in order {
        let feedback =
            lab.candidates[i].evaluations[0].as_ref().map_or("", |e| e.artifacts.feedback.as_str());
        if feedback.len() <= left {
            left -= feedback.len();
            kept[i] = feedback;
        }
    }
    let of = |(c, feedback): (&LabCandidate, &str)| {
        json!({
            "name": c.name, "generation": c.generation, "parent": c.parent, "score": c.score, "text": c.text, "feedback": feedback,
        })
    };
    let all: Vec<Value> = lab.candidates.iter().zip(kept).map(of).collect();
    json::compact(&all).replace('<', "\\u003c")
}

fn figures(out: &mut String, lab: &Lab, best: &LabCandidate) {
    out.push_str("<div class=\"figures\">\n");
    let mut one = |name: &str, value: &str, more: &str| {
        let (name, value, more) = (escaped(name), escaped(value), escaped(more));
        put(out, format_args!("<div><p>{name}</p><b>{value}</b> <span class=\"m\">{more}</span></div>\n"));
    };
    let heads = ["Score on train", "On val", "On test, held back"];
    for (head, evaluation) in heads.into_iter().zip(&best.evaluations) {
        match evaluation {
            Some(e) if e.status == "success" => {
                let cases = e.cases.len();
                one(head, &format!("{:.3}", e.combined_score), &format!("{cases} cases, baseline 0.500"));
            }
            Some(_) => one(head, "–", "did not run"),
            None => one(head, "–", "not evaluated"),
        }
    }
    let (all, not_run) = (lab.candidates.len(), lab.not_run());
    let ran = format!("{} ran, {not_run} did not; {} generations", all - not_run, lab.last_generation() + 1);
    one("Candidates", &all.to_string(), &ran);
    out.push_str("</div>\n");
}

/// The table of all cases that the best candidate ran on.
fn cases(out: &mut String, best: &LabCandidate) {
    let rows = || SPLITS.iter().zip(&best.evaluations).filter_map(|(split, e)| Some((*split, e.as_ref()?)));
    let Some(first) = rows().flat_map(|(_, e)| &e.cases).next() else {
        out.push_str("<p class=\"m\">No candidate ran.</p>\n");
        return;
    };
    out.push_str("<div class=\"scroll\"><table>\n<thead><tr><th>split</th><th>case</th>");
    for objective in first.objectives.iter().take(OBJECTIVES) {
        put(out, format_args!("<th>{}, baseline → best</th>", escaped(&objective.metric)));
    }
    out.push_str("<th></th><th></th><th>score</th></tr></thead>\n<tbody>\n");
    let (mut better, mut worse, mut all) = (0, 0, 0);
    for (split, evaluation) in rows() {
        for (i, case) in evaluation.cases.iter().enumerate() {
            let verdict = Verdict::of(case);
            all += 1;
            better += u32::from(verdict == Verdict::Better);
            worse += u32::from(verdict == Verdict::Worse);
            row(out, if i == 0 { split } else { "" }, case, verdict);
        }
    }
    out.push_str("</tbody></table></div>\n");
    put(
        out,
        format_args!(
            "<p class=\"m gap\">{better} of {all} better and {worse} worse beyond the interval</p>\n"
        ),
    );
}

/// Whether a case differs from the baseline by more than its interval.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Better,
    Worse,
    Open,
}

impl Verdict {
    fn of(case: &LabCase) -> Self {
        match case.ci95 {
            Some([lo, _]) if lo > 0.5 => Self::Better,
            Some([_, hi]) if hi < 0.5 => Self::Worse,
            Some(_) | None => Self::Open,
        }
    }
}

fn row(out: &mut String, split: &str, case: &LabCase, verdict: Verdict) {
    let class = if split.is_empty() { "" } else { " class=\"split\"" };
    put(out, format_args!("<tr{class}><td class=\"m\">{split}</td><td>{}</td>", escaped(&case.id)));
    for objective in case.objectives.iter().take(OBJECTIVES) {
        let [b, x] =
            [Some(objective.baseline), objective.candidate].map(|x| escaped(&figure(&objective.metric, x)));
        put(out, format_args!("<td>{b} → <b>{x}</b></td>"));
    }
    let (class, mark, word) = match verdict {
        Verdict::Better => ("good", "✓", "better"),
        Verdict::Worse => ("bad", "✕", "worse"),
        Verdict::Open => ("m", "·", "no difference beyond the interval"),
    };
    put(
        out,
        format_args!("<td class=\"{class}\" title=\"{word}\">{mark}</td><td>{}</td>", interval(case, class)),
    );
    let half = case
        .ci95
        .map_or_else(String::new, |[lo, hi]| format!(" <span class=\"m\">{lo:.3} to {hi:.3}</span>"));
    put(out, format_args!("<td class=\"n\"><b>{:.3}</b>{half}</td></tr>\n", case.score));
}

/// A score with its interval on a line from 0 to 1, with the baseline in the middle.
fn interval(case: &LabCase, class: &str) -> String {
    let x = |score: f64| 4.0 + 112.0 * score.clamp(0.0, 1.0);
    let bar = case.ci95.map_or_else(String::new, |[lo, hi]| {
        let (from, width) = (x(lo), (x(hi) - x(lo)).max(1.0));
        format!("<rect x=\"{from:.1}\" y=\"5\" width=\"{width:.1}\" height=\"6\" fill=\"currentColor\" fill-opacity=\".6\"/>")
    });
    let at = x(case.score);
    format!(
        "<svg class=\"{class}\" viewBox=\"0 0 120 16\" style=\"width:120px\" aria-hidden=\"true\"><path class=\"base\" d=\"M60 1V15\"/>{bar}\
         <path d=\"M{at:.1} 2V14\" stroke=\"currentColor\" stroke-width=\"2\"/></svg>"
    )
}

fn history(out: &mut String, lab: &Lab) {
    out.push_str("<div class=\"scroll\"><table>\n<thead><tr><th>candidate</th><th>generation</th><th>child of</th><th>score</th></tr></thead>\n<tbody>\n");
    for &i in &lab.bests {
        let c = &lab.candidates[i];
        let parent = c.parent.as_ref().map_or_else(String::new, |parent| format!("#{}", escaped(parent)));
        put(
            out,
            format_args!(
                "<tr><td><button class=\"link\" data-i=\"{i}\">#{}</button></td><td>{}</td><td>{parent}</td><td class=\"n\"><b>{:.3}</b></td></tr>\n",
                escaped(&c.name),
                c.generation,
                c.score.unwrap_or_default()
            ),
        );
    }
    out.push_str("</tbody></table></div>\n");
}

fn footer(out: &mut String, best: &LabCandidate) {
    let told = best.evaluations.iter().flatten().next_back();
    let [suite, digest] =
        told.map_or(["", ""], |e: &LabEvaluation| [e.suite.digest.as_str(), e.digest.as_str()]).map(escaped);
    let split =
        told.map_or("train", |e| SPLITS.iter().copied().find(|s| *s == e.suite.split).unwrap_or("train"));
    put(
        out,
        format_args!(
            "<footer><b>Reproduce</b> <code>tokenyard evaluate best.yaml {split} --suite SUITE</code>\
             <span class=\"m\">suite <code>{suite}</code> · evaluation <code>{digest}</code> · made with Tokenyard {}</span></footer>\n",
            env!("CARGO_PKG_VERSION")
        ),
    );
}
