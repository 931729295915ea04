//! Each kind of rows has a sample: the file of a short run, with the columns that the table says it has.

use super::{folder, samples};
use crate::support::rows::{start, texts};
use serde_json::json;
use std::fs;
use tokenyard::export::{Format, Table};

/// Two replicas and an autoscaler that looks every second, for two seconds of traffic.
fn run() -> tokenyard::session::Session {
    let lengths = |n: u32| json!({ "gaussian": { "mean_tokens": n, "sd_tokens": 2, "min_tokens": 2, "max_tokens": 2 * n } });
    start(&json!({
        "seed": 3,
        "run": { "horizon_s": 2, "warmup_s": 0 },
        "cluster": {
            "pools": [{
                "name": "main", "replicas": 2, "model": "llama-3.1-8b", "gpu": "H100", "kv": { "blocks": 60 },
                "latency": { "fitted": { "step_us": 50_000 } },
                "scaling": { "policy": { "threshold": { "up": 0.8, "down": 0.3 } }, "min": 1, "max": 3, "tick_s": 1 }
            }],
            "routing": "least-loaded"
        },
        "workload": { "clients": [{
            "name": "chat", "arrivals": { "poisson": { "rate_per_s": 2 } },
            "prompt_tokens": lengths(32), "output_tokens": lengths(4)
        }] }
    }))
}

/// The columns that a table has only where roles of pools differ.
fn of_roles(table: Table) -> &'static [&'static str] {
    match table {
        Table::Requests => &[
            "home",
            "prefill",
            "decision",
            "prefill_first_us",
            "prefill_end_us",
            "reserved_us",
            "transfer_start_us",
            "flow_us",
            "landed_us",
            "joined_us",
            "transfer_bytes",
            "overlapped_bytes",
            "home_cached_blocks",
            "ttft_prefill_us",
            "ttft_decode_us",
            // Only where homes read from CPU memory.
            "home_read_blocks",
            "home_read_us",
            // Only with the gaps between tokens.
            "itl_us",
        ],
        Table::Decisions => &["stage"],
        Table::Events => &[
            "home_replica",
            "prefill_replica",
            "uncached_tokens",
            "cached_blocks",
            "bytes",
            "overlapped_bytes",
        ],
        Table::Series => &[
            "ttft_prefill_count",
            "ttft_prefill_p50_us",
            "ttft_prefill_p90_us",
            "ttft_prefill_p99_us",
            "prefilling",
            "held",
            "transferring",
            "landed",
            "decoding",
            "port_out",
            "port_in",
        ],
        Table::Scaling => &[],
    }
}

/// The sample of each table is what the run writes. One that is missing is written, for the next test to compare with.
#[test]
fn each_table_has_a_sample_with_its_columns() {
    let names = Table::ALL.map(Table::name);
    for table in Table::ALL {
        let name = table.name();
        let written = texts(&mut run(), &[(table, Format::Csv)], 64).remove(0);
        let head: Vec<&str> = written.lines().next().unwrap_or_default().split(',').collect();
        let columns = table.columns();
        // Columns of the parts of scores stand for all of their kind: this router has none.
        // Pools of this run have no roles: columns of hand-overs are left out. It replays no trace.
        let expected: Vec<&str> = columns
            .iter()
            .map(|c| c.name)
            .filter(|n| !n.ends_with("_NAME") && !of_roles(table).contains(n) && *n != "recorded_at")
            .collect();
        assert_eq!(head, expected, "{name}");
        let found = samples(name, &names);
        if found.is_empty() {
            let path = folder().join(format!("{name}.csv"));
            fs::write(&path, &written).expect("a sample");
            panic!("{} was missing and is written: look at it, and commit it", path.display());
        }
        assert!(written.lines().count() > 1, "{name}: no rows");
        for (file, text) in found {
            assert_eq!(written, text, "{file}: remove it, and the test writes it again");
        }
    }
}
