//! Parallelism, speculative decoding and adapters of a vLLM engine.

use crate::command::flags::Flags;
use crate::command::map::flag_of;
use crate::import::configuration::Reader;
use crate::vllm::map::FLAGS;
use crate::vllm::read::{Around, Sizes};
use document::limits;
use engine::perf::known_model;
use serde_json::{Value, json};

/// Most engines of a server.
const RANKS: u64 = 1024;

/// Stages of a pipeline, and engines of a server that share its experts.
pub(crate) fn parallel(
    r: &mut Reader<'_>,
    flags: &mut Flags,
    around: &Around,
    model: Option<&'static str>,
) -> Sizes {
    let of = &around.of;
    let tp = flags.value("tensor-parallel-size").and_then(Value::as_u64).unwrap_or(1);
    let mut pp = 1;
    if let Some(n) = flags.whole_in(r, "pipeline-parallel-size", [1, limits::PP.into()]) {
        flags.note(r, "pipeline-parallel-size", &format!("pp {n}"));
        flags.set_pool(r, "pipeline-parallel-size", of, "pp", json!(n));
        pp = n;
    }
    let dp = flags.whole_in(r, "data-parallel-size", [1, RANKS]).unwrap_or(1);
    let shared = model.and_then(known_model).map(|m| m.architecture.experts > 0);
    let shares = pp == 1 && dp <= limits::EXPERT_RANKS.into();
    ranks(r, flags, around, dp, shared == Some(true) && shares);
    let name = "enable-expert-parallel";
    match (flags.switch(name), shared) {
        (None, _) => {}
        (Some(false), _) => flags.note(r, name, "experts are not spread by themselves"),
        (Some(true), Some(false)) => flags.ignore(r, name, "the model has no experts"),
        (Some(true), _) if dp > 1 && shares => {
            flags.near(r, name, &format!("expert_ranks {dp}"), "experts are taken to be loaded evenly");
            flags.set_pool(r, name, of, "expert_ranks", json!(dp));
        }
        (Some(true), _) => flags.ignore(r, name, "the GPUs of a replica share its experts by themselves"),
    }
    if dp > 1 && shares && shared == Some(true) && !spreads_experts(flags) {
        // Without expert parallelism the ranks cut every expert.
        flags.set_pool(r, "data-parallel-size", of, "experts.split", json!("tensor"));
    }
    moving_experts(r, flags, around, [dp, u64::from(shares)], model);
    Sizes { tp, pp, dp }
}

/// Whether each rank has whole experts: expert parallelism, of vLLM or of SGLang.
pub(crate) fn spreads_experts(flags: &Flags) -> bool {
    let switches = ["enable-expert-parallel", "enable-ep-moe", "enable-deepep-moe"];
    switches.iter().any(|name| flags.switch(name) == Some(true))
        || flags.value("ep-size").and_then(Value::as_u64).is_some_and(|n| n > 1)
        || flags.text("moe-a2a-backend").is_some_and(|backend| backend != "none")
}

/// Copies of experts, and how often they move.
fn moving_experts(
    r: &mut Reader<'_>,
    flags: &mut Flags,
    around: &Around,
    [dp, shares]: [u64; 2],
    model: Option<&'static str>,
) {
    let (name, config) = ("enable-eplb", "eplb-config");
    let copies = "num-redundant-experts";
    let experts = model.and_then(known_model).map_or(0, |m| u64::from(m.architecture.experts));
    let said = flags.value(config).cloned().unwrap_or_default();
    let of = |key: &str| said.get(key).and_then(Value::as_u64);
    let given = [copies, "ep-num-redundant-experts"].map(|name| flags.value(name).and_then(Value::as_u64));
    let redundant = given[0].or(given[1]).or(of("num_redundant_experts")).unwrap_or(0);
    let why = if flags.switch(name) != Some(true) {
        "experts stay in place without --enable-eplb, as here"
    } else if dp < 2 || shares == 0 || experts == 0 || !spreads_experts(flags) {
        "experts move here over the ranks of a server alone: this has no ranks that share them"
    } else if !(experts + redundant).is_multiple_of(dp) {
        "experts and copies are no multiple of the ranks"
    } else if redundant > limits::REDUNDANT_EXPERTS.into() {
        "more copies than a scenario takes"
    } else {
        let interval = flags.value("eplb-rebalance-num-iterations").and_then(Value::as_u64);
        let value = json!({
            "redundant": redundant,
            "window_steps": of("window_size").unwrap_or(1000).clamp(1, limits::EPLB_STEPS.into()),
            "interval_steps": of("step_interval").or(interval).unwrap_or(3000).clamp(1, limits::EPLB_STEPS.into()),
        });
        flags.near(r, name, "experts.eplb", "experts are liked alike until experts.skew says otherwise");
        flags.note(r, config, "experts.eplb");
        for name in [copies, "ep-num-redundant-experts"] {
            flags.note(r, name, "experts.eplb.redundant");
        }
        flags.set_pool(r, name, &around.of, "experts.eplb", value);
        return;
    };
    for flag in [name, config, copies] {
        flags.ignore(r, flag, why);
    }
}

/// The engines of a server: each is a replica.
fn ranks(r: &mut Reader<'_>, flags: &mut Flags, around: &Around, dp: u64, shared: bool) {
    let name = "data-parallel-size";
    let of = &around.of;
    if around.servers.is_some() || dp == 1 {
        flags.note(r, name, &format!("replicas × {dp}: each rank is a replica"));
    } else {
        let differs = "one server with this many ranks, each a replica; of several servers give their number";
        flags.near(r, name, &format!("replicas {dp}"), differs);
        flags.set_pool(r, name, of, "replicas", json!(dp));
    }
    if shared && dp > 1 {
        flags.set_pool(r, name, of, "expert_ranks", json!(dp));
        // Ranks in lock step do not serve adapters here.
        if flags.switch("enable-lora") != Some(true) {
            flags.set_pool(r, name, of, "expert_ranks_lockstep", json!(true));
            let mut apart = around.ranks_seen || flags.value("data-parallel-rank").is_some();
            for flag in BALANCED_OUTSIDE {
                if flags.switch(flag) == Some(true) {
                    flags.note(r, flag, "ranks.seen flat: routers choose the rank");
                    apart = true;
                }
            }
            if !apart {
                flags.set_pool(r, name, of, "ranks.seen", json!("internal"));
            }
        }
    }
}

/// Flags with which another program chooses the rank of a request.
const BALANCED_OUTSIDE: [&str; 3] =
    ["data-parallel-external-lb", "data-parallel-hybrid-lb", "data-parallel-multi-port-external-lb"];

/// Speculative decoding.
pub(crate) fn speculation(r: &mut Reader<'_>, flags: &mut Flags, around: &Around, pp: u64) {
    let name = "speculative-config";
    let Some(said) = flags.value(name).filter(|value| value.is_object()).cloned() else { return };
    if pp > 1 {
        flags.ignore(r, name, "drafts are not simulated with stages");
        return;
    }
    let of = |key: &str| said.get(key).and_then(Value::as_u64);
    let tokens = of("num_speculative_tokens").unwrap_or(3);
    if tokens == 0 || tokens > limits::DRAFT_TOKENS.into() {
        flags.ignore(r, name, "num_speculative_tokens is 1 to 32 here");
        return;
    }
    let method = said.get("method").and_then(Value::as_str).unwrap_or("a draft model");
    let drafter = match method {
        "ngram" | "ngram_gpu" | "suffix" => json!({ "one-pass": { "share": 0.0 } }),
        "medusa" | "dflash" => json!({ "one-pass": {} }),
        _ => json!({ "autoregressive": {} }),
    };
    let off = of("disable_by_batch_size").unwrap_or(0).min(limits::BATCH.into());
    let value = json!({ "tokens": tokens, "drafter": drafter, "disable_above_batch": off });
    let differs = format!(
        "of {method} only the number of tokens is said: acceptance and the drafter's time are assumed"
    );
    flags.near(r, name, &format!("engine.speculative with {tokens} tokens"), &differs);
    flags.set_pool(r, name, &around.of, "engine.speculative", value);
}

/// LoRA adapters.
pub(crate) fn adapters(r: &mut Reader<'_>, flags: &mut Flags, around: &Around) {
    const NUMBERS: [&str; 3] = ["max-loras", "max-cpu-loras", "max-lora-rank"];
    let on = flags.switch("enable-lora") == Some(true);
    if !on {
        flags.ignore(r, "enable-lora", "adapters are off, as here");
        for name in NUMBERS {
            flags.ignore(r, name, "adapters are off without --enable-lora");
        }
        return;
    }
    let differs = "sizes of adapters follow from the rank; their times are assumed";
    flags.near(r, "enable-lora", "lora", differs);
    flags.set_pool(r, "enable-lora", &around.of, "lora", json!({}));
    let mut most = 1;
    for name in NUMBERS {
        let Some(field) = flag_of(FLAGS, name).field() else { continue };
        let Some(n) = flags.whole_in(r, name, field.range.map(|x| x as u64)) else { continue };
        if name == "max-loras" {
            most = n;
        }
        if name == "max-cpu-loras" && n > 0 && n < most {
            flags.ignore(r, name, "CPU memory holds the adapters of the GPU at least");
            continue;
        }
        flags.note(r, name, &format!("{} {n}", field.path));
        flags.set_pool(r, name, &around.of, field.path, json!(n));
    }
}
