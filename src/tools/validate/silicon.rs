//! Closed-loop points of many models, GPUs and parallelisms in one table, in the columns of `AIConfigurator`'s
//! `silicon_sample.csv`: each row becomes an experiment with one measured point.

use super::experiment::{APART, Experiment, OTHERS, is_apart};
use super::recorded::unread;
use base::{Diagnostic, Diagnostics};
use serde_json::{Value, json};

/// The group of these experiments, and that of the rows of other engines than vLLM: only their time per output token is compared, and
/// nothing is fitted to it.
const GROUP: &str = "S";

impl Experiment {
    /// Whether it is a row of a table of points of many models.
    pub fn is_listed(&self) -> bool {
        let is_row = self.group == APART && self.at("/formats").is_some();
        self.group == GROUP || self.group == OTHERS || is_row
    }

    /// Whether it is compared apart: a row of another engine than vLLM, or prefill and decode on different replicas.
    pub fn is_apart(&self) -> bool {
        is_apart(&self.group)
    }
}

/// Columns without which a row says nothing.
const NEEDED: [&str; 6] = ["model_path", "system", "isl", "osl", "batch_size", "tp_size"];

/// Whether a table has these columns.
pub fn is_silicon(text: &str) -> bool {
    let head = text.trim_start_matches('\u{feff}').lines().next().unwrap_or_default();
    let names: Vec<&str> = head.split(',').map(|n| n.trim().trim_matches('"')).collect();
    names.contains(&"silicon_tpot_ms") || NEEDED.iter().all(|needed| names.contains(needed))
}

/// Reads a table. Rows with a problem are left out, and all problems are reported; without any sound row they are the
/// error.
pub fn read_silicon(text: &str) -> Result<(Vec<Experiment>, Diagnostics), Diagnostics> {
    let mut reader =
        csv::ReaderBuilder::new().flexible(true).from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let names = reader.headers().map_err(|e| {
        vec![Diagnostic::error("line 1", unread(&e), "names of columns", "give a CSV table with a header")]
    })?;
    let names: Vec<String> = names.iter().map(|n| n.trim().to_owned()).collect();
    let missing: Vec<&str> = NEEDED.iter().copied().filter(|n| !names.iter().any(|own| own == n)).collect();
    if !missing.is_empty() {
        let found = format!("no column {}", missing.join(", "));
        let allowed = "the columns of AIConfigurator's silicon_sample.csv";
        return Err(vec![Diagnostic::error("line 1", found, allowed, "add these columns")]);
    }
    let (mut experiments, mut problems) = (Vec::new(), Diagnostics::new());
    for (line, record) in (2..).zip(reader.records()) {
        if experiments.len() >= MOST_ROWS {
            problems.push(Diagnostic::error(
                format!("line {line}"),
                format!("more than {MOST_ROWS} rows"),
                format!("at most {MOST_ROWS}"),
                "split the table",
            ));
            break;
        }
        let at = |name: &str| names.iter().position(|own| own == name);
        let read = match &record {
            Ok(record) => one(&|name| at(name).and_then(|i| record.get(i)).unwrap_or_default().trim(), line),
            Err(e) => Err(Diagnostic::error(
                format!("line {line}"),
                unread(e),
                "a row of the table",
                "mend the row",
            )),
        };
        match read {
            Ok(experiment) => experiments.push(experiment),
            Err(problem) => problems.push(problem),
        }
    }
    mark_lowest(&mut experiments);
    if experiments.is_empty() && !problems.is_empty() { Err(problems) } else { Ok((experiments, problems)) }
}

/// Most rows of a table.
pub(super) const MOST_ROWS: usize = 20_000;

/// Largest numbers of a row: users, tokens of a request, GPUs.
const MOST: [(&str, f64); 4] =
    [("batch_size", 65_536.0), ("isl", 1_048_576.0), ("osl", 1_048_576.0), ("tp_size", 1024.0)];

fn one<'a>(field: &dyn Fn(&str) -> &'a str, line: u32) -> Result<Experiment, Diagnostic> {
    let bad = |name: &str, allowed: String| {
        let found =
            if field(name).is_empty() { "nothing".to_owned() } else { format!("\"{}\"", field(name)) };
        Diagnostic::error(format!("line {line}.{name}"), found, allowed, "mend the row, or remove it")
    };
    let whole = |name: &str, most: f64| {
        let found = field(name).parse::<f64>().ok().filter(|n| (1.0..=most).contains(n) && n.fract() == 0.0);
        found.map(|n| n as u32).ok_or_else(|| bad(name, format!("a whole number from 1 to {most}")))
    };
    // A column that a source leaves empty is 1; it writes 0 where experts are not split.
    let usual = |name: &str| match field(name) {
        "" | "0" => Ok(1),
        _ => whole(name, 1024.0),
    };
    let [users, isl, osl, tp] = MOST.map(|(name, most)| whole(name, most));
    let (users, isl, osl, tp) = (users?, isl?, osl?, tp?);
    let (ranks, stages) = (usual("attention_dp_size")?, usual("pp_size")?);
    for name in ["model_path", "system"] {
        if field(name).is_empty() {
            return Err(bad(name, "a name".to_owned()));
        }
    }
    let (from, users) = (field("silicon_data_source"), users.saturating_mul(ranks).min(65_536));
    let client = Client::of(field, [isl, users]);
    let mut measured = json!({"stage": format!("isl{isl}-osl{osl}-tp{tp}-c{users}"), "concurrency": users,
        "n": users * 10, "input_tokens": client.length(isl), "output_tokens": client.length(osl)});
    let engine = match field("real_engine") {
        "" => "vllm",
        own => own,
    };
    let is_vllm = engine.eq_ignore_ascii_case("vllm");
    // The time to first token of other engines includes the burst with which the client opened.
    let columns = [("silicon_ttft_ms", "ttft_ms"), ("silicon_tpot_ms", "tpot_ms")];
    for (column, key) in columns.into_iter().filter(|(_, key)| is_vllm || *key == "tpot_ms") {
        match field(column) {
            "" => {}
            text => match text.parse::<f64>().ok().filter(|ms| ms.is_finite() && *ms >= 0.0) {
                Some(ms) => measured[key] = json!({"mean": ms}),
                None => return Err(bad(column, "a time in milliseconds, or nothing".to_owned())),
            },
        }
    }
    if measured.pointer("/ttft_ms/mean").and_then(Value::as_f64).is_some_and(|ms| ms > QUEUEING_MS) {
        measured["regime"] = json!("overload");
    }
    let (model, gpu) = (field("model_path").to_owned(), field("system").to_owned());
    let id = match field("id") {
        "" => format!("line-{line}"),
        id => id.to_owned(),
    };
    let group = if is_vllm { GROUP } else { OTHERS };
    let document = json!({"id": id, "group": group, "model": model, "gpu": gpu, "tp": tp, "replicas": 1,
        "precision": field("precision"), "formats": {"common": field("gemm_quant_mode"), "routed": field("moe_quant_mode")},
        "backend": if is_vllm { field("backend") } else { "" }, "mode": field("mode"),
        "day": day(from), "settings": client.settings(),
        "engine": {"name": engine, "version": version(field("backend_version"), from), "dp": ranks, "pp": stages,
            "max_num_batched_tokens": client.budget, "prefix_caching": false, "kv_dtype": client.cache},
        "client": {"latency_side": if client.is_whole_batch { "server" } else { "client" }},
        "workload": {"loop": "closed"}, "measured": [measured]});
    let mut e = Experiment { id, group: group.to_owned(), source: String::new(), model, gpu, document };
    let model = e.model.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let name = if is_vllm { "" } else { engine };
    e.source =
        [model.as_str(), e.text("/precision"), &e.gpu, &format!("tp{tp}"), e.text("/engine/version"), name]
            .join(" ");
    e.source.truncate(e.source.trim_end().len());
    e.source = format!("s-{}", e.source.replace(' ', "-"));
    Ok(e)
}

/// A mean time to first token above this is queueing: latencies are not scored.
const QUEUEING_MS: f64 = 10_000.0;

/// Token budget of `InferenceX`'s servers (SemiAnalysisAI/InferenceX, benchmarks/*_vllm.sh).
const BUDGET: u32 = 8192;

/// Days from which `InferenceX`'s scripts set an 8-bit cache and a token budget of twice the prompt, by what the name of the
/// model has, GPU and precision (the history of the same scripts).
const TWICE_THE_PROMPT: [(&str, &str, &str, &str); 6] = [
    ("minimax", "b200", "fp8", "2026-04-03"),
    ("minimax", "b200", "fp4", "2026-04-02"),
    ("minimax", "b300", "", "2026-04-17"),
    ("kimi", "b200", "fp4", "2026-04-16"),
    ("minimax", "mi355x", "", "2026-04-02"),
    ("kimi", "mi355x", "", "2026-04-16"),
];

/// What the client of a row set, as far as its source says it.
struct Client {
    /// Lengths are from 0.8 to 1 of the nominal ones.
    is_known: bool,
    /// All requests come at once and nothing follows them: the engine alone is measured.
    is_whole_batch: bool,
    budget: Option<u32>,
    cache: &'static str,
}

impl Client {
    fn of<'a>(field: &dyn Fn(&str) -> &'a str, [isl, users]: [u32; 2]) -> Self {
        let from = field("silicon_data_source");
        let is_known = is_inferencex(from);
        let is_whole_batch = field("note").contains("whole batch at once");
        let (model, gpu) = (field("model_path").to_ascii_lowercase(), field("system").to_ascii_lowercase());
        let (precision, day) = (field("precision"), day(from));
        let twice = is_known
            && TWICE_THE_PROMPT.iter().any(|(name, on, of, since)| {
                model.contains(name) && gpu.starts_with(on) && precision.starts_with(of) && day >= *since
            });
        let is_llama = is_known && model.contains("llama") && precision.starts_with("fp");
        let budget = match (twice, is_known) {
            (true, _) => Some(isl.saturating_mul(2)),
            (false, true) => Some(BUDGET),
            // The prompts of a whole batch are computed without a server's limit.
            (false, false) => is_whole_batch.then(|| isl.saturating_mul(users).clamp(BUDGET, MOST_BUDGET)),
        };
        Self { is_known, is_whole_batch, budget, cache: if twice || is_llama { "fp8" } else { "" } }
    }

    /// Lengths of prompts or answers. Those of an unknown client are assumed to vary by a tenth: users whose requests all have
    /// the same length would stay in step for ever, which no measured run shows.
    fn length(&self, tokens: u32) -> Value {
        lengths(tokens, self.is_known)
    }

    /// What was set, in words.
    fn settings(&self) -> String {
        let Some(budget) = self.budget else { return UNKNOWN.to_owned() };
        let cache = if self.cache.is_empty() { "as the model's" } else { "8 bits" };
        let lengths = if self.is_known { ", lengths 0.8 to 1" } else { "" };
        format!("budget {budget}, KV {cache}{lengths}")
    }
}

/// Lengths of a client that draws from 0.8 to 1 of the nominal ones, or of an unknown one.
pub(super) fn lengths(tokens: u32, is_inferencex: bool) -> Value {
    let (min, max) =
        if is_inferencex { (tokens * 4 / 5, tokens) } else { (tokens - tokens / 10, tokens + tokens / 10) };
    json!({"distribution": "uniform", "min": min.max(1), "max": max})
}

/// Settings of a row whose source does not say them.
pub(super) const UNKNOWN: &str = "unknown";

/// Largest token budget of a whole batch.
const MOST_BUDGET: u32 = 131_072;

/// Whether a row is one of `InferenceX`: its nightly runs are files named by day, or a dump of its database. Its client
/// draws lengths from 0.8 to 1 of the nominal ones and sends ten requests for each user.
fn is_inferencex(from: &str) -> bool {
    let named = from.strip_prefix("source_file=").unwrap_or_default();
    let by_day = named.len() > 11 && named.as_bytes()[..10].iter().all(|b| b.is_ascii_digit() || *b == b'-');
    from.starts_with("db-dump/") || by_day
}

/// The day of the measurement; empty if the source does not say it.
fn day(from: &str) -> &str {
    from.split("measured=").nth(1).and_then(|rest| rest.get(..10)).unwrap_or_default()
}

/// The release, or the newest one on the day of the measurement.
fn version(given: &str, from: &str) -> String {
    if !given.is_empty() {
        return given.to_owned();
    }
    let day = day(from);
    let newest = RELEASES.iter().rev().find(|(since, _)| !day.is_empty() && day >= *since);
    newest.map_or_else(String::new, |(_, version)| (*version).to_owned())
}

/// First days of releases of vLLM with other costs (github.com/vllm-project/vllm/releases).
const RELEASES: [(&str, &str); 4] =
    [("2025-07-24", "0.10"), ("2025-12-03", "0.12"), ("2026-01-20", "0.14"), ("2026-03-20", "0.18")];

/// Marks the points with the two lowest numbers of users of each model, GPU, precision, release and parallelism.
fn mark_lowest(experiments: &mut [Experiment]) {
    let key = |e: &Experiment| {
        (
            e.model.clone(),
            e.gpu.clone(),
            e.text("/precision").to_owned(),
            e.text("/engine/version").to_owned(),
            e.count("/tp"),
        )
    };
    let users = |e: &Experiment| e.count("/measured/0/concurrency").unwrap_or(0);
    let all: Vec<_> = experiments.iter().map(|e| (key(e), users(e))).collect();
    // A figure of an unknown client is not fitted to.
    let known = |e: &Experiment| e.at("/engine/max_num_batched_tokens").is_some();
    for e in experiments {
        let (own, of) = (users(e), key(e));
        let mut lower: Vec<u32> = all.iter().filter(|(k, n)| *k == of && *n < own).map(|(_, n)| *n).collect();
        lower.sort_unstable();
        lower.dedup();
        // Of whole batches each size is a grid point, as of single steps.
        let is_grid = e.text("/client/latency_side") == "server";
        e.document["measured"][0]["lowest"] = json!((lower.len() < 2 || is_grid) && known(e));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "id,silicon_data_source,backend,backend_version,model_path,system,precision,mode,isl,osl,gemm_quant_mode,moe_quant_mode,batch_size,tp_size,pp_size,attention_dp_size,moe_tp_size,moe_ep_size,silicon_ttft_ms,silicon_tpot_ms\n";

    #[test]
    fn a_row_is_a_closed_loop_of_its_users() {
        let row = "a,source_file=2026-03-25.csv; measured=2026-03-27T08:01:51Z,vllm,,openai/gpt-oss-120b,h200_sxm,fp4,agg,1024,8192,nvfp4,nvfp4,8,2,1,4,1,,120.5,4.5\n";
        assert!(is_silicon(HEAD) && !is_silicon("id,isl,osl\n"));
        let (found, problems) = read_silicon(&format!("{HEAD}{row}")).expect("a row");
        assert!(problems.is_empty(), "{problems:?}");
        let e = &found[0];
        assert_eq!(
            (e.id.as_str(), e.model.as_str(), e.gpu.as_str()),
            ("a", "openai/gpt-oss-120b", "h200_sxm")
        );
        // Eight users of each of four ranks; the newest release of that day.
        assert_eq!((e.count("/measured/0/concurrency"), e.release()), (Some(32), Some((0, 18))));
        assert_eq!(
            e.at("/measured/0/input_tokens"),
            Some(&json!({"distribution": "uniform", "min": 819, "max": 1024}))
        );
        assert_eq!(e.number("/measured/0/ttft_ms/mean"), Some(120.5));
        assert_eq!(e.at("/measured/0/lowest"), Some(&json!(true)));
    }

    #[test]
    fn rows_with_a_problem_are_named_and_the_others_are_read() {
        let row =
            |isl: &str, ttft: &str| format!("a,,vllm,0.12.0,m,h100_sxm,,agg,{isl},8,,,8,2,1,,,,{ttft},\n");
        let text = format!("{HEAD}{}{}{}", row("1024", "5"), row("0", "5"), row("9", "-1"));
        let (found, problems) = read_silicon(&text).expect("one row");
        assert_eq!(found.len(), 1);
        let paths: Vec<&str> = problems.iter().map(|p| p.path.as_str()).collect();
        assert_eq!(paths, ["line 3.isl", "line 4.silicon_ttft_ms"]);
        assert_eq!(
            found[0].at("/measured/0/input_tokens"),
            Some(&json!({"distribution": "uniform", "min": 922, "max": 1126}))
        );
        assert!(read_silicon("id,isl\na,1\n").unwrap_err()[0].found.contains("model_path"));
        assert!(read_silicon(&format!("{HEAD}{}", row("x", ""))).is_err());
    }
}
