//! The source of pulls and the hint for the KV of sessions, as plugins.

use crate::epp::read::kept::{HEAD_HINT, SOURCE, WHOLE_HINT};
use crate::epp::write::draft::Draft;
use crate::export::Row;
use crate::yaml::scalar::{Scalar, number};
use crate::yaml::want::{Items, Want};
use document::{KvHint, Scenario};

/// Whether a scenario has one of the two.
pub(crate) fn is_said(scenario: &Scenario) -> bool {
    scenario.cluster.kv_source.is_some() || scenario.cluster.kv_hint.is_some()
}

/// The rows and plugins of both.
pub(crate) fn rows(draft: &mut Draft<'_>, scenario: &Scenario) {
    match &scenario.cluster.kv_source {
        Some(own) => source(draft, own.min_cached_token_delta),
        None => keeps(draft, "cluster.kv_source", "source of pulls", SOURCE),
    }
    match &scenario.cluster.kv_hint {
        Some(own) => hint(draft, own),
        None => {
            for kind in [WHOLE_HINT, HEAD_HINT] {
                keeps(draft, "cluster.kv_hint", "KV hint", kind);
            }
        }
    }
}

/// A plugin of a file that the scenario does not have.
fn keeps(draft: &mut Draft<'_>, path: &str, ours: &str, kind: &'static str) {
    if draft.there.named(kind, "").is_some() {
        let why = "the scenario has none; the file keeps its own";
        draft.rows.push(Row::near(path, ours, "none", kind, why).default_there(true));
    }
}

fn source(draft: &mut Draft<'_>, lead: u32) {
    let key = "minCachedTokenDelta";
    let said = draft.there.parameter(SOURCE, &[key]).map(str::to_owned);
    // A lead of 0 is read as 1.
    let same =
        said.as_deref().is_some_and(|text| Scalar::from(lead).is_said_by(text) || (lead == 1 && text == "0"));
    let want = if same { Want::Anything } else { Want::unless(lead, 1) };
    draft.plugin(SOURCE, SOURCE, vec![(key, want)], "");
    let row = Row::exact("cluster.kv_source.min_cached_token_delta", "source of pulls", lead, key);
    draft.rows.push(row.was(said.filter(|_| !same)));
}

fn hint(draft: &mut Draft<'_>, own: &KvHint) {
    let usual = KvHint::default();
    let kind = if own.head_tokens == 0 { WHOLE_HINT } else { HEAD_HINT };
    let is_there = draft.there.named(kind, "").is_some();
    for producer in ["session-id-producer", "session-interturn-latency-producer"] {
        draft.plugin(producer, producer, Vec::new(), "");
    }
    let seconds = Scalar::Seconds;
    let retain = vec![
        ("quantile", Want::unless(own.quantile, usual.quantile)),
        ("minTTL", Want::unless(seconds(own.min_s), seconds(usual.min_s))),
        ("maxTTL", Want::unless(seconds(own.max_s), seconds(usual.max_s))),
        ("priority", Want::unless(own.priority, usual.priority)),
    ];
    let is_written = retain.iter().any(|(_, want)| want.is_written());
    let session = if is_there { Want::Anything } else { Want::said("agentic") };
    let queue = Want::Map(vec![("sessionType", session), ("retain", Want::Map(retain))]);
    let queues = Items {
        items: vec![("0".to_owned(), queue)],
        name_of: Box::new(|_| String::new()),
        is_ours: Box::new(|_| false),
    };
    let mut parameters = Vec::new();
    if is_there || is_written {
        parameters.push(("queues", Want::List(queues)));
    }
    if kind == HEAD_HINT {
        parameters.push(("maxProtectedPrefixTokens", Want::unless(own.head_tokens, usual.head_tokens)));
        parameters.push(("protectionBudgetTokens", Want::unless(budget(own), budget(&usual))));
    }
    draft.plugin(kind, kind, parameters, "");
    figures(draft, own, kind);
}

/// The budget as a number; the largest one where the scenario has no bound.
fn budget(own: &KvHint) -> f64 {
    if own.budget_tokens == 0 {
        document::limits::HINT_BUDGET_TOKENS as f64
    } else {
        own.budget_tokens as f64
    }
}

fn figures(draft: &mut Draft<'_>, own: &KvHint, kind: &str) {
    let path = |key: &str| format!("cluster.kv_hint.{key}");
    let why = "llm-d fits a distribution to the gaps of a queue, here the gaps that were seen count";
    let rows = [
        Row::near(path("quantile"), "hint, quantile", number(own.quantile), "retain.quantile", why),
        Row::exact(path("min_s"), "hint, at least", number(own.min_s), "retain.minTTL"),
        Row::exact(path("max_s"), "hint, at most", number(own.max_s), "retain.maxTTL"),
        Row::exact(path("priority"), "hint, priority", own.priority, "retain.priority"),
        Row::exact(path("head_tokens"), "hint, head", own.head_tokens, kind),
    ];
    draft.rows.extend(rows);
    if kind == HEAD_HINT {
        let row =
            Row::exact(path("budget_tokens"), "hint, budget", own.budget_tokens, "protectionBudgetTokens");
        let row = if own.budget_tokens == 0 { row.but("no bound here, a large one there") } else { row };
        draft.rows.push(row);
    } else if own.budget_tokens > 0 {
        let why = "the hint for whole contexts has no budget: give heads a length";
        draft.rows.push(Row::ignored(path("budget_tokens"), "hint, budget", own.budget_tokens, why));
    }
    if own.least_gaps > 1 {
        let why = "llm-d predicts from the first turns on";
        draft.rows.push(Row::ignored(path("least_gaps"), "hint, gaps before the first", own.least_gaps, why));
    }
}
