//! Formats of traces with hand-computed rows: BLIS TraceV2, AIBrix, vllm-vcr, spans of OpenTelemetry, lists of objects,
//! and any columns that the user names. Each has a broken sample for each of its traps.

#![expect(clippy::unwrap_used, reason = "helpers of tests panic")]

use super::rows;
use std::sync::Arc;
use tokenyard::base::Diagnostics;
use tokenyard::scenario::{Scenario, SloClass, TraceSettings};
use tokenyard::workload::{Source, Trace, TraceColumns, TraceFound, TraceReader, TraceReading, class_number};

fn reading_with(text: &str, columns: Option<&str>, piece: usize) -> TraceReading {
    let mut reader = TraceReader::new("my.trace", 1 << 24);
    if let Some(columns) = columns {
        reader = reader.with_columns(TraceColumns::parse(columns).unwrap());
    }
    text.as_bytes().chunks(piece).for_each(|p| reader.push(p));
    reader.finish_reading()
}

/// A trace read without a diagnostic, wherever its pieces end.
#[track_caller]
fn read(text: &str) -> (Arc<Trace>, TraceFound) {
    let whole = reading_with(text, None, 1 << 20);
    assert_eq!(whole.diagnostics, []);
    let trace = whole.trace.unwrap();
    for piece in [1, 7] {
        assert_eq!(reading_with(text, None, piece).trace.as_ref(), Some(&trace));
    }
    (trace, whole.found.unwrap())
}

#[track_caller]
fn refused(text: &str, columns: Option<&str>, path: &str, found: &str) {
    let TraceReading { trace, diagnostics, .. } = reading_with(text, columns, 1 << 20);
    assert_eq!(trace, None, "{text}");
    let first = &diagnostics[0];
    assert!(first.path == path && first.found.contains(found) && !first.fix.is_empty(), "{first}");
}

/// The lengths of the pieces of each prompt of a replay.
fn pieces(trace: &Arc<Trace>) -> Vec<Vec<(u64, u32)>> {
    let mut scenario = Scenario::default();
    scenario.run.horizon_s = 0.0;
    scenario.workload.trace = Some(TraceSettings::default());
    let mut source = Source::new(&scenario, Some(trace));
    std::iter::from_fn(|| source.take())
        .map(|r| r.prompt.pieces().iter().map(|p| (p.source, p.len)).collect())
        .collect()
}

#[test]
fn fields_separated_by_semicolons_or_tabs_are_read_as_those_separated_by_commas() {
    let (commas, _) =
        read("arrived_at,num_prefill_tokens,num_decode_tokens,note\n0.25,100,10,\n1.5,200,20,x\n");
    for (separator, point) in [(";", "."), (";", ","), ("\t", "."), ("\t", ",")] {
        let (first, second) = (format!("0{point}25"), format!("1{point}5"));
        let table = [
            ["arrived_at", "num_prefill_tokens", "num_decode_tokens", "note"],
            [&first, "100", "10", ""],
            [&second, "200", "20", "x"],
        ];
        let text: String = table.iter().map(|fields| fields.join(separator) + "\n").collect();
        assert_eq!(rows(&read(&text).0), rows(&commas), "{text}");
    }
    let named = "when;in;out\n0,5;7;3\n";
    let found = reading_with(named, Some("arrival:s=when,prompt=in,output=out"), 3);
    assert_eq!(rows(&found.trace.unwrap()), [(0, 7, 3)]);
    refused("arrived_at;num_prefill_tokens;num_decode_tokens\n0;1,5;3\n", None, "line 2", "1.5 tokens");
}

const BLIS: &str = "request_id,client_id,tenant_id,slo_class,session_id,round_index,prefix_group,prefix_length,streaming,input_tokens,output_tokens,model,server_input_tokens,arrival_time_us,status\n\
    0,c,acme,critical,s0,0,doc,256,false,512,128,,0,0,ok\n\
    1,c,acme,batch,s0,1,,0,false,256,64,,300,250000,ok\n\
    2,c,zeta,standard,,0,doc,256,false,100,10,,999,400000,ok\n";

#[test]
fn a_trace_of_blis_has_tenants_classes_sessions_and_prefixes() {
    let (trace, found) = read(BLIS);
    // A prefix comes before the prompt's own tokens; without one, the server's count wins.
    assert_eq!(rows(&trace), [(0, 768, 128), (250_000, 300, 64), (400_000, 356, 10)]);
    assert_eq!(trace.tenants(), ["acme", "zeta"]);
    let sessions: Vec<u32> = (0..3).map(|row| trace.session(row)).collect();
    assert_eq!(sessions, [1, 1, 0]);
    let classes: Vec<u32> = (0..3).map(|row| trace.class(row)).collect();
    assert_eq!(classes, [SloClass::Critical, SloClass::Batch, SloClass::Standard].map(class_number));
    let prompts = pieces(&trace);
    assert_eq!(prompts[0][0], prompts[2][0], "one group, one prefix");
    assert_eq!((prompts[0][0].1, prompts[0][1].1), (256, 512));
    assert_eq!((found.format.as_str(), found.unit.as_str()), ("BLIS TraceV2", "us"));
    assert_eq!(found.not_read, ["client_id", "round_index", "streaming", "status"]);
    refused(&BLIS.replace("250000", "later"), None, "line 3", "arrival time \"later\"");
}

#[test]
fn a_workload_of_aibrix_has_several_requests_at_an_instant() {
    let line = r#"{"timestamp": 19, "requests": [{"prompt": "a {b}", "prompt_length": 101, "output_length": 5, "session_id": 0}, {"prompt": "c", "Prompt Length": 7, "Output Length": 3}]}"#;
    let later = r#"{"timestamp": 1019, "requests": [{"prompt": "d", "prompt_length": 9, "output_length": 2, "session_id": 0}]}"#;
    let want = [(0, 101, 5), (0, 7, 3), (1_000_000, 9, 2)];
    let (trace, found) = read(&format!("{line}\n{later}\n"));
    assert_eq!(rows(&trace), want);
    assert_eq!([0, 1, 2].map(|row| trace.session(row)), [1, 0, 1]);
    assert_eq!((found.format.as_str(), found.unit.as_str()), ("AIBrix", "ms"));
    // The same over several lines, one object after the other.
    let spread = format!("{line}\n{later}\n").replace(", \"requests\": [", ",\n  \"requests\":\n  [\n");
    assert_eq!(rows(&read(&spread).0), want);
    refused(
        &line.replace("\"output_length\": 5", "\"output_length\": null"),
        None,
        "line 1",
        "without output_length",
    );
}

#[test]
fn records_of_vllm_vcr_are_sorted_by_arrival() {
    let text = r#"{"meta": {"model": "m", "block_size": 32}}
{"prompt_tokens": 70, "cached_tokens": 0, "output_tokens": 4, "ttft_ms": 9.0, "arrival_ms": 1500.25, "block_hashes": [18446744073709551615, 2]}
{"prompt_tokens": 64, "cached_tokens": 32, "output_tokens": 2, "ttft_ms": 7.0, "arrival_ms": 1000.0, "block_hashes": [18446744073709551615, 3]}
"#;
    let (trace, found) = read(text);
    assert_eq!(rows(&trace), [(0, 64, 2), (500_250, 70, 4)]);
    assert_eq!((found.block_tokens, trace.hash_block_tokens()), (32, 32));
    let prompts = pieces(&trace);
    assert_eq!(prompts[0][0], prompts[1][0]);
    assert_eq!(prompts[1].iter().map(|p| p.1).collect::<Vec<_>>(), [32, 32, 6]);
    refused(&text.replace(", \"arrival_ms\": 1000.0", ""), None, "line 3", "without arrival_ms");
}

/// One span in OTLP's form.
fn span(start: &str, input: &str, more: &str) -> String {
    let id = start.trim_matches('"');
    format!(
        r#"{{"traceId": "t", "spanId": "s{id}", "name": "chat", "startTimeUnixNano": {start}, "endTimeUnixNano": "9", "attributes": [{input}{{"key": "gen_ai.usage.output_tokens", "value": {{"intValue": 8}}}}{more}]}}"#
    )
}

#[test]
fn spans_with_tokens_are_requests_in_every_form() {
    let tokens =
        |key: &str, value: &str| format!(r#"{{"key": "{key}", "value": {{"intValue": {value}}}}}, "#);
    let conversation = r#", {"key": "gen_ai.conversation.id", "value": {"stringValue": "c1"}}, {"key": "gen_ai.request.model", "value": {"stringValue": "llama"}}"#;
    let first =
        span("\"1700000000250000000\"", &tokens("gen_ai.usage.input_tokens", "\"100\""), conversation);
    let second = span("1700000000500000999", &tokens("llm.usage.prompt_tokens", "50"), conversation);
    let want = [(0, 100, 8), (250_000, 50, 8)];
    let export = |spans: &str| {
        format!(r#"{{"resourceSpans": [{{"resource": {{}}, "scopeSpans": [{{"spans": [{spans}]}}]}}]}}"#)
    };
    let both = format!("{first}, {second}");
    for text in [
        format!("{}\n{}\n", export(&first), export(&second)),
        export(&both),
        export(&both).replace("[{", "[\n{\n").replace("}}, ", "}},\n  "),
        format!("{first}\n{second}\n"),
        format!("[\n {first},\n {second}\n]\n"),
    ] {
        let (trace, found) = read(&text);
        assert_eq!(rows(&trace), want, "{text}");
        assert_eq!((trace.session(0), trace.session(1), trace.models().len()), (1, 1, 1));
        assert_eq!(found.format, "OpenTelemetry");
        assert_eq!(trace.wall_clock(0).as_deref(), Some("2023-11-14T22:13:20.250000Z"));
    }
    // Spans of agents repeat the tokens of their calls, and others have none.
    let agent = r#", {"key": "gen_ai.operation.name", "value": {"stringValue": "invoke_agent"}}"#;
    let agent = span("1700000000000000000", &tokens("gen_ai.usage.input_tokens", "150"), agent);
    let text = format!("{first}\n{agent}\n{}\n", span("1700000000000000000", "", ""));
    let TraceReading { trace, diagnostics, .. } = reading_with(&text, None, 100);
    assert_eq!(rows(&trace.unwrap()), [(0, 100, 8)]);
    assert!(
        diagnostics.len() == 1 && diagnostics[0].found.contains("2 spans are no requests: lines 2, 3"),
        "{diagnostics:?}"
    );
    // Plain spans with an object of attributes.
    let plain = r#"{"name": "chat", "start_time": "2024-05-10T00:00:00.5Z", "attributes": {"gen_ai.usage.input_tokens": 3, "gen_ai.usage.output_tokens": 2}}"#;
    assert_eq!(rows(&read(plain).0), [(0, 3, 2)]);
    refused(
        &plain.replace("2024-05-10T00:00:00.5Z", "noon"),
        None,
        "line 1",
        "\"noon\" as the start of a span",
    );
    refused(&plain.replace(": 3,", ": \"many\","), None, "line 1", "as a number of tokens");
}

#[test]
fn a_list_of_objects_is_read_as_lines() {
    let line = |t: u32| format!("{{\"timestamp\": {t}, \"input_length\": 10, \"output_length\": 2}}");
    let want = [(0, 10, 2), (5_000, 10, 2)];
    for text in [
        format!("[{}, {}]", line(0), line(5)),
        format!("[\n{},\n{}\n]\n", line(0), line(5)),
        format!("[{},{}]", line(0), line(5)).replace(", ", ",\n   "),
    ] {
        assert_eq!(rows(&read(&text).0), want, "{text}");
    }
    refused(
        &format!("[\n{},\n{}\n]\n", line(0), line(5).replace("10", "\"x\"")),
        None,
        "line 3",
        "wrong kind",
    );
    refused("[{\"timestamp\": 1,\n", None, "", "JSON array");
}

#[test]
fn columns_that_the_user_names_are_read() {
    let csv = "when,in,out,who,level\n100,10,1,acme,batch\n350,20,2,zeta,critical\n";
    let columns = Some("arrival:ms=when,prompt=in,output=out,tenant=who,class=level");
    let TraceReading { trace, diagnostics, found, .. } = reading_with(csv, columns, 3);
    assert_eq!(diagnostics, []);
    let trace = trace.unwrap();
    assert_eq!(rows(&trace), [(0, 10, 1), (250_000, 20, 2)]);
    assert_eq!(trace.tenants(), ["acme", "zeta"]);
    assert_eq!([0, 1].map(|row| trace.class(row)), [SloClass::Batch, SloClass::Critical].map(class_number));
    assert_eq!(found.unwrap().format, "CSV");
    let json = "{\"t\": \"2.5\", \"usage\": {\"in\": 10, \"out\": 1}, \"who\": 7}\n{\"t\": 3, \"usage\": {\"in\": 20, \"out\": 2}}\n";
    let columns = Some("arrival=t,prompt=usage.in,output=usage.out,tenant=who");
    let TraceReading { trace, diagnostics, .. } = reading_with(json, columns, 3);
    assert_eq!(diagnostics, []);
    let trace = trace.unwrap();
    assert_eq!(rows(&trace), [(0, 10, 1), (500_000, 20, 2)]);
    assert_eq!((trace.tenants(), trace.tenant(1)), (&["7".to_owned()][..], 0));
}

#[test]
fn the_unit_of_a_known_format_is_overruled_and_its_blocks_stay() {
    let line = |t: u32| {
        format!("{{\"timestamp\":{t},\"input_length\":1000,\"output_length\":1,\"hash_ids\":[1,{t}]}}\n")
    };
    let text = [line(2), line(5)].concat();
    let TraceReading { trace, diagnostics, summary, .. } =
        reading_with(&text, Some("arrival:s=timestamp"), 9);
    assert_eq!(diagnostics, []);
    assert_eq!(rows(&trace.unwrap()), [(0, 1000, 1), (3_000_000, 1000, 1)]);
    assert_eq!(summary.unwrap().hash_block_tokens, 512);
    assert_eq!(rows(&read(&text).0)[1].0, 3_000);
}

#[test]
fn columns_that_a_file_does_not_have_are_reported_with_those_it_has() {
    let csv = "when,in,out\n1,2,3\n";
    refused(csv, Some("arrival=time,prompt=in,output=out"), "my.trace", "no column \"time\"");
    let all: Diagnostics = reading_with(csv, Some("arrival=time,prompt=in,output=o"), 9).diagnostics;
    assert!(all[0].found.contains("\"time\", \"o\"") && all[0].allowed == "when, in, out", "{all:?}");
    refused("{\"when\": 1}\n", Some("arrival=time"), "my.trace", "no column \"time\"");
    // Named in part, and the rest is not recognisable.
    refused(csv, Some("arrival=when"), "", "with the columns when, in, out");
}

#[test]
fn a_last_line_that_is_cut_off_is_left_out_with_a_warning() {
    let json = "{\"timestamp\": 0, \"input_length\": 1, \"output_length\": 1}\n{\"timestamp\": 1, \"inp";
    let csv = "arrived_at,num_prefill_tokens,num_decode_tokens\n0,1,1\n1,5";
    for text in [json, csv] {
        let TraceReading { trace, diagnostics, found, .. } = reading_with(text, None, 5);
        assert_eq!(rows(&trace.unwrap()), [(0, 1, 1)]);
        let [only] = &diagnostics[..] else { panic!("{diagnostics:?}") };
        assert!(only.found.contains("the last line ends too early and was left out: line"), "{only}");
        assert_eq!(found.unwrap().odd[0].why, "cut off at the end");
        assert_eq!(
            reading_with(&format!("{text}\n"), None, 5).trace,
            None,
            "a line that ends is not cut off"
        );
    }
}
