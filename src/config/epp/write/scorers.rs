//! Scorers, filters and pickers of a router as plugins.

use crate::epp::map::{PREDICTION, STAYS, parameters_of};
use crate::epp::write::draft::Draft;
use crate::epp::write::memory;
use crate::epp::write::stage::Stage;
use crate::export::Row;
use crate::yaml::scalar::{Scalar, number};
use crate::yaml::want::Want;
use document::{
    Fallback, Filter, FilterMetric, HeadroomChoice, PeakPrefill, Picker, PrefixAffinityFilter, Scorer, Ties,
    TokenCount, TokenUntil, UtilizationFilter, Weighted, WeightedScorer, Write as _,
};

type Parameters = Vec<(&'static str, Want<'static>)>;

/// References of a profile.
pub(crate) type Refs = Vec<(String, Option<f64>)>;

/// A weighted router as references to plugins.
pub(crate) fn weighted(draft: &mut Draft<'_>, router: &Weighted, stage: &Stage<'_>) -> Refs {
    let at = format!("{}.weighted", stage.at);
    let mut refs = Refs::new();
    for (i, filter) in router.filters().iter().enumerate() {
        refs.push(filtered(draft, filter, &format!("{at}.filters[{i}]"), stage));
    }
    for (i, scorer) in router.scorers().iter().enumerate() {
        refs.extend(scored(draft, router, scorer, &format!("{at}.scorers[{i}]"), stage));
    }
    refs.extend(picked(draft, router, &at, stage));
    memory::rows(draft, router, &at, stage);
    if !router.priority.is_empty() {
        let why = "llm-d's router gives requests no priority in the engine";
        draft.rows.push(Row::ignored(format!("{at}.priority"), "priority", &router.priority, why));
    }
    refs
}

/// The plugin of a scorer: its type, its parameters, and how it differs.
type Found = Result<(&'static str, Parameters, Option<&'static str>), &'static str>;

fn counterpart(scorer: &Scorer, router: &Weighted) -> Found {
    let plain = |kind| Ok((kind, Vec::new(), None));
    let document = router.write();
    let own = |kind| parameters_of(kind).map(|parameter| parameter.want(&document)).collect();
    match scorer {
        Scorer::WaitingRequests => plain("queue-scorer"),
        Scorer::KvUtilization => plain("kv-cache-utilization-scorer"),
        Scorer::RunningRequests => plain("running-requests-size-scorer"),
        Scorer::PrefixAffinity => plain("prefix-cache-scorer"),
        Scorer::LoraAffinity => plain("lora-affinity-scorer"),
        Scorer::ActiveRequests => Ok(("active-request-scorer", own("active-request-scorer"), None)),
        Scorer::LoadAware => Ok(("load-aware-scorer", own("load-aware-scorer"), None)),
        Scorer::TokenLoad => {
            let same = router.token_rule() == (TokenCount::Uncached, TokenUntil::FirstToken);
            let why = "llm-d counts uncached tokens until the first token";
            Ok(("token-load-scorer", own("token-load-scorer"), (!same).then_some(why)))
        }
        Scorer::NoHitLru => Ok((
            "no-hit-lru-scorer",
            Vec::new(),
            Some("llm-d keeps 1,024 replicas in its list, all of them here"),
        )),
        Scorer::PrecisePrefix | Scorer::TierPrefix => {
            let why = "llm-d learns of blocks by events, a moment later, and needs the model's tokenizer";
            Ok((crate::epp::write::there::PRECISE, Vec::new(), Some(why)))
        }
        Scorer::PredictedLatency => {
            let most = router.prediction.headroom == HeadroomChoice::Most;
            let mut own: Parameters = PREDICTION.iter().map(|p| p.want(&document["prediction"])).collect();
            own.push((
                "headroomSelectionStrategy",
                Want::unless(if most { "most" } else { "least" }, "least"),
            ));
            Ok((
                "latency-scorer",
                own,
                Some("llm-d predicts by a model that it trains, not by the pool's step times"),
            ))
        }
        Scorer::QueueDepth => Err(
            "it counts waiting, running and sent requests; the nearest is queue-scorer, which counts those that wait",
        ),
        Scorer::LoadBalance => {
            Err("the nearest is active-request-scorer, which falls in proportion and not as 1 / (1 + load)")
        }
        Scorer::CacheHitRate | Scorer::PrefixMatch => {
            Err("the nearest is prefix-cache-scorer, by the share of the prompt that matches")
        }
        Scorer::PromptTokensWaiting => {
            Err("the nearest is token-load-scorer, by tokens without a first token")
        }
        Scorer::RecentTtft | Scorer::RecentTpot | Scorer::PeakEwma => {
            Err("llm-d has no scorer of measured latency; the nearest is latency-scorer, which predicts it")
        }
        Scorer::IdleTime => Err("the nearest is active-request-scorer, which gives 1 to idle replicas"),
        Scorer::Cost => Err("llm-d's router knows no prices"),
        Scorer::Expression(_) => Err("llm-d takes no expressions: it is a plugin in Go"),
    }
}

/// A scorer as a reference; nothing if it has no counterpart.
fn scored(
    draft: &mut Draft<'_>,
    router: &Weighted,
    one: &WeightedScorer,
    at: &str,
    stage: &Stage<'_>,
) -> Option<(String, Option<f64>)> {
    let weight = number(one.weight);
    let ours = match &one.scorer {
        Scorer::Expression(expression) => format!("expression '{}'", expression.0),
        named => named.name().to_owned(),
    };
    let (kind, parameters, differs) = match counterpart(&one.scorer, router) {
        Ok(found) => found,
        Err(why) => {
            draft.rows.push(Row::ignored(at, &ours, weight, why));
            return None;
        }
    };
    let name = if kind == crate::epp::write::there::PRECISE {
        memory::precise(draft, router, stage)
    } else {
        draft.plugin(kind, kind, parameters, stage.profile)
    };
    let before = draft.there.weight(&name, stage.profile);
    let before = before.filter(|text| !Scalar::Number(one.weight).is_said_by(text));
    let row = match differs {
        None => Row::exact(at, &ours, weight, kind),
        Some(why) => Row::near(at, &ours, weight, kind, why),
    };
    draft.rows.push(row.was(before));
    parameter_rows(draft, router, kind, stage);
    if one.scorer == Scorer::TierPrefix {
        memory::worth_rows(draft, router, stage);
    }
    Some((name, Some(one.weight)))
}

/// Rows of the settings of a scorer that are keys of the router.
fn parameter_rows(draft: &mut Draft<'_>, router: &Weighted, kind: &str, stage: &Stage<'_>) {
    let document = router.write();
    for parameter in parameters_of(kind) {
        let value = parameter.value(&document);
        let before = draft.there.parameter(kind, &[parameter.theirs]);
        let before = before.filter(|text| !Scalar::Number(value).is_said_by(text)).map(str::to_owned);
        let path = format!("{}.weighted.{}", stage.at, parameter.field);
        let row = Row::exact(path, parameter.ours, number(value), parameter.theirs);
        draft.rows.push(row.default_there(value.to_bits() == parameter.usual.to_bits()).was(before));
    }
}

/// How one replica is picked.
fn picked(
    draft: &mut Draft<'_>,
    router: &Weighted,
    at: &str,
    stage: &Stage<'_>,
) -> Option<(String, Option<f64>)> {
    let (kind, row) = match (&router.picker, router.ties()) {
        (Picker::Max, Ties::Random) => {
            let kind = "max-score-picker";
            (kind, Row::exact(format!("{at}.ties"), "picker, ties", "random", kind).default_there(true))
        }
        (Picker::Max, Ties::Lowest) => {
            let (kind, why) = ("max-score-picker", "llm-d breaks ties at random");
            (kind, Row::near(format!("{at}.ties"), "picker, ties", "lowest", kind, why).default_there(true))
        }
        (Picker::WeightedRandom, _) => {
            let kind = "weighted-random-picker";
            (kind, Row::exact(format!("{at}.picker"), "picker", "weighted-random", kind))
        }
        (Picker::Softmax(softmax), _) => {
            let kind = "weighted-random-picker";
            let value = format!("softmax {}", number(softmax.temperature));
            let why = "llm-d draws in proportion to the scores, not to their exponentials";
            (kind, Row::near(format!("{at}.picker"), "picker", value, kind, why))
        }
    };
    draft.rows.push(row);
    // The default picker is not written, and stays where a file has it.
    if kind == "max-score-picker" && draft.there.named(kind, stage.profile).is_none() {
        return None;
    }
    let name = draft.plugin(kind, kind, Vec::new(), stage.profile);
    let used = draft.there.is_empty()
        || kind != "max-score-picker"
        || draft.there.weight(&name, stage.profile).is_some();
    used.then_some((name, None))
}

/// A filter as a reference.
fn filtered(draft: &mut Draft<'_>, filter: &Filter, at: &str, stage: &Stage<'_>) -> (String, Option<f64>) {
    let (kind, parameters) = match filter {
        Filter::PrefixAffinity(own) => ("prefix-cache-affinity-filter", affinity(draft, own, at, stage)),
        Filter::Utilization(own) => ("utilization-filter", utilization(draft, own, at)),
        Filter::Session(_) => {
            let why =
                "llm-d knows a session by a header or a token of the client, and needs no limit of sessions";
            draft.rows.push(Row::near(at, "filter session", "", "session-affinity-filter", why));
            ("session-affinity-filter", Vec::new())
        }
        Filter::SloHeadroom(own) => {
            let why =
                "llm-d predicts by a model that it trains, and takes objectives from headers of a request";
            draft.rows.push(Row::near(
                at,
                "filter slo-headroom",
                number(own.epsilon),
                "slo-headroom-tier-filter",
                why,
            ));
            if own.shed {
                draft.plugin("latency-slo-admitter", "latency-slo-admitter", Vec::new(), "");
                draft.rows.push(Row::near(format!("{at}.shed"), "shed", "true", "latency-slo-admitter", why));
            }
            ("slo-headroom-tier-filter", vec![("epsilon", Want::unless(own.epsilon, 0.01))])
        }
    };
    (draft.plugin(kind, kind, parameters, stage.profile), None)
}

/// The filter that stays with a replica: its parameters at other values than the defaults.
fn affinity(draft: &mut Draft<'_>, own: &PrefixAffinityFilter, at: &str, stage: &Stage<'_>) -> Parameters {
    let kind = "prefix-cache-affinity-filter";
    draft.rows.push(Row::exact(at, "filter prefix-affinity", "", kind));
    let mut parameters = Parameters::new();
    let at = format!("{at}.prefix-affinity");
    let document = own.write();
    for parameter in &STAYS {
        let value = parameter.value(&document);
        let path = format!("{at}.{}", parameter.field);
        let row = Row::exact(path, parameter.ours, number(value), parameter.theirs);
        draft.rows.push(row.default_there(value.to_bits() == parameter.usual.to_bits()));
        parameters.push(parameter.want(&document));
    }
    let (ours, theirs) = ("peak prefill, tokens/s", "peakPrefillThroughput");
    let path = format!("{at}.peak_prefill_tokens_per_s");
    match (own.peak_prefill_tokens_per_s, stage.peak) {
        (PeakPrefill::TokensPerS(n), _) => {
            draft.rows.push(Row::exact(path, ours, n, theirs).default_there(n == 15_928));
            parameters.push((theirs, Want::unless(n, 15_928)));
        }
        (PeakPrefill::Model, Some(peak)) => {
            let n = peak.max(1.0) as u32;
            let why = "computed by the pool's latency model";
            draft.rows.push(Row::near(path, ours, format!("model, {n}"), theirs, why));
            parameters.push((theirs, Want::said(n)));
        }
        (PeakPrefill::Model, None) => {
            let why =
                "the pool's latency model gives none; llm-d's default is 15,928, of Qwen3-32B on two H100";
            draft.rows.push(Row::near(path, ours, "model", theirs, why).default_there(true));
        }
    }
    parameters
}

/// The filter of replicas over a limit.
fn utilization(draft: &mut Draft<'_>, own: &UtilizationFilter, at: &str) -> Parameters {
    let shown: Vec<String> =
        own.conditions.iter().map(|c| format!("{} ≤ {}", c.metric.name(), number(c.max))).collect();
    draft.rows.push(Row::exact(at, "filter utilization", shown.join(", "), "utilization-filter"));
    let condition = |c: &document::Condition| {
        let metric = match c.metric {
            FilterMetric::KvUtilization => "kv-cache-utilization",
            FilterMetric::WaitingRequests => "waiting-queue",
            FilterMetric::RunningRequests => "running-requests",
            FilterMetric::ActiveRequests => "active-requests",
        };
        Want::Map(vec![("metric", Want::said(metric)), ("maxValue", Want::said(c.max))])
    };
    let all = own.fallback == Fallback::All;
    vec![
        ("conditions", Want::rows(own.conditions.iter().map(condition).collect())),
        ("fallbackOnEmpty", Want::Scalar(Scalar::Flag(all), Some(Scalar::Flag(false)))),
    ]
}
