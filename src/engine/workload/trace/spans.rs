//! Spans of OpenTelemetry with attributes of generative AI: as OTLP JSON (`resourceSpans`), a line or a document, or as
//! plain spans, a line each or in a list. A span with the tokens of a prompt is a request; all others are skipped.

use super::jsonl::{bad_json, name};
use super::row::{Bad, Row};
use super::rows::Rows;
use super::sessions::Link;
use super::{pick, stamp};
use serde::Deserialize;
use serde_json::{Map, Value};

/// Attributes with the tokens of a prompt, the present convention first.
const PROMPTS: [&str; 5] = [
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.prompt_tokens",
    "llm.usage.prompt_tokens",
    "llm.prompt_tokens",
    "gen_ai.prompt.tokens",
];
/// Attributes with the tokens of an answer.
const OUTPUTS: [&str; 5] = [
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
    "llm.usage.completion_tokens",
    "llm.completion_tokens",
    "gen_ai.completion.tokens",
];
const SESSIONS: [&str; 2] = ["gen_ai.conversation.id", "llm.conversation_id"];
const MODELS: [&str; 2] = ["gen_ai.request.model", "gen_ai.response.model"];
const ADAPTERS: [&str; 1] = ["gen_ai.request.adapter"];
const TENANTS: [&str; 2] = ["tenant.id", "enduser.id"];
const IDS: [&str; 1] = ["gen_ai.response.id"];
const OPERATION: &str = "gen_ai.operation.name";
/// Operations whose spans repeat the tokens of the calls within them.
const REPEATS: [&str; 3] = ["invoke_agent", "create_agent", "execute_tool"];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Export {
    resource_spans: Vec<ResourceSpans>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResourceSpans {
    #[serde(default, alias = "instrumentationLibrarySpans")]
    scope_spans: Vec<ScopeSpans>,
}

#[derive(Deserialize)]
struct ScopeSpans {
    #[serde(default)]
    spans: Vec<Span>,
}

#[derive(Deserialize)]
struct Span {
    #[serde(
        rename = "startTimeUnixNano",
        alias = "start_time_unix_nano",
        alias = "start_time",
        alias = "startTime"
    )]
    start: Value,
    #[serde(default)]
    attributes: Value,
    #[serde(default, rename = "spanId", alias = "span_id")]
    id: Value,
}

/// Whether a line holds spans.
pub(super) fn recognises(line: &str) -> bool {
    let attributes = |span: &Span| !span.attributes.is_null();
    serde_json::from_str::<Export>(line).is_ok()
        || serde_json::from_str::<Span>(line).is_ok_and(|span| attributes(&span))
}

/// Reads one line: an export, or one span.
pub(super) fn read(line: &str, rows: &mut Rows) -> Result<(), Bad> {
    // An export may be large, and is read once.
    let start: String = line.chars().take(100).collect();
    if !start.contains("resourceSpans") {
        let span: Span = serde_json::from_str(line).map_err(|e| bad_json(&e))?;
        return read_span(&span, rows);
    }
    let export: Export = serde_json::from_str(line).map_err(|e| bad_json(&e))?;
    let scopes = export.resource_spans.into_iter().flat_map(|resource| resource.scope_spans);
    scopes.flat_map(|scope| scope.spans).try_for_each(|span| read_span(&span, rows))
}

fn read_span(span: &Span, rows: &mut Rows) -> Result<(), Bad> {
    let attributes = attributes(&span.attributes);
    let of = |names: &[&str]| names.iter().find_map(|name| attributes.get(*name));
    let is_repeat = of(&[OPERATION]).and_then(Value::as_str).is_some_and(|name| REPEATS.contains(&name));
    let Some(prompt) = of(&PROMPTS).filter(|_| !is_repeat) else {
        rows.left_out.no_requests.add(rows.line);
        return Ok(());
    };
    let text =
        |names: &[&str]| of(names).map(|v| pick::scalar(v).into_text().into_owned()).unwrap_or_default();
    let own = text(&IDS);
    let session = of(&SESSIONS).map(pick::scalar);
    let row = Row {
        arrival_us: instant(&span.start)?,
        prompt_tokens: tokens(prompt)?,
        output_tokens: of(&OUTPUTS).map_or(Ok(0.0), tokens)?,
        session: name(session.as_ref())?.map(|name| Link { name, before: None }),
        model: text(&MODELS).into(),
        adapter: text(&ADAPTERS).into(),
        tenant: text(&TENANTS).into(),
        id: if own.is_empty() { span.id.as_str().unwrap_or_default().to_owned() } else { own }.into(),
        ..Row::default()
    };
    rows.push(&row)
}

/// Attributes by name: of a list of pairs, as OTLP has them, or of an object.
fn attributes(value: &Value) -> Map<String, Value> {
    let Value::Array(pairs) = value else { return value.as_object().cloned().unwrap_or_default() };
    let pair = |pair: &Value| {
        let key = pair.get("key")?.as_str()?.to_owned();
        let value = pair.get("value")?.as_object()?.values().next()?.clone();
        Some((key, value))
    };
    pairs.iter().filter_map(pair).collect()
}

/// A number, or a text that is one: OTLP writes 64-bit numbers as texts.
fn tokens(value: &Value) -> Result<f64, Bad> {
    let number = value.as_f64().or_else(|| value.as_str().and_then(stamp::decimal));
    number.ok_or_else(|| {
        let found = format!("{value} as a number of tokens");
        Bad::new(found, "a whole number, or a text that is one", "correct or remove the span")
    })
}

/// Nanoseconds since 1970, as a number or a text, or a date.
fn instant(value: &Value) -> Result<i64, Bad> {
    let nanoseconds = |text: &str| {
        let digits = text.bytes().all(|b| b.is_ascii_digit());
        if digits { text.parse::<u64>().ok().and_then(|ns| i64::try_from(ns / 1000).ok()) } else { None }
    };
    let found = match value {
        Value::String(text) => nanoseconds(text).or_else(|| stamp::date_time(text)),
        Value::Number(number) => nanoseconds(&number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    found.ok_or_else(|| {
        let allowed = "nanoseconds since 1970, or a date such as 2024-05-10T00:00:00.25Z";
        Bad::new(format!("{value} as the start of a span"), allowed, "correct or remove the span")
    })
}
