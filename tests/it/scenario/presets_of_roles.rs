//! Checks in figures what the notes of presets about prefill and decode replicas say.

use super::presets::{Run, about, run};
use super::presets_of_scaling::{OTHER_SEEDS, report, under_other_seeds};
use crate::support::rows::whole;
use tokenyard::session::Report;

fn tpot(found: &Run, percent: usize, client: &str, from_s: f64, to_s: f64) -> f64 {
    found.ms("tpot_us", percent, client, from_s, to_s)
}

#[test]
fn gaps_without_prompts_are_short_and_first_tokens_late() {
    let name = "prompts-among-decodes";
    let own = run(name, &[]);
    about(own.met("chat", 20.0, 58.0), 0.55, 0.67);
    about(tpot(&own, 50, "chat", 20.0, 58.0), 9.0, 10.0);
    about(own.met("chat", 65.0, 115.0), 0.995, 1.0);
    about(own.met("document", 65.0, 115.0), 0.95, 1.0);
    about(tpot(&own, 50, "chat", 65.0, 115.0), 6.6, 7.2);
    about(tpot(&own, 99, "chat", 65.0, 115.0), 7.0, 9.0);
    // The first token comes later, because half of the replicas compute prompts.
    let ttft = |from_s, to_s| own.ttft(50, "chat", from_s, to_s);
    assert!(ttft(65.0, 115.0) > 1.5 * ttft(20.0, 58.0));
    let mixed = run(name, &[("edits", "[]")]);
    about(mixed.met("chat", 65.0, 115.0), 0.3, 0.7);
    for (split, mixed) in
        under_other_seeds(name, &[]).iter().zip(&under_other_seeds(name, &[("edits", "[]")]))
    {
        about(split.met("chat", 65.0, 115.0), 0.96, 1.0);
        about(split.met("document", 65.0, 115.0), 0.85, 1.0);
        about(mixed.met("chat", 65.0, 115.0), 0.2, 0.8);
        assert!(split.ttft(50, "chat", 65.0, 115.0) > 1.5 * mixed.ttft(50, "chat", 65.0, 115.0));
        assert!(tpot(split, 50, "chat", 65.0, 115.0) < 0.9 * tpot(mixed, 50, "chat", 65.0, 115.0));
    }
}

/// Mean number of requests that decode at once between two instants.
fn decoding(found: &Run, from_s: f64, to_s: f64) -> f64 {
    let span = |row: &serde_json::Map<String, serde_json::Value>| {
        let (from, to) = (whole(row, "joined_us")? as f64 / 1e6, whole(row, "end_us")? as f64 / 1e6);
        Some((to.min(to_s) - from.max(from_s)).max(0.0))
    };
    found.between("", 0.0, to_s).into_iter().filter_map(span).sum::<f64>() / (to_s - from_s)
}

#[test]
fn no_ratio_is_right_for_morning_and_evening() {
    let name = "ratio-of-the-day";
    let met = |found: &Run| {
        [found.met("summaries", 10.0, 100.0), found.met("stories", 140.0, 220.0)]
            .map(|share| (share * 100.0).round())
    };
    let own = run(name, &[]);
    about(own.ttft(50, "summaries", 10.0, 100.0), 10_000.0, 16_000.0);
    let [morning, evening] = met(&own);
    assert!(morning < 5.0 && evening > 99.0, "{morning} {evening}");
    let three = [("cluster.pools[0].replicas", "5"), ("cluster.pools[1].replicas", "3")];
    let [morning, evening] = met(&run(name, &three));
    assert!(morning > 99.0 && evening < 30.0, "{morning} {evening}");
    let noon =
        r#"[{"at_us": 115000000, "set": {"cluster.pools[0].replicas": 6, "cluster.pools[1].replicas": 2}}]"#;
    let [morning, evening] = met(&run(name, &[three[0], three[1], ("edits", noon)]));
    assert!(morning > 99.0 && evening > 99.0, "{morning} {evening}");
    // Six decode replicas have less than one request each in the morning.
    about(decoding(&own, 20.0, 100.0) / 6.0, 0.5, 0.99);
    assert!(decoding(&own, 140.0, 220.0) / 6.0 > 30.0);
    about(tpot(&run(name, &three), 50, "stories", 140.0, 220.0), 9.0, 9.5);
    for seed in OTHER_SEEDS.map(|seed| ("seed", seed)) {
        let [morning, evening] = met(&run(name, &[seed]));
        assert!(morning < 10.0 && evening > 90.0, "{morning} {evening}");
        let [morning, evening] = met(&run(name, &[seed, three[0], three[1]]));
        assert!(morning > 90.0 && evening < 50.0, "{morning} {evening}");
        let [morning, evening] = met(&run(name, &[seed, three[0], three[1], ("edits", noon)]));
        assert!(morning > 90.0 && evening > 90.0, "{morning} {evening}");
    }
}

#[test]
fn a_thin_link_makes_all_wait_and_a_threshold_saves_it() {
    let thin = run("thin-link", &[]);
    about(thin.ttft(50, "chat", 35.0, 45.0), 2000.0, 9000.0);
    about(thin.ttft(50, "chat", 90.0, 115.0), 6000.0, 12_000.0);
    let sent = thin.between("document", 0.0, 60.0);
    let sum = |of: &str| sent.iter().filter_map(|row| whole(row, of)).sum::<u64>() as f64;
    about(8000.0 * sum("transfer_bytes") / sum("prompt_tokens") / 1e9, 1.0, 1.1);
    // Transfers under way at 40 s.
    let at_us = 40_000_000;
    let flying = |row: &&serde_json::Map<String, serde_json::Value>| {
        whole(row, "transfer_start_us").is_some_and(|at| at <= at_us)
            && whole(row, "landed_us").is_none_or(|at| at > at_us)
    };
    let dozens = thin.between("", 0.0, 40.0).into_iter().filter(flying).count();
    assert!((48..=150).contains(&dozens), "{dozens}");
    let replicas = report("thin-link", &[]).replicas;
    let prefill: Vec<_> = replicas.iter().filter(|r| r.pool == "prefill").collect();
    assert!(prefill.iter().any(|r| r.kv_peak_blocks * 100 >= r.kv_total_blocks * 99));
    assert!(prefill.len() == 2 && prefill.iter().all(|r| r.busy < 0.33));
    let thick = run("thin-link", &[("cluster.disaggregation.transfer.port_gb_per_s", "50")]);
    about(thick.ttft(50, "chat", 15.0, 115.0), 55.0, 80.0);
    let saved = run("thin-link-threshold", &[]);
    about(saved.ttft(50, "chat", 20.0, 40.0), 2000.0, 6000.0);
    about(saved.ttft(50, "chat", 41.0, 150.0), 30.0, 50.0);
    about(saved.ttft(99, "chat", 60.0, 150.0), 50.0, 150.0);
    about(saved.met("document", 60.0, 150.0), 0.75, 1.0);
    let longer = tpot(&saved, 50, "chat", 60.0, 150.0) - tpot(&thin, 50, "chat", 60.0, 115.0);
    about(longer, 0.6, 1.4);
    for (thin, saved) in
        under_other_seeds("thin-link", &[]).iter().zip(&under_other_seeds("thin-link-threshold", &[]))
    {
        assert!(thin.ttft(50, "chat", 90.0, 115.0) > 2000.0);
        about(saved.ttft(50, "chat", 41.0, 150.0), 30.0, 50.0);
        about(saved.ttft(99, "chat", 60.0, 150.0), 50.0, 200.0);
    }
}

#[test]
fn llm_ds_guide_has_the_shorter_answers_and_the_later_first_tokens() {
    let name = "llm-d-prefill-decode";
    let own = run(name, &[]);
    about(tpot(&own, 50, "", 20.0, 55.0), 13.0, 15.0);
    about(tpot(&own, 50, "", 70.0, 115.0), 6.5, 7.1);
    about(own.ms("e2e_us", 50, "", 20.0, 55.0), 3400.0, 4000.0);
    about(own.ms("e2e_us", 50, "", 70.0, 115.0), 1800.0, 2050.0);
    about(own.ttft(50, "", 20.0, 55.0), 160.0, 180.0);
    about(own.ttft(50, "", 70.0, 115.0), 200.0, 230.0);
    for other in under_other_seeds(name, &[]) {
        about(tpot(&other, 50, "", 70.0, 115.0) / tpot(&other, 50, "", 20.0, 55.0), 0.3, 0.6);
        about(other.ms("e2e_us", 50, "", 70.0, 115.0) / other.ms("e2e_us", 50, "", 20.0, 55.0), 0.4, 0.6);
        assert!(other.ttft(50, "", 70.0, 115.0) > other.ttft(50, "", 20.0, 55.0));
    }
}

#[test]
fn prefill_ranks_wait_for_each_other_and_drafts_and_cpu_memory_help() {
    let name = "wide-expert-parallelism";
    let waits = |found: &Report, pool: usize| {
        let ranks = found.pools[pool].ranks.as_ref().expect("ranks in lock step");
        (ranks.wait_prompts_s + ranks.wait_decodes_s + ranks.wait_empty_s) / (16.0 * 150.0)
    };
    let drafted = |found: &Report| {
        let drafts = found.pools[1].speculative.as_ref().expect("drafts");
        drafts.mean_acceptance_length.expect("there were drafts")
    };
    let no_drafts =
        [("cluster.pools[0].engine.speculative", "null"), ("cluster.pools[1].engine.speculative", "null")];
    let no_tier = [("cluster.pools[0].kv.cpu_blocks", "0")];
    let found = report(name, &[]);
    about(waits(&found, 0), 0.5, 0.65);
    about(waits(&found, 1), 0.02, 0.04);
    about(drafted(&found), 1.75, 1.85);
    about(16.0 * f64::from(found.pools[0].kv_blocks), 95_000.0, 108_000.0);
    let (own, bare) = (run(name, &[]), run(name, &no_tier));
    about(tpot(&own, 50, "", 60.0, 130.0), 13.4, 14.4);
    about(tpot(&run(name, &no_drafts), 50, "", 60.0, 130.0), 23.6, 25.2);
    about(own.ttft(50, "", 60.0, 145.0), 700.0, 900.0);
    about(bare.ttft(50, "", 60.0, 145.0), 1900.0, 2400.0);
    let seed = ("seed", OTHER_SEEDS[0]);
    let found = report(name, &[seed]);
    assert!(waits(&found, 0) > 0.45 && waits(&found, 1) < 0.05);
    let (own, bare) = (run(name, &[seed]), run(name, &[seed, no_tier[0]]));
    assert!(own.ttft(50, "", 60.0, 145.0) < 0.8 * bare.ttft(50, "", 60.0, 145.0));
}
