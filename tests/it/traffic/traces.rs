//! Trace files: every format, and every way to be wrong.

#![expect(clippy::unwrap_used, reason = "helpers of tests panic")]

use super::rows;
use std::fmt::Write as _;
use std::sync::Arc;
use tokenyard::base::{Diagnostic, Diagnostics, Micros, Severity};
use tokenyard::scenario::{Scenario, TraceSettings};
use tokenyard::workload::{RequestSpec, Source, Trace, TraceReader, TraceSummary};

const MIB: u64 = 1 << 20;

type Outcome = (Option<Arc<Trace>>, Diagnostics, Option<TraceSummary>);

/// Reads `bytes` handed out in pieces of `piece` bytes.
fn read_in_pieces(bytes: &[u8], piece: usize) -> Outcome {
    let mut reader = TraceReader::new("my.trace", MIB);
    bytes.chunks(piece).for_each(|p| reader.push(p));
    reader.finish()
}

/// Reads a good trace that causes no diagnostics.
fn read(text: &str) -> (Arc<Trace>, TraceSummary) {
    let (trace, diagnostics, summary) = read_in_pieces(text.as_bytes(), 1 << 16);
    assert_eq!(diagnostics, []);
    (trace.unwrap(), summary.unwrap())
}

/// Reads a bad trace: there is neither trace nor summary, only diagnostics of which one is an error.
fn refuse(bytes: &[u8]) -> Diagnostics {
    let (trace, diagnostics, summary) = read_in_pieces(bytes, 1 << 16);
    assert_eq!((trace, summary), (None, None), "{diagnostics:?}");
    assert!(diagnostics.iter().any(|d| d.severity == Severity::Error));
    diagnostics
}

/// A scenario that replays a trace, without a horizon.
fn replaying(settings: TraceSettings) -> Scenario {
    let mut scenario = Scenario::default();
    scenario.run.horizon_s = 0.0;
    scenario.workload.trace = Some(settings);
    scenario
}

pub(super) fn replay(trace: &Arc<Trace>, settings: TraceSettings) -> Vec<RequestSpec> {
    let mut source = Source::new(&replaying(settings), Some(trace));
    std::iter::from_fn(|| source.take()).collect()
}

const AZURE: &str = "TIMESTAMP,ContextTokens,GeneratedTokens\n\
    2023-11-16 23:59:59.9999990,374,44\n\
    2023-11-17 00:00:00.0000015,396,109\n\
    2023-11-17 00:00:01.5,879,55\n";

const MOONCAKE: &str = r#"{"timestamp": 0, "input_length": 1100, "output_length": 500, "hash_ids": [0, 1, 2]}
{"timestamp": 3000, "input_length": 1024, "output_length": 20, "hash_ids": [0, 1]}
{"timestamp": 3000.25, "input_length": 700, "output_length": 7, "hash_ids": [0, 99999999999]}
"#;

#[test]
fn azure_stamps_are_exact_across_midnight() {
    let (trace, summary) = read(AZURE);
    assert_eq!(rows(&trace), [(0, 374, 44), (2, 396, 109), (1_500_001, 879, 55)]);
    assert_eq!(summary.format, "Azure LLM inference");
    assert_eq!((summary.requests, summary.prompt_tokens, summary.output_tokens), (3, 1649, 208));
    assert_eq!((summary.duration_s, summary.hash_block_tokens), (1.500_001, 0));
}

#[test]
fn azure_2024_has_zones_and_2025_one_more_column() {
    let (trace, _) = read(
        "TIMESTAMP,NumImages,ContextTokens,GeneratedTokens\r\n\
         2024-05-10 00:00:00.009930+00:00,1,2162,5\r\n2024-05-10 02:00:00.009931+02:00,0,2399,6",
    );
    assert_eq!(rows(&trace), [(0, 2162, 5), (1, 2399, 6)]);
}

#[test]
fn mooncake_rows_share_the_blocks_they_name() {
    let (trace, summary) = read(MOONCAKE);
    assert_eq!(rows(&trace), [(0, 1100, 500), (3_000_000, 1024, 20), (3_000_250, 700, 7)]);
    assert_eq!((summary.format.as_str(), summary.hash_block_tokens), ("Mooncake", 512));
    let all = replay(&trace, TraceSettings::default());
    let pieces = |i: usize| all[i].prompt.pieces();
    let lengths = |i: usize| pieces(i).iter().map(|p| p.len).collect::<Vec<_>>();
    assert_eq!((lengths(0), lengths(1), lengths(2)), (vec![512, 512, 76], vec![512, 512], vec![512, 188]));
    assert_eq!(pieces(0)[..2], *pieces(1), "equal ids are equal texts");
    assert_eq!(pieces(0)[0], pieces(2)[0]);
    assert_ne!(pieces(0)[1].source, pieces(2)[1].source);
    assert_ne!(all[0].output.source, all[1].output.source);
}

#[test]
fn a_packed_trace_is_the_same_and_a_damaged_one_is_reported() {
    for text in [AZURE, MOONCAKE] {
        let (trace, _) = read(text);
        let packed = trace.packed();
        assert_eq!(Trace::unpacked(&packed).as_ref(), Some(&*trace));
        assert_eq!(Trace::unpacked(&packed[..packed.len() - 1]), None, "cut off");
        for at in 0..packed.len() {
            let mut damaged = packed.clone();
            damaged[at] ^= 0x41;
            // Many such bytes are still a trace; what is taken for one can be replayed.
            if let Some(trace) = Trace::unpacked(&damaged) {
                replay(&Arc::new(trace), TraceSettings::default());
            }
        }
    }
}

#[test]
fn another_block_size_can_be_set_and_the_rest_is_own_text() {
    let (trace, _) = read(MOONCAKE);
    let all = replay(&trace, TraceSettings { hash_block_tokens: 16, ..TraceSettings::default() });
    let lengths: Vec<u32> = all[0].prompt.pieces().iter().map(|p| p.len).collect();
    assert_eq!(lengths, [16, 16, 16, 1052]);
    assert_eq!((all[0].prompt.len(), all[0].prompt_tokens), (1100, 1100));
    assert_ne!(all[0].prompt.pieces()[3].source, all[1].prompt.pieces()[2].source);
}

#[test]
fn block_sizes_are_worked_out_from_the_rows() {
    let row = |len: u32, block: u32| {
        let ids: Vec<u32> = (0..len.div_ceil(block)).collect();
        format!("{{\"timestamp\":{len},\"input_length\":{len},\"output_length\":1,\"hash_ids\":{ids:?}}}\n")
    };
    for block in [16, 64, 128, 512] {
        let text: String = [1000, 2000, 5000].map(|len| row(len, block)).concat();
        assert_eq!(read(&text).1.hash_block_tokens, block);
    }
    // One row that does not fit is reported and does not change the others.
    let text = [row(1000, 64), row(2000, 64), row(5000, 512)].concat();
    let (trace, diagnostics, summary) = read_in_pieces(text.as_bytes(), 64);
    assert_eq!((trace.unwrap().len(), summary.unwrap().hash_block_tokens), (3, 64));
    let [only] = &diagnostics[..] else { panic!("{diagnostics:?}") };
    assert_eq!(only.severity, Severity::Warning);
    assert!(only.found.starts_with("1 of 3 requests"), "{only}");
    assert!(only.fix.contains("workload.trace.hash_block_tokens"), "{only}");
}

#[test]
fn qwen_times_are_seconds_and_blocks_16_tokens() {
    let (trace, summary) = read(
        r#"{"chat_id": 159, "parent_chat_id": -1, "timestamp": 61.114, "input_length": 40, "output_length": 132, "type": "text", "turn": 1, "hash_ids": [1089, 1090, 1091]}
{"chat_id": 160, "parent_chat_id": 159, "timestamp": 61.5, "input_length": 16, "output_length": 2, "type": "text", "turn": 2, "hash_ids": [1089]}"#,
    );
    assert_eq!(rows(&trace), [(0, 40, 132), (386_000, 16, 2)]);
    assert_eq!((summary.format.as_str(), summary.hash_block_tokens), ("Qwen-Bailian", 16));
}

#[test]
fn burstgpt_vidur_and_routesim_are_read() {
    let (trace, summary) = read(
        "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n\
         5,ChatGPT,472,18,490,Conversation log\n45,\"GPT-4, large\",1087,230,1317,API log\n",
    );
    assert_eq!((rows(&trace), &*summary.format), (vec![(0, 472, 18), (40_000_000, 1087, 230)], "BurstGPT"));
    let (trace, summary) = read(
        "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n\
         19440110.5,1722ac82,43,GPT-4,906,446,1352,Conversation log\n",
    );
    assert_eq!((rows(&trace), &*summary.format), (vec![(0, 906, 446)], "BurstGPT"));
    let (trace, summary) = read("arrived_at,num_prefill_tokens,num_decode_tokens\n0.0,374,44\n0.25,10.0,3\n");
    assert_eq!((rows(&trace), &*summary.format), (vec![(0, 374, 44), (250_000, 10, 3)], "Vidur"));
    let (trace, summary) = read(
        "# made by hand\n{\"ts\": 10, \"prompt_tokens\": 512, \"gen_tokens\": 128}\n\
         {\"ts\": 12, \"prompt_tokens\": 512, \"gen_tokens\": 9, \"prefix_hash\": \"system\", \"prefix_len\": 256}\n\n\
         {\"ts\": 13, \"prompt_tokens\": 100, \"gen_tokens\": 9, \"prefix_hash\": \"system\", \"prefix_len\": 256}\n",
    );
    assert_eq!(
        (rows(&trace), &*summary.format),
        (vec![(0, 512, 128), (2000, 512, 9), (3000, 100, 9)], "RouteSim")
    );
    let prompts: Vec<_> = replay(&trace, TraceSettings::default()).into_iter().map(|r| r.prompt).collect();
    assert_eq!(prompts[0].pieces().len(), 1);
    let (long, cut) = (prompts[1].pieces(), prompts[2].pieces());
    assert_eq!((long[0].source, long[0].len, long[1].len), (cut[0].source, 256, 256));
    assert_eq!((cut.len(), cut[0].len), (1, 100), "a prefix ends with its prompt");
}

#[test]
fn rows_are_sorted_stably_and_start_at_zero() {
    let row = |ts: u32, n: u32| {
        format!("{{\"timestamp\":{ts},\"input_length\":{n},\"output_length\":1,\"hash_ids\":[{n}]}}\n")
    };
    let text = [row(700, 1), row(500, 2), row(700, 3), row(500, 4), row(600, 5)].concat();
    let (trace, _) = read(&text);
    assert_eq!(rows(&trace), [(0, 2, 1), (0, 4, 1), (100_000, 5, 1), (200_000, 1, 1), (200_000, 3, 1)]);
    // Hash ids went along with their rows.
    let (sorted, _) = read(&[row(0, 2), row(0, 4), row(100, 5), row(200, 1), row(200, 3)].concat());
    let prompts = |t| replay(t, TraceSettings::default()).into_iter().map(|r| r.prompt).collect::<Vec<_>>();
    assert_eq!(prompts(&trace), prompts(&sorted));
    assert_eq!(trace.digest(), sorted.digest());
}

#[test]
fn pieces_may_end_anywhere() {
    for text in [AZURE, MOONCAKE] {
        let with_marks = format!("\u{feff}{}", text.replace('\n', "\r\n"));
        let whole = read(text);
        for piece in [1, 2, 3, 7, 64] {
            let (trace, diagnostics, summary) = read_in_pieces(with_marks.as_bytes(), piece);
            assert_eq!((trace.unwrap(), summary.unwrap()), whole.clone(), "pieces of {piece}");
            assert_eq!(diagnostics, []);
        }
    }
}

#[test]
fn speed_divides_every_instant() {
    let (trace, _) = read(MOONCAKE);
    let at = |speed| {
        let settings = TraceSettings { speed, ..TraceSettings::default() };
        replay(&trace, settings).iter().map(|r| r.arrival.0).collect::<Vec<_>>()
    };
    assert_eq!(at(1.0), [0, 3_000_000, 3_000_250]);
    assert_eq!(at(2.0), [0, 1_500_000, 1_500_125]);
    assert_eq!(at(0.001), [0, 3_000_000_000, 3_000_250_000]);
}

#[test]
fn a_replay_is_the_only_source_and_survives_a_snapshot() {
    let (trace, _) = read(MOONCAKE);
    let mut scenario = replaying(TraceSettings::default());
    scenario.run.horizon_s = 3.0;
    let mut source = Source::new(&scenario, Some(&trace));
    assert_eq!((source.clients(), source.peek()), (&["trace".to_owned()][..], Some(Micros(0))));
    source.take();
    let bytes = postcard::to_stdvec(&source).unwrap();
    assert!(bytes.len() < 140, "the trace is not in a snapshot: {} bytes", bytes.len());
    let mut restored: Source = postcard::from_bytes(&bytes).unwrap();
    restored.attach(Some(&trace));
    assert_eq!(restored, source);
    assert_eq!(restored.take(), source.take());
    assert_eq!(source.peek(), None, "the third row comes after the horizon");
}

#[test]
fn failed_requests_are_left_out_with_one_warning() {
    let text =
        format!("{AZURE}2023-11-17 00:00:02,10,0\n2023-11-17 00:00:03,11,0\n2023-11-17 00:00:03,0,7\n");
    let (trace, diagnostics, _) = read_in_pieces(text.as_bytes(), 100);
    assert_eq!(trace.unwrap().len(), 3);
    let found: Vec<&str> = diagnostics.iter().map(|d| d.found.as_str()).collect();
    assert!(diagnostics.iter().all(|d| d.severity == Severity::Warning));
    assert_eq!(
        found,
        [
            "2 requests without output tokens (failed ones) were left out: lines 5, 6",
            "1 request without a prompt (a failed one) was left out: line 7"
        ]
    );
}

#[test]
fn the_first_row_that_is_kept_arrives_at_zero() {
    let row = |s: u32, output: u32| format!("{s},100,{output}\n");
    let header = "arrived_at,num_prefill_tokens,num_decode_tokens\n";
    let text = [header, &row(50, 0), &row(70, 2), &row(60, 3), &row(55, 0)].concat();
    let (trace, warnings, _) = read_in_pieces(text.as_bytes(), 1000);
    assert_eq!(warnings.len(), 1, "about two rows that were left out");
    assert_eq!(rows(&trace.unwrap()), [(0, 100, 3), (10_000_000, 100, 2)]);
}

#[test]
fn a_prefix_without_a_length_or_a_name_is_none() {
    let row = |prefix: &str| format!("{{\"ts\": 0, \"prompt_tokens\": 64, \"gen_tokens\": 1{prefix}}}\n");
    let named = row(", \"prefix_hash\": \"system\", \"prefix_len\": 32");
    let text =
        [named.clone(), row(", \"prefix_hash\": \"system\""), row(", \"prefix_len\": 32"), named].concat();
    let (trace, _) = read(&text);
    let requests = replay(&trace, TraceSettings::default());
    let pieces: Vec<usize> = requests.iter().map(|r| r.prompt.pieces().len()).collect();
    assert_eq!(pieces, [2, 1, 1, 2]);
    assert_eq!(requests[0].prompt.pieces()[0], requests[3].prompt.pieces()[0]);
}

/// Asserts that `text` is refused for one reason at one place.
fn check_refused(text: &str, path: &str, found: &str) -> Diagnostic {
    let all = refuse(text.as_bytes());
    let [only] = &all[..] else { panic!("{all:?}") };
    assert_eq!(only.path, path, "{only}");
    assert!(only.found.contains(found), "{only}");
    assert!(!only.allowed.is_empty() && !only.fix.is_empty(), "{only}");
    only.clone()
}

#[test]
fn a_bad_line_is_named_with_what_was_found() {
    let azure = |line: &str| format!("{AZURE}{line}\n2023-11-17 00:00:09.0,1,1\n");
    check_refused(&azure("2023-11-17 00:00:02,10"), "line 5", "2 columns");
    check_refused(&azure("yesterday,10,10"), "line 5", "arrival time \"yesterday\"");
    check_refused(&azure("2023-11-17 00:00:02,ten,10"), "line 5", "\"ten\" tokens");
    check_refused(&azure("2023-11-17 00:00:02,-5,10"), "line 5", "-5 tokens");
    check_refused(&azure("2023-11-17 00:00:02,1.5,10"), "line 5", "1.5 tokens");
    check_refused(&azure("2023-11-17 00:00:02,NaN,10"), "line 5", "NaN tokens");
    check_refused(&azure("2023-11-17 00:00:02,1e12,10"), "line 5", "1000000000000 tokens");
    check_refused(&azure("2023-11-17 00:00:02,1048000,1000"), "line 5", "1048000 + 1000 tokens");
    check_refused(&azure("\"2023-11-17 00:00:02,1,1"), "line 5", "columns");
    let moon = |line: &str| format!("{MOONCAKE}{line}\n");
    check_refused(
        &moon(r#"{"timestamp": 1, "input_length": 9, "output"#),
        "line 4",
        "a line that ends in the middle",
    );
    check_refused(&moon(r#"{"timestamp": "now", "input_length": 9}"#), "line 4", "a value of the wrong kind");
    check_refused(
        &moon(r#"{"timestamp": 1, "input_length": 9}"#),
        "line 4",
        "no number under \"output_length\"",
    );
    check_refused(
        &moon(r#"{"timestamp": 1e300, "input_length": 9, "output_length": 1}"#),
        "line 4",
        "arrival time",
    );
    check_refused(&moon("5,5,5"), "line 4", "column");
    check_refused(r#"{"timestamp": 1, "inp"#, "line 1", "a line that ends in the middle");
}

#[test]
fn twenty_bad_lines_are_described_and_the_rest_counted() {
    let mut text = AZURE.to_owned();
    (0..50).for_each(|i| writeln!(text, "bad line {i}").unwrap());
    let all = refuse(text.as_bytes());
    assert_eq!(all.len(), 21);
    assert_eq!((all[0].path.as_str(), all[19].path.as_str()), ("line 5", "line 24"));
    assert_eq!(all[20].found, "and 30 more bad lines");
}

#[test]
fn empty_traces_are_refused() {
    check_refused("TIMESTAMP,ContextTokens,GeneratedTokens\n", "my.trace", "a trace without requests");
    let all = refuse(b"arrived_at,num_prefill_tokens,num_decode_tokens\n0,5,0\n");
    assert_eq!(all.len(), 2, "the warning says where the rows went: {all:?}");
}

#[test]
fn a_repeated_column_that_is_read_is_reported() {
    let twice = "arrived_at,num_prefill_tokens,num_prefill_tokens,num_decode_tokens\n0,1,2,3\n";
    check_refused(twice, "my.trace", "two columns called \"num_prefill_tokens\"");
}

#[test]
fn files_and_lines_have_a_maximum_of_bytes() {
    let mut reader = TraceReader::new("big.csv", 2 * MIB);
    reader.push(AZURE.as_bytes());
    let row = b"2023-11-17 00:00:02.0,10,10\n".repeat(10_000);
    for pushed in 0..100 {
        assert_eq!(reader.has_failed(), pushed * row.len() as u64 + AZURE.len() as u64 > 2 * MIB);
        reader.push(&row);
    }
    let (trace, all, _) = reader.finish();
    assert_eq!((trace, all.len()), (None, 1));
    assert_eq!((all[0].path.as_str(), all[0].allowed.as_str()), ("big.csv", "at most 2 MiB"));

    let mut reader = TraceReader::new("wide.csv", 100 * MIB);
    let piece = vec![b'x'; 1 << 20];
    (0..9).for_each(|_| reader.push(&piece));
    let (_, all, _) = reader.finish();
    assert!(all[0].found.contains("line 1 is longer than 8 MiB"), "{all:?}");
}

/// A Mooncake trace of 100 requests, two per second, with times in units of `per_s` to the second.
fn two_per_second(per_s: f64) -> String {
    let row = |i: u32| {
        let t = f64::from(i) * 0.5 * per_s;
        format!("{{\"timestamp\":{t},\"input_length\":9,\"output_length\":1}}\n")
    };
    (0..100).map(row).collect()
}

#[test]
fn a_wrong_unit_is_warned_about_with_its_remedy() {
    for (per_s, unit, speed) in [(0.001, "", ""), (1.0, "seconds", "0.001"), (1e6, "microseconds", "1000")] {
        let (trace, all, _) = read_in_pieces(two_per_second(per_s).as_bytes(), 1 << 16);
        assert_eq!(trace.unwrap().len(), 100, "a warning does not refuse the trace");
        let [only] = &all[..] else { panic!("{all:?}") };
        assert_eq!((only.severity, only.path.as_str()), (Severity::Warning, "my.trace"));
        if unit.is_empty() {
            assert!(only.fix.contains("workload.trace.speed"), "{only}");
            continue;
        }
        assert!(only.allowed.contains(&format!("milliseconds; these look like {unit}")), "{only}");
        assert!(only.fix.ends_with(&format!("set workload.trace.speed to {speed}")), "{only}");
    }
    read(&two_per_second(1000.0));
    // Dates have no unit, and a handful of requests says nothing.
    read(&two_per_second(1.0).lines().take(10).fold(String::new(), |all, l| all + l + "\n"));
    let mut azure = "TIMESTAMP,ContextTokens,GeneratedTokens\n".to_owned();
    (0..100).for_each(|i| writeln!(azure, "2023-11-16 10:00:00.{i:06},5,5").unwrap());
    read(&azure);
}

#[test]
fn a_trace_longer_than_a_run_is_warned_about() {
    let text = "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-01-01 00:00:00,5,5\n2023-03-01 00:00:00,5,5\n";
    let (trace, all, _) = read_in_pieces(text.as_bytes(), 64);
    assert_eq!((trace.unwrap().len(), all.len()), (2, 1));
    assert!(all[0].found.starts_with("59 days"), "{}", all[0]);
}
