//! Import of the log of a vLLM server as configuration: its release, the arguments that are not defaults, and the size
//! of its KV cache. Averages and steps are read by `tokenyard validate`.

use crate::command::flags::Flags;
use crate::command::shell::release;
use crate::import::configuration::reader::Unknown;
use crate::import::configuration::sets::PoolOf;
use crate::import::configuration::{Configuration, Reader, Report, Settings};
use crate::vllm::command::{pool_name, release_row};
use crate::vllm::map::FLAGS;
use crate::vllm::read::{Around, engine};
use base::Diagnostic;
use base::import::Import;
use document::limits;
use serde_json::{Value, json};

/// The log of a server.
pub(crate) struct ServerLog;

impl Import<Configuration> for ServerLog {
    fn name(&self) -> &'static str {
        "server-log"
    }

    fn title(&self) -> &'static str {
        "the log of a vLLM server"
    }

    fn recognises(&self, source: &Value) -> bool {
        let alone = source.as_object().is_some_and(|map| map.len() == 1);
        alone && source.get("log").is_some_and(Value::is_object)
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut r = Reader::new(source);
        let whole = r.entries("log.args") > 0;
        let flags = Flags::of_section(&mut r, "log.args", FLAGS);
        let name = pool_name(&flags);
        let of = name.map_or_else(PoolOf::default, |name| PoolOf::unnamed(&name));
        let said = flags.value("block-size").and_then(Value::as_u64);
        engine(&mut r, flags, &Around { of: of.clone(), whole, ..Around::default() });
        version(&mut r, &of);
        let block = said.filter(|n| *n > 0).unwrap_or(16);
        for i in 0..r.entries("log.kv_cache_tokens") {
            let path = format!("log.kv_cache_tokens.{i}");
            let Some(tokens) = r.get(&path).and_then(Value::as_u64) else { continue };
            let note = if whole { None } else { Some("blocks of 16 tokens are assumed") };
            blocks(&mut r, &path, tokens / block, note, &of);
        }
        for i in 0..r.entries("log.gpu_blocks") {
            let path = format!("log.gpu_blocks.{i}");
            let Some(n) = r.get(&path).and_then(Value::as_u64) else { continue };
            blocks(&mut r, &path, n, None, &of);
        }
        let cut = "log.cut_args";
        if r.get(cut).is_some() {
            let found = "arguments that end in the middle: none of them is read";
            let fix = "give the whole line, as the server writes it";
            r.problems.push(Diagnostic::warning(cut, found, "{'key': value, …}", fix));
            r.without_counterpart(cut, "they end in the middle");
        }
        r.without_counterpart("log.max_concurrency", "it follows from the size of the cache");
        r.without_counterpart("log.averages", "they are measured, not set: `tokenyard validate` reads them");
        r.without_counterpart("log.lines", "they set nothing");
        r.finish(Unknown::LeftOut, report);
        Settings::default()
    }
}

/// The release of the server.
fn version(r: &mut Reader<'_>, of: &PoolOf) {
    let path = "log.version";
    let Some(text) = r.get(path).and_then(Value::as_str).map(str::to_owned) else { return };
    release_row(r, path, &text, release(&text), of);
}

/// Blocks of a cache; `assumed` says how they were counted.
fn blocks(r: &mut Reader<'_>, path: &str, n: u64, assumed: Option<&str>, of: &PoolOf) {
    if n == 0 || n > limits::KV_BLOCKS.into() {
        let allowed = format!("1 to {} blocks", limits::KV_BLOCKS);
        let fix = "give the line as the server writes it";
        r.problems.push(Diagnostic::error(path, format!("{n} blocks"), allowed, fix));
        return;
    }
    match assumed {
        Some(differs) => r.near(path, &format!("kv.blocks {n}"), differs),
        None => r.note(path, &format!("kv.blocks {n}")),
    }
    r.set_pool(path, of, "kv.blocks", json!(n));
}
