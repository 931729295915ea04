//! Export of a recorded trace: as JSON lines with all columns, and in the formats of Mooncake, Azure and BLIS.

use base::Micros;
use base::lookup::LookupMap;
use document::SloClass;
use engine::workload::Trace;
use serde_json::{Map, Value};
use std::io::{self, Write};

/// A format of traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceFormat {
    /// JSON lines with everything that is kept of a row.
    Jsonl,
    /// Mooncake's JSON lines.
    Mooncake,
    /// Azure's CSV.
    Azure,
    /// BLIS TraceV2.
    Blis,
}

/// Tokens in a block of Mooncake's hash ids.
const MOONCAKE_BLOCK: u32 = 512;
/// The first instant of a trace without a calendar: 2000-01-01.
const NO_CALENDAR_US: i64 = 946_684_800_000_000;

const AZURE_HEADER: &str = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
const BLIS_HEADER: &str = "request_id,client_id,tenant_id,slo_class,session_id,round_index,prefix_group,prefix_length,\
    streaming,input_tokens,output_tokens,text_tokens,image_tokens,audio_tokens,video_tokens,reason_ratio,model,\
    deadline_us,server_input_tokens,arrival_time_us,send_time_us,first_chunk_time_us,last_chunk_time_us,num_chunks,\
    status,error_message,finish_reason\n";

impl TraceFormat {
    /// Writes all rows.
    pub fn write(self, trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Jsonl => (0..trace.len()).try_for_each(|row| jsonl(trace, row, out)),
            Self::Mooncake => mooncake(trace, out),
            Self::Azure => azure(trace, out),
            Self::Blis => blis(trace, out),
        }
    }

    /// The text of a second file that the format needs beside the rows.
    pub fn header_file(self) -> Option<&'static str> {
        let header = "trace_version: 2\ntime_unit: microseconds\nmode: generated\nwarm_up_requests: 0\n";
        (self == Self::Blis).then_some(header)
    }

    /// What the trace has and the format does not, in words.
    pub fn lost(self, trace: &Trace) -> Vec<String> {
        let any = |of: &dyn Fn(usize) -> bool| (0..trace.len()).any(of);
        let has_hashes = trace.hash_block_tokens() > 0;
        let has_prefixes = any(&|row| trace.prefix(row).is_some());
        let has_sessions = any(&|row| trace.session(row) > 0);
        let has_classes = any(&|row| trace.class(row) > 0);
        let has_priorities = any(&|row| trace.priority(row) != 0);
        let has_ids = any(&|row| !trace.request_id(row).is_empty());
        let has_fractions = any(&|row| !trace.arrival(row).0.is_multiple_of(1000));
        let (mooncake, azure, blis) = (self == Self::Mooncake, self == Self::Azure, self == Self::Blis);
        let all = [
            (has_hashes && (azure || blis), "hash ids: prompts share nothing"),
            (has_prefixes && azure, "named prefixes: prompts share nothing"),
            (has_sessions && azure, "sessions"),
            (!trace.tenants().is_empty() && (mooncake || azure), "tenants"),
            (has_classes && (mooncake || azure), "SLO classes"),
            (has_priorities && self != Self::Jsonl, "priorities"),
            (!trace.models().is_empty() && (mooncake || azure), "models"),
            (!trace.adapters().is_empty() && self != Self::Jsonl, "adapters"),
            (has_ids && self != Self::Jsonl, "ids of requests"),
            (has_fractions && mooncake, "fractions of a millisecond"),
            (trace.wall_clock_us(0).is_some() && (mooncake || blis), "dates: times start at 0"),
        ];
        let mut lost: Vec<String> =
            all.into_iter().filter(|(is_lost, _)| *is_lost).map(|(_, what)| what.to_owned()).collect();
        let block = trace.hash_block_tokens();
        if mooncake && has_hashes && block != MOONCAKE_BLOCK {
            lost.push(format!(
                "nothing, but hash ids stay ids of {block} tokens, which a reader must be given"
            ));
        }
        lost
    }
}

fn jsonl(trace: &Trace, row: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut line = Map::new();
    let mut set = |key: &str, value: Value| line.insert(key.to_owned(), value);
    let us = trace.wall_clock_us(row).map_or(trace.arrival(row).0, i64::unsigned_abs);
    let whole = us.is_multiple_of(1000);
    set("ts", if whole { (us / 1000).into() } else { (us as f64 / 1e3).into() });
    set("prompt_tokens", trace.prompt_tokens(row).into());
    set("gen_tokens", trace.output_tokens(row).into());
    if let Some((name, len)) = trace.prefix(row) {
        set("prefix_hash", format!("{name:016x}").into());
        set("prefix_len", len.into());
    }
    let mut ids: Vec<u64> = Vec::new();
    trace.for_each_hash(row, |id| ids.push(id));
    if !ids.is_empty() {
        set("hash_ids", ids.into());
    }
    if trace.session(row) > 0 {
        set("session_id", trace.session(row).into());
    }
    for (key, value) in [
        ("tenant", name(trace.tenants(), trace.tenant(row))),
        ("slo_class", class(trace, row)),
        ("model", name(trace.models(), trace.model(row))),
        ("adapter", name(trace.adapters(), trace.adapter(row))),
        ("request_id", &trace.request_id(row)),
    ] {
        if !value.is_empty() {
            set(key, value.into());
        }
    }
    if trace.priority(row) != 0 {
        set("priority", trace.priority(row).into());
    }
    writeln!(out, "{}", Value::Object(line))
}

/// The name with a number, of which 0 is none.
fn name(names: &[String], number: u32) -> &str {
    number.checked_sub(1).and_then(|i| names.get(i as usize)).map_or("", String::as_str)
}

fn class(trace: &Trace, row: usize) -> &'static str {
    let rank = trace.class(row).checked_sub(1);
    rank.and_then(|rank| SloClass::ALL.get(rank as usize)).map_or("", |class| class.name())
}

fn mooncake(trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
    let mut blocks = Blocks::of(trace);
    for row in 0..trace.len() {
        let ms = (trace.arrival(row).0 + 500) / 1000;
        let (prompt, output) = (trace.prompt_tokens(row), trace.output_tokens(row));
        let mut line = Map::new();
        line.insert("timestamp".to_owned(), ms.into());
        line.insert("input_length".to_owned(), prompt.into());
        line.insert("output_length".to_owned(), output.into());
        line.insert("hash_ids".to_owned(), blocks.ids(trace, row).into());
        if trace.session(row) > 0 {
            line.insert("session_id".to_owned(), trace.session(row).to_string().into());
        }
        writeln!(out, "{}", Value::Object(line))?;
    }
    Ok(())
}

/// Hash ids for prompts that have none.
struct Blocks {
    /// The next id that no row has.
    next: u64,
    /// Ids of blocks of prefixes, by the digest of name and number.
    prefixes: LookupMap<u64, u64>,
}

impl Blocks {
    fn of(trace: &Trace) -> Self {
        let mut next = 0;
        (0..trace.len()).for_each(|row| trace.for_each_hash(row, |id| next = next.max(id.saturating_add(1))));
        Self { next, prefixes: LookupMap::default() }
    }

    /// The ids of a row: its own; or one for each block of its prefix, shared, and new ones for the rest.
    fn ids(&mut self, trace: &Trace, row: usize) -> Vec<u64> {
        let mut ids = Vec::new();
        trace.for_each_hash(row, |id| ids.push(id));
        if !ids.is_empty() || trace.hash_block_tokens() > 0 {
            return ids;
        }
        let (prefix, len) = trace.prefix(row).unwrap_or((0, 0));
        for block in 0..trace.prompt_tokens(row).div_ceil(MOONCAKE_BLOCK) {
            let shared = (block + 1) * MOONCAKE_BLOCK <= len;
            let key = prefix.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(u64::from(block));
            let known = self.prefixes.get(key).filter(|_| shared);
            ids.push(known.unwrap_or(self.next));
            if known.is_none() {
                if shared {
                    self.prefixes.insert(key, self.next);
                }
                self.next += 1;
            }
        }
        ids
    }
}

fn azure(trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(AZURE_HEADER.as_bytes())?;
    for row in 0..trace.len() {
        let Micros(after) = trace.arrival(row);
        let us = trace.wall_clock_us(row).unwrap_or_else(|| NO_CALENDAR_US.saturating_add_unsigned(after));
        let date = Trace::date_text(us).unwrap_or_default().replace('T', " ").replace('Z', "0");
        writeln!(out, "{date},{},{}", trace.prompt_tokens(row), trace.output_tokens(row))?;
    }
    Ok(())
}

fn blis(trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(BLIS_HEADER.as_bytes())?;
    let mut rounds: LookupMap<u32, u32> = LookupMap::default();
    for row in 0..trace.len() {
        let session = trace.session(row);
        let round = if session > 0 { rounds.get(session).unwrap_or(0) } else { 0 };
        rounds.insert(session, round + 1);
        let session = if session > 0 { format!("s{session}") } else { String::new() };
        let (group, len) =
            trace.prefix(row).map_or((String::new(), 0), |(n, len)| (format!("{n:016x}"), len));
        let own = trace.prompt_tokens(row).saturating_sub(len);
        let tenant = quoted(name(trace.tenants(), trace.tenant(row)));
        let model = quoted(name(trace.models(), trace.model(row)));
        let class = if class(trace, row).is_empty() { "standard" } else { class(trace, row) };
        let (output, at) = (trace.output_tokens(row), trace.arrival(row).0);
        writeln!(
            out,
            "{row},trace,{tenant},{class},{session},{round},{group},{len},false,{own},{output},{own},0,0,0,0.0,{model},0,0,{at},{at},0,0,0,ok,,"
        )?;
    }
    Ok(())
}

/// A field of CSV.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
