//! The two public traces, where they are present: read whole, and what caches find again of one.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests panic, and say why they skip"
)]

use super::rows;
use super::traces::replay;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use tokenyard::scenario::TraceSettings;
use tokenyard::study::trace::{TierSize, TraceCeiling};
use tokenyard::workload::{Trace, TraceReader, TraceSummary};

const MIB: u64 = 1 << 20;

/// Reads one of the public traces, if it is there.
fn public(name: &str) -> Option<(String, Arc<Trace>, TraceSummary)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/traces").join(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: the public trace {name} is not beside the repository");
        return None;
    };
    let mut reader = TraceReader::new(name, 64 * MIB);
    text.as_bytes().chunks(100_003).for_each(|p| reader.push(p));
    let (trace, diagnostics, summary) = reader.finish();
    assert_eq!(diagnostics, []);
    Some((text, trace.unwrap(), summary.unwrap()))
}

#[test]
fn the_azure_conversation_trace_is_read_whole() {
    let Some((text, trace, summary)) = public("azure-llm-2023-conv.csv") else { return };
    let column = |i: usize| -> u64 {
        text.lines().skip(1).map(|l| l.split(',').nth(i).unwrap().trim().parse::<u64>().unwrap()).sum()
    };
    assert_eq!((summary.requests, trace.len()), (19_366, 19_366));
    assert_eq!((summary.prompt_tokens, summary.output_tokens), (column(1), column(2)));
    assert_eq!((summary.prompt_tokens, summary.output_tokens), (22_361_870, 4_088_665));
    assert_eq!(rows(&trace).iter().map(|r| r.0).sum::<u64>(), 33_473_340_385_407);
    let all = replay(&trace, TraceSettings::default());
    assert_eq!(all.len(), 19_366);
    assert!(all.windows(2).all(|w| w[0].arrival <= w[1].arrival && w[0].rank + 1 == w[1].rank));
}

#[test]
fn the_mooncake_conversation_trace_is_read_whole() {
    let Some((text, trace, summary)) = public("mooncake-conversation.jsonl") else { return };
    let values: Vec<serde_json::Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let sum = |key: &str| -> u64 { values.iter().map(|v| v[key].as_u64().unwrap()).sum() };
    assert_eq!((summary.requests, summary.hash_block_tokens), (12_031, 512));
    assert_eq!((summary.prompt_tokens, summary.output_tokens), (sum("input_length"), sum("output_length")));
    assert_eq!((summary.prompt_tokens, summary.output_tokens), (144_793_823, 4_122_048));
    assert_eq!(rows(&trace).iter().map(|r| r.0).sum::<u64>(), sum("timestamp") * 1000);
    // Every hash id is one piece, and pieces repeat exactly where ids do.
    let ids: Vec<u64> =
        values.iter().flat_map(|v| v["hash_ids"].as_array().unwrap()).map(|v| v.as_u64().unwrap()).collect();
    let pieces: Vec<u64> = replay(&trace, TraceSettings::default())
        .iter()
        .flat_map(|r| r.prompt.pieces().iter().map(|p| p.source).collect::<Vec<_>>())
        .collect();
    let distinct = |all: &[u64]| {
        let mut all = all.to_vec();
        all.sort_unstable();
        all.dedup();
        all.len()
    };
    assert_eq!((pieces.len(), distinct(&pieces)), (ids.len(), distinct(&ids)));
    assert_eq!((ids.len(), distinct(&ids)), (288_500, 182_790));
}

/// Prompt tokens that a cache of some blocks finds: leading blocks that are there, the least recently used one leaves first.
fn found_by_replay(prompts: &[(u64, Vec<u64>)], most: usize) -> u64 {
    let (mut at, mut by_use, mut now, mut found) = (BTreeMap::new(), BTreeMap::new(), 0_u64, 0);
    for (tokens, ids) in prompts {
        let there = ids.iter().take_while(|id| at.contains_key(*id)).count() as u64;
        found += (there * 512).min(*tokens);
        // The last block of a prompt is of the least use to others.
        for id in ids.iter().rev() {
            now += 1;
            if let Some(before) = at.insert(*id, now) {
                by_use.remove(&before);
            }
            by_use.insert(now, *id);
            if by_use.len() > most {
                let (_, oldest) = by_use.pop_first().unwrap();
                at.remove(&oldest);
            }
        }
    }
    found
}

#[test]
fn the_reuse_of_the_mooncake_trace_is_that_of_a_replay_block_by_block() {
    let Some((text, trace, _)) = public("mooncake-conversation.jsonl") else { return };
    let prompt = |line: &str| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let ids = row["hash_ids"].as_array().unwrap().iter().map(|id| id.as_u64().unwrap()).collect();
        (row["input_length"].as_u64().unwrap(), ids)
    };
    let prompts: Vec<(u64, Vec<u64>)> = text.lines().map(prompt).collect();
    let blocks: [u64; 6] = [1000, 10_000, 30_000, 50_000, 100_000, 1_000_000];
    let tier = |blocks: u64| TierSize { name: "one".to_owned(), tokens: blocks * 512, is_shared: false };
    let shares = blocks.map(|blocks| {
        let found = TraceCeiling::of(&trace, &[tier(blocks)], 1).unwrap();
        let replayed = found_by_replay(&prompts, blocks as usize) as f64 / found.prompt_tokens as f64;
        let share = found.dealt[0].tiers[0].share;
        assert!((share - replayed).abs() < 0.003, "{blocks} blocks: {share}, replayed {replayed}");
        (share * 1000.0).round() as u64
    });
    // docs/explanation/reproduced.md has these.
    assert_eq!(shares, [46, 217, 334, 362, 371, 374]);
}
