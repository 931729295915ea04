//! Import of the commands of clients that send a benchmark: `vllm bench serve` with its former scripts, and `sglang.bench_serving`.
//!
//! Source: `vllm/benchmarks` of 0.19 and `sglang/bench_serving.py` of 0.5.

use crate::command::flags::{Word, words_at};
use crate::command::serve::{OF_UNIT, UNIT};
use crate::import::configuration::reader::Unknown;
use crate::import::configuration::{Configuration, Reader, Report, Settings};
use crate::import::documents::ROUNDS;
use crate::workloads::guidellm_command::flags_of;
use crate::workloads::traffic::{gaussian, tokens, uniform};
use base::Diagnostic;
use base::import::Import;
use document::limits;
use serde_json::{Value, json};

/// A command of one of the clients.
pub(crate) struct BenchCommand;

const INTO: &str = "workload.clients[0]";
/// Requests of a run where nothing is said.
const USUAL_PROMPTS: u64 = 1000;

/// The two clients: they draw lengths in ways of their own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Program {
    Vllm,
    SgLang,
}

impl Import<Configuration> for BenchCommand {
    fn name(&self) -> &'static str {
        "workload-bench-command"
    }

    fn title(&self) -> &'static str {
        "a command of a benchmark client"
    }

    fn recognises(&self, source: &Value) -> bool {
        let words = source.get("words");
        let word = |i: usize| {
            let word = words.and_then(|words| words.get(i).or_else(|| words.get(i.to_string())));
            word.and_then(Value::as_str).unwrap_or_default()
        };
        (0..WORDS).any(|i| program(word(i), word(i + 1), word(i + 2)).is_some())
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut r = Reader::new(source);
        let words = words_at(&mut r, "words");
        let text = |i: usize| words.get(i).map_or("", |word| word.text.as_str());
        let found = (0..WORDS).find_map(|i| program(text(i), text(i + 1), text(i + 2)));
        let said = flags_of(&mut r, &words);
        load(&mut r, &said, found.unwrap_or(Program::Vllm));
        r.without_counterpart(ROUNDS, "one run is read");
        r.without_counterpart(UNIT, OF_UNIT);
        r.finish(Unknown::Refused, report);
        Settings::default()
    }
}

/// Words among which the program stands: variables and the interpreter may stand before it.
const WORDS: usize = 8;

/// The client that three words start.
fn program(first: &str, second: &str, third: &str) -> Option<Program> {
    let name = first.rsplit('/').next().unwrap_or_default();
    match (name, second, third) {
        ("vllm", "bench", "serve") | ("benchmark_serving.py", ..) => Some(Program::Vllm),
        ("sglang.bench_serving" | "bench_serving.py", ..) => Some(Program::SgLang),
        _ => None,
    }
}

/// Flags that change nothing of the load, and why.
const OTHERS: [(&[&str], &str); 4] = [
    (
        &[
            "backend",
            "endpoint_type",
            "model",
            "served_model_name",
            "base_url",
            "host",
            "port",
            "endpoint",
            "tokenizer",
            "header",
            "extra_request_body",
        ],
        "requests go to the pools of the scenario",
    ),
    (
        &[
            "save_result",
            "save_detailed",
            "append_result",
            "result_dir",
            "result_filename",
            "output_file",
            "output_details",
            "metadata",
            "label",
            "percentile_metrics",
            "metric_percentiles",
            "goodput",
            "disable_tqdm",
            "profile",
            "plot_timeline",
            "trust_remote_code",
            "tokenizer_mode",
        ],
        "results are written where you say",
    ),
    (
        &[
            "ignore_eos",
            "disable_ignore_eos",
            "temperature",
            "top_p",
            "top_k",
            "logprobs",
            "use_beam_search",
            "disable_stream",
            "apply_chat_template",
        ],
        "output lengths come from the workload, and every token is streamed",
    ),
    (
        &[
            "seed",
            "num_warmups",
            "warmup_requests",
            "ready_check_timeout_sec",
            "flush_cache",
            "no_oversample",
            "no_stream",
            "skip_chat_template",
        ],
        "the run begins with empty caches, and the seed of the scenario draws everything",
    ),
];

fn load(r: &mut Reader<'_>, said: &[(String, Word)], program: Program) {
    let mut client = json!({ "name": "benchmark" });
    lengths(r, said, program, &mut client);
    let prompts = whole(r, said, &["num_prompts", "num_prompt"], "run.max_requests");
    let most = prompts.unwrap_or(USUAL_PROMPTS);
    arrivals(r, said, most, &mut client);
    let at = said.first().map_or_else(|| "words".to_owned(), |(_, word)| word.path.clone());
    for (names, why) in OTHERS {
        for (_, word) in said.iter().filter(|(name, _)| names.contains(&name.as_str())) {
            r.without_counterpart(&word.path, why);
        }
    }
    let known: Vec<&str> = OTHERS.iter().flat_map(|(names, _)| names.iter().copied()).chain(READ).collect();
    for (name, word) in said.iter().filter(|(name, _)| !known.contains(&name.as_str())) {
        r.unknown(&word.path, &format!("an unknown flag --{}", name.replace('_', "-")), &known);
    }
    r.set(&at, "workload.clients", json!([client]));
    r.set(&at, "run.warmup_s", json!(0.0));
    r.set(&at, "run.horizon_s", json!(0.0));
    r.set(&at, "run.max_requests", json!(most));
}

/// The flags that say the load.
const READ: [&str; 16] = [
    "num_prompts",
    "num_prompt",
    "request_rate",
    "burstiness",
    "max_concurrency",
    "dataset_name",
    "dataset_path",
    "dataset",
    "random_input_len",
    "random_input",
    "input_len",
    "random_output_len",
    "random_output",
    "output_len",
    "random_range_ratio",
    "random_prefix_len",
];

fn find<'w>(said: &'w [(String, Word)], names: &[&str]) -> Option<&'w Word> {
    said.iter().rev().find(|(name, _)| names.contains(&name.as_str())).map(|(_, word)| word)
}

fn number(r: &mut Reader<'_>, said: &[(String, Word)], names: &[&str], becomes: &str) -> Option<f64> {
    let word = find(said, names)?;
    let number = word.text.trim().parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0);
    if number.is_none() {
        let fix = "write a number";
        r.problems.push(Diagnostic::error(
            &word.path,
            format!("{:?}", word.text),
            "a number, 0 or more",
            fix,
        ));
    } else {
        r.note(&word.path, becomes);
    }
    number
}

fn whole(r: &mut Reader<'_>, said: &[(String, Word)], names: &[&str], becomes: &str) -> Option<u64> {
    number(r, said, names, becomes).map(|x| x.round().clamp(1.0, limits::COST) as u64)
}

/// When requests are sent, and how many are in flight.
fn arrivals(r: &mut Reader<'_>, said: &[(String, Word)], most: u64, client: &mut Value) {
    let cap = whole(r, said, &["max_concurrency"], &format!("{INTO}.concurrency"))
        .map(|n| n.min(limits::CONCURRENCY.into()));
    let rate = find(said, &["request_rate"]).cloned();
    let unlimited = |text: &str| ["inf", "infinity", "Infinity"].contains(&text.trim());
    if let Some(word) = rate.filter(|word| !unlimited(&word.text)) {
        let Some(rate) = number(r, said, &["request_rate"], &format!("{INTO}.arrivals")) else { return };
        let burst = number(r, said, &["burstiness"], &format!("{INTO}.arrivals.gamma.cv")).unwrap_or(1.0);
        client["arrivals"] = if (burst - 1.0).abs() < 1e-9 || burst <= 0.0 {
            json!({ "poisson": { "rate_per_s": rate } })
        } else {
            let cv = (1.0 / burst).sqrt().clamp(limits::CV_MIN, limits::CV);
            json!({ "gamma": { "rate_per_s": rate, "cv": cv } })
        };
        if let Some(n) = cap {
            client["concurrency"] = json!(n);
        }
        r.note(&word.path, &format!("{INTO}.arrivals"));
        return;
    }
    if let Some(word) = find(said, &["request_rate"]) {
        let becomes = if cap.is_some() { "a closed loop" } else { "all requests at once" };
        r.note(&word.path, &format!("{INTO}.arrivals.concurrency: {becomes}"));
    }
    if let Some(word) = find(said, &["burstiness"]) {
        r.without_counterpart(&word.path, "without a rate there are no gaps");
    }
    let requests = cap.unwrap_or(most).min(limits::CONCURRENCY.into());
    client["arrivals"] = json!({ "concurrency": { "requests": requests } });
}

/// Lengths of prompts and answers.
fn lengths(r: &mut Reader<'_>, said: &[(String, Word)], program: Program, client: &mut Value) {
    let kind = find(said, &["dataset_name", "dataset"]).cloned();
    let name =
        kind.as_ref().map_or(if program == Program::Vllm { "random" } else { "sharegpt" }, |word| &word.text);
    if let Some(word) = find(said, &["dataset_path"]) {
        r.without_counterpart(&word.path, "its texts are not part of the command");
    }
    if !name.starts_with("random") {
        let at = kind.as_ref().map_or_else(|| "words".to_owned(), |word| word.path.clone());
        let found = format!("the data set {name}, whose texts are not part of the command");
        let fix =
            "set prompt_tokens and output_tokens of the client, or give its requests as a trace with --trace";
        r.problems.push(Diagnostic::warning(&at, found, "--dataset-name random with lengths", fix));
        r.without_counterpart(
            &at,
            "its texts are not part of the command: lengths stay those of a new client",
        );
        return;
    }
    if let Some(word) = kind {
        r.note(&word.path, &format!("{INTO}.prompt_tokens and .output_tokens"));
    }
    let ratio_at = find(said, &["random_range_ratio"]).cloned();
    let ratio = number(r, said, &["random_range_ratio"], "lengths between two ends, all equally likely");
    let ratio = ratio.filter(|x| *x <= 1.0).unwrap_or(0.0);
    for (names, field, usual) in [
        (["random_input_len", "random_input", "input_len"], "prompt_tokens", 1024.0),
        (
            ["random_output_len", "random_output", "output_len"],
            "output_tokens",
            if program == Program::Vllm { 128.0 } else { 1024.0 },
        ),
    ] {
        let mean = number(r, said, &names, &format!("{INTO}.{field}")).unwrap_or(usual);
        client[field] = match program {
            Program::Vllm if ratio > 0.0 => {
                uniform((mean * (1.0 - ratio)).floor().max(1.0), (mean * (1.0 + ratio)).ceil())
            }
            Program::Vllm => gaussian(mean.max(1.0), 0.0, None, None),
            Program::SgLang => uniform((mean * ratio).floor().max(1.0), mean.max(1.0)),
        };
    }
    if let (Program::Vllm, Some(word)) = (program, ratio_at) {
        let differs = "lengths from 1 - ratio to 1 + ratio times the length; in older releases from ratio times the length up to it";
        r.near(&word.path, "uniform lengths", differs);
    }
    let prefix = number(r, said, &["random_prefix_len"], &format!("{INTO}.prefix"));
    if let Some(n) = prefix.filter(|n| *n > 0.0) {
        client["prefix"] = json!({ "groups": 1, "tokens": tokens(n) });
    }
}
