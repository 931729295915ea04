//! Files that are not traces, or not of a known format: one message says what they are and what is read. Descriptive
//! names of columns, and block sizes that rows imply, are recognised.

use super::rows;
use std::sync::Arc;
use tokenyard::base::{Diagnostic, Diagnostics, Severity};
use tokenyard::scenario::{Scenario, TraceSettings};
use tokenyard::workload::{Source, Trace, TraceReader, TraceSummary};

/// Reads `bytes` handed out in pieces of `piece` bytes.
fn read_in_pieces(bytes: &[u8], piece: usize) -> (Option<Arc<Trace>>, Diagnostics, Option<TraceSummary>) {
    let mut reader = TraceReader::new("my.trace", 1 << 20);
    bytes.chunks(piece).for_each(|p| reader.push(p));
    reader.finish()
}

/// Asserts that `text` is refused for one reason at one place.
#[track_caller]
fn check_refused(text: &str, path: &str, found: &str) -> Diagnostic {
    let (trace, all, _) = read_in_pieces(text.as_bytes(), 1 << 16);
    let [only] = &all[..] else { panic!("{all:?}") };
    assert_eq!((trace, only.path.as_str()), (None, path), "{only}");
    assert!(only.found.contains(found) && !only.fix.is_empty(), "{only}");
    only.clone()
}

/// Asserts that bytes are refused as no trace, in one sentence that says what they are and which formats are read.
#[track_caller]
fn check_no_trace(bytes: &[u8], what: &str, fix: &str) {
    for piece in [1, 3, 1 << 16] {
        let (trace, all, _) = read_in_pieces(bytes, piece);
        let [only] = &all[..] else { panic!("{all:?}") };
        assert_eq!((trace, only.severity, only.path.as_str()), (None, Severity::Error, ""), "{only}");
        let starts = ["my.trace is not a trace: ", "my.trace is not read as a trace: "];
        assert!(starts.iter().any(|start| only.found.starts_with(&format!("{start}{what}"))), "{only}");
        let formats = "Formats: Azure, BurstGPT, Vidur, BLIS (CSV); Mooncake, Qwen-Bailian, RouteSim, AIBrix, \
                       vllm-vcr, OpenTelemetry spans, WEKA and GitHub Copilot sessions (JSON)";
        assert!(only.found.trim_end_matches('.').ends_with(formats) && only.fix.contains(fix), "{only}");
    }
}

#[test]
fn files_that_are_no_text_or_empty_are_refused() {
    check_no_trace(b"", "it is an empty file", "");
    check_no_trace(b"\n\n# nothing\n", "it is an empty file", "");
    let gzip = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x4b];
    check_no_trace(&gzip, "it is a gzip-compressed file", "gunzip");
    check_no_trace(b"PK\x03\x04\x14\0\0\0", "it is a zip archive", "unpack");
    check_no_trace(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "it is a picture", "");
    check_no_trace(b"\xff\xfeT\0I\0M\0E\0", "it is text in UTF-16", "UTF-8");
    check_no_trace(b"PAR1\x15\x04\x15", "it is a Parquet file", "CSV");
    check_no_trace(b"T\0I\0M\0E\0", "it is a binary file (near line 1)", "text in UTF-8");
    let latin1 = b"TIMESTAMP,ContextTokens,GeneratedTokens\n\xe9t\xe9,1,1\n";
    check_no_trace(latin1, "it is a binary file (near line 2)", "text in UTF-8");
}

#[test]
fn pointers_of_git_lfs_and_git_annex_are_named() {
    let lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n";
    let fix = check_refused(lfs, "my.trace", "a pointer of Git LFS").fix;
    assert!(fix.contains("git lfs pull"), "{fix}");
    let annex = "/annex/objects/SHA256E-s31390--f50d7ac4.csv\n";
    let fix = check_refused(annex, "my.trace", "a pointer of git-annex").fix;
    assert!(fix.contains("git annex get"), "{fix}");
}

#[test]
fn files_of_other_kinds_are_named_with_what_to_do() {
    check_no_trace(b"time,in,out\n1,2,3\n", "line 1 is \"time,in,out\"", "num_prefill_tokens");
    check_no_trace(b"{\"t\": 1, \"in\": 2}\n", "line 1 is", "arrived_at");
    check_no_trace(b"[{\"timestamp\": 1}]", "line 1 is \"{", "--columns arrival=");
    check_no_trace(b"[1, 2]", "it is a JSON array of something other than requests", "as an object");
    check_no_trace(
        b"trace_version: 2\ntime_unit: microseconds\n",
        "it is the header of a trace of BLIS",
        ".csv",
    );
    check_no_trace(
        b"num_prefill_tokens,num_decode_tokens\n1,2\n",
        "it is lengths without arrival",
        "arrived_at",
    );
    check_no_trace(b"0,0,0,,0,0\n600,12.5,1.8,Gamma,0.3,0.2\n", "it is a client of ServeGen", "rate profile");
    let lengths = b"{\n \"0\": {\n  \"input_tokens\": \"{100: 0.5, 200: 0.5}\",\n  \"output_tokens\": \"{50: 1.0}\"\n }\n}\n";
    check_no_trace(lengths, "it is distributions of lengths as ServeGen", "workload.clients");
    let chats = b"[\n {\n  \"id\": \"1\",\n  \"conversations\": [\n   {\"from\": \"human\", \"value\": \"Hi\"}\n  ]\n }\n]\n";
    check_no_trace(chats, "it is conversations as ShareGPT has them, without times", "workload.clients");
    check_no_trace(b"<!DOCTYPE html>\n<html>\n", "it is a web page", "Raw");
}

#[test]
fn names_that_say_what_they_are_are_read_with_a_warning() {
    let json = "{\"request_id\": \"b-0\", \"input_toks\": 2358, \"output_toks\": 531, \"arrival_time\": 1787267980.08}\n\
                {\"request_id\": \"b-1\", \"input_toks\": 1034, \"output_toks\": 769, \"arrival_time\": 1787267981.58}\n";
    let want = vec![(0, 2358, 531), (1_500_000, 1034, 769)];
    let csv = |time: &str, times: [&str; 2]| {
        format!(
            "id,{time},Prompt Tokens,completion_tokens\n1,{},2358,531\n2,{},1034,769\n",
            times[0], times[1]
        )
    };
    for text in [
        json.to_owned(),
        csv("arrival_ms", ["200", "1700"]),
        csv("start_time", ["0.25", "1.75"]),
        csv("timestamp", ["1787267980080000000", "1787267981580000000"]),
        csv("request_time", ["2024-05-10T00:00:00.5Z", "2024-05-10T00:00:02Z"]),
    ] {
        let (trace, all, summary) = read_in_pieces(text.as_bytes(), 64);
        assert_eq!(trace.map(|t| rows(&t)), Some(want.clone()), "{text}");
        let [only] = &all[..] else { panic!("{all:?}") };
        assert_eq!(only.severity, Severity::Warning);
        assert!(only.found.contains("read by its names") && only.found.contains("as the arrival"), "{only}");
        assert!(summary.is_some_and(|s| s.format == "CSV" || s.format == "JSON lines"));
    }
    check_refused(&format!("{json}{{\"arrival_time\": true}}\n"), "line 3", "true under \"arrival_time\"");
}

#[test]
fn ids_of_only_full_blocks_are_distinguished_from_ids_of_partial_ones() {
    let ids = |own: u32, n: u32| (1..=8).chain(own..own + n - 8).collect::<Vec<u32>>();
    let row = |t: u32, len: u32, own: u32| {
        format!(
            "{{\"timestamp\":{t},\"input_length\":{len},\"output_length\":1,\"hash_ids\":{:?}}}\n",
            ids(own, len / 16)
        )
    };
    let text = [row(0, 210, 100), row(5000, 280, 200), row(9000, 330, 300)].concat();
    let (trace, all, summary) = read_in_pieces(text.as_bytes(), 64);
    assert_eq!((all, summary.unwrap().hash_block_tokens), (vec![], 16));
    let mut scenario = Scenario::default();
    scenario.run.horizon_s = 0.0;
    scenario.workload.trace = Some(TraceSettings::default());
    let first = Source::new(&scenario, trace.as_ref()).take().unwrap();
    let lengths: Vec<u32> = first.prompt.pieces().iter().map(|p| p.len).collect();
    assert_eq!(lengths, [&[16; 13][..], &[2]].concat(), "what is no full block is text of its own");
}
