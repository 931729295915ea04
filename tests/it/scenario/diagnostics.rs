//! Bad scenarios: each gets its message, with path, what was found, what is allowed and how to fix it.

use tokenyard::base::{Diagnostics, Severity};
use tokenyard::scenario::{Scenario, check, parse, text_from_bytes};
use tokenyard::session::Session;

/// All messages for a text, warnings of a good one included, one a line.
fn messages(text: &str) -> String {
    let all: Diagnostics = match parse(text).and_then(check) {
        Ok((_, warnings)) => warnings,
        Err(problems) => problems,
    };
    all.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[track_caller]
pub(super) fn says(text: &str, expected: &str) {
    assert_eq!(messages(text), expected);
}

/// The same where edits are applied one after the other.
#[track_caller]
pub(super) fn says_of_edits(text: &str, expected: &str) {
    let all: Vec<String> = Session::check(text).iter().map(ToString::to_string).collect();
    assert_eq!(all.join("\n"), expected);
}

/// A scenario with one client whose fields are `client`.
pub(super) fn client(client: &str) -> String {
    format!(r#"{{"workload": {{"clients": [{{{client}}}]}}}}"#)
}

/// A scenario with one pool whose fields are `pool`.
fn pool(pool: &str) -> String {
    format!(r#"{{"cluster": {{"pools": [{{{pool}}}]}}}}"#)
}

#[test]
fn the_default_scenario_has_no_problems() {
    says("{}", "");
    assert!(check(Scenario::default()).is_ok());
}

#[test]
fn unknown_keys_suggest_the_near_one() {
    says(
        r#"{"slo": {"tttf_ms": 200}}"#,
        "error: slo.tttf_ms: unknown key `tttf_ms`; allowed: ttft_ms, tpot_ms, e2e_ms, classes; did you mean `ttft_ms`?",
    );
    says(
        r#"{"slo": {"colour": 200}}"#,
        "error: slo.colour: unknown key `colour`; allowed: ttft_ms, tpot_ms, e2e_ms, classes; remove it",
    );
}

#[test]
fn unknown_choices_suggest_the_near_one() {
    says(
        r#"{"cluster": {"routing": "round_robin"}}"#,
        "error: cluster.routing: unknown choice \"round_robin\"; allowed: round-robin, random, least-loaded, always-busiest, least-kv, power-of-d, prefix-aware, prefix-overlap, session-affinity, cost-escalation, kv-cost, cache-aware, weighted; did you mean `round-robin`?",
    );
}

#[test]
fn wrong_types_name_the_right_one() {
    says(
        &pool(r#""replicas": "8""#),
        "error: cluster.pools[0].replicas: \"8\"; allowed: a whole number from 0 to 4,294,967,295; write it without quotes, point or minus",
    );
    says(
        &pool(r#""replicas": 2.5"#),
        "error: cluster.pools[0].replicas: 2.5; allowed: a whole number from 0 to 4,294,967,295; write it without quotes, point or minus",
    );
    says(r#"{"title": 7}"#, "error: title: 7; allowed: text; put it in double quotes");
    says(
        &pool(r#""kv": {"prefix_caching": 1}"#),
        "error: cluster.pools[0].kv.prefix_caching: 1; allowed: true or false; write it without quotes",
    );
    says(
        &pool(r#""kv": {"blocks": "lots"}"#),
        "error: cluster.pools[0].kv.blocks: \"lots\"; allowed: a number of blocks or \"auto\"; change the value",
    );
    says(
        r#"{"cluster": {"pools": {"name": "a"}}}"#,
        "error: cluster.pools: {\"name\":\"a\"}; allowed: a list; put the entries in brackets, even a single one",
    );
    says(r#"{"slo": [1, 2, 3]}"#, "error: slo: [1,2,3]; allowed: an object; put the settings in braces");
    says("[]", "error: []; allowed: a scenario: an object in braces; start with { and end with }");
}

#[test]
fn rates_are_not_negative() {
    says(
        &client(r#""arrivals": {"poisson": {"rate_per_s": -3}}"#),
        "error: workload.clients[0].arrivals.poisson.rate_per_s: -3; allowed: 0 to 100,000; requests per second; 0 sends nothing",
    );
}

#[test]
fn a_cache_has_blocks() {
    says(
        &pool(r#""kv": {"blocks": 0}"#),
        "error: cluster.pools[0].kv.blocks: 0; allowed: 1 to 4,194,304; use \"auto\" for as many as fit in memory",
    );
    says(
        &pool(r#""kv": {"block_tokens": 0}"#),
        "error: cluster.pools[0].kv.block_tokens: 0; allowed: 1 to 4,096; vLLM's default is 16",
    );
}

#[test]
fn a_cluster_has_replicas() {
    says(
        &pool(r#""replicas": 0"#),
        "error: cluster.pools[0].replicas: 0; allowed: 1 to 1,024, or 0 with an autoscaler or an edit that adds some; remove the pool if it has no replicas, or say where they come from",
    );
    says(
        r#"{"cluster": {"pools": []}}"#,
        "error: cluster.pools: no pools; allowed: at least one; add a pool of replicas, or leave the key out for the default",
    );
    says(
        r#"{"cluster": {"pools": [{"name": "a", "replicas": 1000}, {"name": "b", "replicas": 1000}]}}"#,
        "error: cluster.pools: 2000 replicas in all pools together; allowed: at most 1024; take replicas away",
    );
}

#[test]
fn nan_and_infinity_are_not_numbers() {
    let not = "which is not a number that JSON can hold; allowed: finite numbers up to 1.8e308; write a plain number";
    says(r#"{"run": {"horizon_s": NaN}}"#, &format!("error: line 1, column 23: NaN, {not}"));
    says("{\"run\": {\n\"horizon_s\": -Infinity}}", &format!("error: line 2, column 15: -Infinity, {not}"));
    says(r#"{"run": {"horizon_s": 1e400}}"#, &format!("error: line 1, column 27: 1e400, {not}"));
    says(
        r#"{"run": {"horizon_s": "NaN"}}"#,
        "error: run.horizon_s: \"NaN\"; allowed: a number; write it without quotes",
    );
    let mut s = Scenario::default();
    s.run.horizon_s = f64::NAN;
    let all = check(s).unwrap_err();
    assert_eq!(
        all[0].to_string(),
        "error: run.horizon_s: NaN; allowed: 0 to 2,592,000; use 0 to run until all requests are done"
    );
}

#[test]
fn a_million_million_requests_are_too_many() {
    says(
        r#"{"run": {"max_requests": 1000000000000}}"#,
        "error: run.max_requests: 1,000,000,000,000; allowed: 0 to 100,000,000; use 0 for no cap besides the horizon",
    );
    says(
        r#"{"run": {"horizon_s": 2592000},
            "workload": {"clients": [{"arrivals": {"constant": {"rate_per_s": 1000}}}]}}"#,
        "error: workload.clients: about 2592000000 requests in 2592000 s; allowed: at most 5,000,000; lower the rates or run.horizon_s, or set run.max_requests",
    );
    says_of_edits(
        r#"{"edits": [{"at_us": 40000000, "set": {"workload.clients[0].arrivals.poisson.rate_per_s": 100000}}]}"#,
        "error: workload.clients: about 20000320 requests in 240 s; allowed: at most 5,000,000; lower the rates or run.horizon_s, or set run.max_requests",
    );
    says(r#"{"run": {"horizon_s": 2592000, "max_requests": 1000}}"#, "");
}

#[test]
fn a_run_must_end() {
    says(
        r#"{"run": {"horizon_s": 0, "warmup_s": 0}}"#,
        "error: run: clients that send without end, and no end of the run; allowed: an end; set run.horizon_s (seconds) or run.max_requests",
    );
    says(r#"{"run": {"horizon_s": 0, "warmup_s": 0, "max_requests": 10}}"#, "");
    says(
        r#"{"run": {"horizon_s": 10}}"#,
        "error: run.warmup_s: a warm-up of 20 s in a run of 10 s; allowed: less than run.horizon_s; nothing would be measured: shorten the warm-up or lengthen the run",
    );
}

#[test]
fn truncated_text_names_line_and_column() {
    says(
        "{\n  \"run\": {\"horizon_s\": 60",
        "error: line 2, column 25: the text ends in the middle; allowed: a complete JSON document; the file may have been cut off: close every quote, brace and bracket",
    );
    says("", "error: an empty text; allowed: a scenario as JSON; start with {} for all defaults");
    says(
        "{\n \"run\": {},\n \"seed\" 7}",
        "error: line 3, column 9: expected `:`, near `7`; allowed: a JSON document; correct the text there",
    );
}

#[test]
fn binary_files_are_distinguished_from_text() {
    let e = text_from_bytes(b"\x1f\x8b\x08\0\0\0").unwrap_err();
    assert_eq!(
        e.to_string(),
        "error: a binary file (a zero byte at position 3); allowed: a scenario: JSON or YAML text in UTF-8; check that this is the right file"
    );
    let e = text_from_bytes(b"{\n\"title\": \"caf\xe9\"}").unwrap_err();
    assert_eq!(e.found, "bytes that are not UTF-8, first in line 2");
    assert_eq!(text_from_bytes(b"{}"), Ok("{}"));
}

#[test]
fn long_and_deep_texts_are_refused() {
    let long = format!("{{\"note\": \"{}\"}}", "x".repeat(1024 * 1024));
    says(
        &long,
        "error: 1048588 bytes of scenario; allowed: at most 1048576 bytes; a long list of requests belongs in a trace file",
    );
    let deep = format!("{{\"note\": {}", "[".repeat(10_000));
    assert!(messages(&deep).contains("recursion limit exceeded"), "{}", messages(&deep));
    says(
        &format!("{{\"note\": \"{}\"}}", "x".repeat(5000)),
        "error: note: 5,000 bytes of text; allowed: at most 4,096; shorten it",
    );
}

#[test]
fn a_version_that_no_release_had_is_version_1_and_says_where_results_differ() {
    says(
        r#"{"tokenyard": 2}"#,
        "warning: tokenyard: format version 2, which no release had; allowed: version 1; it is read as version 1, with step times of today: results differ from those of older builds",
    );
    for text in ["{}", r#"{"tokenyard": 1}"#, r#"{"tokenyard": 2}"#, r#"{"tokenyard": 3}"#] {
        let (checked, warnings) = check(parse(text).expect("a scenario")).expect("a good scenario");
        assert_eq!(checked.get(), &Scenario::default(), "{text}");
        assert_eq!(warnings.len(), usize::from(text.contains('2')), "{text}");
    }
}

#[test]
fn a_newer_format_says_to_update() {
    says(
        r#"{"tokenyard": 4, "something": "new"}"#,
        "error: tokenyard: a scenario of format version 4; allowed: version 1; it was made with a newer Tokenyard: update this one",
    );
    says(
        r#"{"tokenyard": 0}"#,
        "error: tokenyard: format version 0; allowed: version 1; write \"tokenyard\": 1, or leave it out",
    );
}

#[test]
fn lengths_have_an_order_and_a_sum() {
    says(
        &client(
            r#""prompt_tokens": {"gaussian": {"mean_tokens": 50, "sd_tokens": 5, "min_tokens": 90, "max_tokens": 10}}"#,
        ),
        "error: workload.clients[0].prompt_tokens.gaussian.min_tokens: 90, which is above max_tokens (10); allowed: at most max_tokens; swap the two",
    );
    says(
        &client(r#""output_tokens": {"constant": {"tokens": 0}}"#),
        "error: workload.clients[0].output_tokens.constant.tokens: 0; allowed: 1 to 1,048,576; a request has at least one token",
    );
    says(
        &client(
            r#""prompt_tokens": {"constant": {"tokens": 1000000}}, "output_tokens": {"constant": {"tokens": 500000}}"#,
        ),
        "error: workload.clients[0]: requests of up to 1,500,000 tokens (prefix, prompt and output together); allowed: at most 1,048,576; lower one of the longest lengths",
    );
    says(
        &client(
            r#""prompt_tokens": {"lognormal": {"median_tokens": 50, "sigma": 9, "min_tokens": 1, "max_tokens": 10}}"#,
        ),
        "error: workload.clients[0].prompt_tokens.lognormal.sigma: 9; allowed: 0 to 4; 0 is constant, 1 is a heavy tail",
    );
    says(
        &client(r#""arrivals": {"gamma": {"rate_per_s": 1, "cv": 0}}"#),
        "error: workload.clients[0].arrivals.gamma.cv: 0; allowed: 0.05 to 20; 1 is Poisson, above 1 comes in bursts",
    );
    says(
        &client(r#""arrivals": {"weibull": {"rate_per_s": 1, "cv": 21}}"#),
        "error: workload.clients[0].arrivals.weibull.cv: 21; allowed: 0.05 to 20; 1 is Poisson, above 1 comes in bursts",
    );
    says(
        &client(r#""prefix": {"groups": 4}"#),
        "warning: workload.clients[0].prefix: 4 groups of 0 tokens; allowed: both 0, or both above 0; alone \
        it gives no shared prefix: set the other one too",
    );
}

#[test]
fn heavy_tails_and_measured_lengths_have_ranges() {
    says(
        &client(
            r#""prompt_tokens": {"exponential": {"mean_tokens": 0, "min_tokens": 1, "max_tokens": 2000000}}"#,
        ),
        "error: workload.clients[0].prompt_tokens.exponential.mean_tokens: 0; allowed: 1 to 1,048,576; the mean before cutting
error: workload.clients[0].prompt_tokens.exponential.max_tokens: 2,000,000; allowed: 1 to 1,048,576; a request has at least one token",
    );
    says(
        &client(
            r#""output_tokens": {"pareto-lognormal": {"pareto_share": 2, "pareto_min_tokens": 100, "pareto_tail": 0,
                "median_tokens": 100, "sigma": 1, "min_tokens": 1, "max_tokens": 900}}"#,
        ),
        "error: workload.clients[0].output_tokens.pareto-lognormal.pareto_share: 2; allowed: 0 to 1; a share of 0 is lognormal alone, 1 is Pareto alone
error: workload.clients[0].output_tokens.pareto-lognormal.pareto_tail: 0; allowed: 0.1 to 100; 1 to 3 is a heavy tail; the larger, the lighter",
    );
    says(
        &client(r#""prompt_tokens": {"empirical": {"lengths": [{"tokens": 7, "weight": 0}]}}"#),
        "error: workload.clients[0].prompt_tokens.empirical.lengths: no weight above 0; allowed: at least \
        one length with a weight above 0; add the measured lengths: {\"tokens\": 100, \"weight\": 1}",
    );
    let many = r#"{"tokens": 7, "weight": 1},"#.repeat(4097);
    says(
        &client(&format!(
            r#""prompt_tokens": {{"empirical": {{"lengths": [{}]}}}}"#,
            many.trim_end_matches(',')
        )),
        "error: workload.clients[0].prompt_tokens.empirical.lengths: 4,097 lengths; allowed: at most 4,096; shorten the list",
    );
}

#[test]
fn rates_over_time_are_in_order_and_within_bounds() {
    says(
        &client(r#""rate_profile": {"windows": {"windows": [{"start_s": 9, "end_s": 5}, {"start_s": 4, "end_s": 8}]}}"#),
        "error: workload.clients[0].rate_profile.windows.windows[0].end_s: 5 s, which is not after its start (9 s); allowed: an end after the start; swap the two
error: workload.clients[0].rate_profile.windows.windows[1].start_s: 4 s, before the end of the window above it (5 s); allowed: windows in order that do not overlap; sort the list, or make one of the two",
    );
    says(
        &client(r#""rate_profile": {"steps": {"points": [{"at_s": 3, "factor": 2}, {"at_s": 1, "factor": -1}], "repeat_s": 1}}"#),
        "error: workload.clients[0].rate_profile.steps.points[1].factor: -1; allowed: 0 to 1,000; 1 leaves the rate as it is, 0 sends nothing
error: workload.clients[0].rate_profile.steps.points[1].at_s: 1 s, before the point above it (3 s); allowed: points in order of time; sort the list
error: workload.clients[0].rate_profile.steps.points: a first point at 3 s; allowed: a first point at 0 s; put {\"at_s\": 0, \"factor\": 1} in front
error: workload.clients[0].rate_profile.steps.repeat_s: 1 s, which is not after the last point (1 s); allowed: a time after the last point, or 0; 0 means it does not repeat",
    );
    says(
        &client(r#""rate_profile": {"diurnal": {"peak_hour": 24, "peak_to_trough": 0.5, "day_s": 0}}"#),
        "error: workload.clients[0].rate_profile.diurnal.peak_hour: 24; allowed: 0 to 23; hours are counted from 0, midnight, to 23
error: workload.clients[0].rate_profile.diurnal.peak_to_trough: 0.5; allowed: 1 to 1,000; 1 is no difference between day and night
error: workload.clients[0].rate_profile.diurnal.day_s: 0; allowed: 1 to 2,592,000; 86,400 is a day in its own time",
    );
    let spike = r#""rate_profile": {"spike": {"start_s": 1, "duration_s": 2, "factor": 20}}"#;
    says(
        &client(&format!(r#""arrivals": {{"poisson": {{"rate_per_s": 6000}}}}, {spike}"#)),
        "error: workload.clients[0].rate_profile: up to 120000 requests per second, 6000 times 20; allowed: at most 100,000; lower the rate or the factor",
    );
    says_of_edits(
        &format!(
            r#"{{"workload": {{"clients": [{{{spike}}}]}},
                "edits": [{{"at_us": 5, "set": {{"workload.clients[0].arrivals.poisson.rate_per_s": 9000}}}}]}}"#
        ),
        "error: edits[0].set.workload.clients[0].rate_profile: up to 180000 requests per second, 9000 times 20; allowed: at most 100,000; lower the rate or the factor",
    );
}

#[test]
fn conversations_have_rounds_and_think_times_within_bounds() {
    says(
        &client(
            r#""sessions": 3, "conversation": {"rounds": {"constant": {"rounds": 0}},
                "think_time": {"lognormal": {"median_s": 100000, "sigma": 5}}, "max_context_tokens": 0}"#,
        ),
        "error: workload.clients[0].sessions: 3 sessions and conversations too; allowed: 0, or no `conversation`; each conversation is a session of its own
error: workload.clients[0].conversation.rounds.constant.rounds: 0; allowed: 1 to 1,000; a conversation has at least one round
error: workload.clients[0].conversation.think_time.lognormal.median_s: 100000; allowed: 0 to 86,400; it is in seconds
error: workload.clients[0].conversation.think_time.lognormal.sigma: 5; allowed: 0 to 4; 0 is constant, 1 is a heavy tail
error: workload.clients[0].conversation.max_context_tokens: 0; allowed: 1 to 1,048,576; the context length of the model, for instance",
    );
    says(
        &client(r#""conversation": {"rounds": {"geometric": {"mean_rounds": 0.5, "max_rounds": 1001}}}"#),
        "error: workload.clients[0].conversation.rounds.geometric.mean_rounds: 0.5; allowed: 1 to 1,000; a conversation has at least one round
error: workload.clients[0].conversation.rounds.geometric.max_rounds: 1,001; allowed: 1 to 1,000; a conversation has at least one round",
    );
    // 240 s of 2,200 conversations a second with 10 rounds each.
    says(
        &client(
            r#""arrivals": {"poisson": {"rate_per_s": 2200}}, "conversation": {"rounds": {"constant": {"rounds": 10}}}"#,
        ),
        "error: workload.clients: about 5280000 requests in 240 s; allowed: at most 5,000,000; lower the rates or run.horizon_s, or set run.max_requests",
    );
    says(&client(r#""conversation": {}"#), "");
}

#[test]
fn a_load_that_ends_needs_no_other_end() {
    let endless =
        |rest: &str| format!(r#"{{"run": {{"horizon_s": 0}}, "workload": {{"clients": [{{{rest}}}]}}}}"#);
    let rate = |r: u32| format!(r#""arrivals": {{"poisson": {{"rate_per_s": {r}}}}}"#);
    let drain = r#""rate_profile": {"drain": {"start_s": 1000, "duration_s": 2000}}"#;
    says(&endless(&format!("{}, {drain}", rate(2500))), "");
    says(
        &endless(&format!("{}, {drain}", rate(3000))),
        "error: workload.clients: about 6000000 requests; allowed: at most 5,000,000; lower the rates or run.horizon_s, or set run.max_requests",
    );
    let message = "error: run: clients that send without end, and no end of the run; allowed: an end; set run.horizon_s (seconds) or run.max_requests";
    says(&endless(&rate(1)), message);
    let steps = r#""rate_profile": {"steps": {"points": [{"at_s": 0, "factor": 0}, {"at_s": 9, "factor": 1}], "repeat_s": 10}}"#;
    says(&endless(&format!("{}, {steps}", rate(1))), message);
    let rates = format!(r#"{{"workload": {{"clients": [{{{}, {steps}}}]}}}}"#, rate(10_000));
    says(&rates.replace(r#"{"workload""#, r#"{"run": {"horizon_s": 4990}, "workload""#), "");
}

#[test]
fn explicit_requests_need_a_prompt_that_fits() {
    let request =
        |q: &str| format!(r#"{{"workload": {{"clients": [], "requests": [{{"arrival_us": 0, {q}}}]}}}}"#);
    says(
        &request(r#""prompt": [], "output": {"tokens": 3}"#),
        "error: workload.requests[0].prompt: no prompt tokens; allowed: at least one; add a piece of text",
    );
    says(
        &request(r#""prompt": [{"text": 1, "tokens": 0}], "output": {"tokens": 3}"#),
        "error: workload.requests[0].prompt[0].tokens: 0; allowed: 1 to 1,048,576; leave out pieces without tokens",
    );
    says(
        &request(r#""prompt": [{"text": 1, "tokens": 1048576}], "output": {"tokens": 1}"#),
        "error: workload.requests[0]: 1,048,577 tokens, prompt and output together; allowed: at most 1,048,576; shorten the request",
    );
    says(
        &request(r#""prompt": [{"text": 1, "tokens": 9, "offset": 4294967290}], "output": {"tokens": 1}"#),
        "error: workload.requests[0].prompt[0].offset: 4,294,967,290; allowed: a piece that ends before token 4,294,967,296; lower the offset",
    );
    says(
        r#"{"workload": {"clients": []}}"#,
        "error: workload: no clients, no requests and no trace; allowed: at least one of them; add a client, or leave the key `clients` out for the default one",
    );
}

#[test]
fn names_are_distinct() {
    says(
        r#"{"workload": {"clients": [{"name": "a"}, {"name": "b"}, {"name": "a"}]}}"#,
        "error: workload.clients[2].name: \"a\", which is the name of workload.clients[0] too; allowed: a name of its own; rename one of them",
    );
    says(
        r#"{"cluster": {"pools": [{"name": "x"}, {"name": " "}]}}"#,
        "error: cluster.pools[1].name: an empty name; allowed: any text; give it a name",
    );
}

#[test]
fn settings_that_are_probably_not_meant_are_warned_about() {
    says(
        &pool(r#""engine": {"max_num_seqs": 256, "max_num_batched_tokens": 8}"#),
        "warning: cluster.pools[0].engine.max_num_batched_tokens: 8 tokens for up to 256 requests; allowed: at least engine.max_num_seqs; a full batch cannot decode all its requests in one step; vLLM refuses such a setting",
    );
    says(
        r#"{"cluster": {"pools": [{"kv": {"blocks": 4}}]}, "workload": {"clients": [{"prompt_tokens": {"constant": {"tokens": 65}}}]}}"#,
        "warning: workload.clients[0].prompt_tokens: prompts of at least 65 tokens; allowed: up to 64, which is what the KV cache holds; every one of them will be dropped: shorten them or add KV blocks",
    );
}

#[test]
fn problems_of_shape_do_not_hide_problems_of_meaning() {
    says(
        r#"{"seeed": 1, "run": {"horizon_s": -2, "warmup_s": "x"}}"#,
        "error: seeed: unknown key `seeed`; allowed: tokenyard, title, note, seed, run, cluster, workload, slo, observe, edits; did you mean `seed`?\n\
         error: run.warmup_s: \"x\"; allowed: a number; write it without quotes\n\
         error: run.horizon_s: -2; allowed: 0 to 2,592,000; use 0 to run until all requests are done",
    );
}

#[test]
fn problems_come_all_at_once_and_not_without_end() {
    let many = vec![r#"{"name": "p", "replicas": 0}"#; 64].join(",");
    let all = check(parse(&format!(r#"{{"cluster": {{"pools": [{many}]}}}}"#)).unwrap()).unwrap_err();
    assert_eq!(all.len(), 101);
    assert_eq!(all.iter().filter(|d| d.severity == Severity::Error).count(), 100);
    assert_eq!(all[100].found, "27 more problems");
}

#[test]
fn a_time_that_rounds_to_none_is_not_what_none_means() {
    let path_of = |text: &str| {
        let found = tokenyard::scenario::parse(text).and_then(tokenyard::scenario::check);
        let problems = found.expect_err("a time of no microseconds");
        assert_eq!(problems.len(), 1, "{problems:?}");
        problems[0].to_string()
    };
    assert_eq!(
        path_of(r#"{"workload": {"timeout_s": 4e-7}}"#),
        "error: workload.timeout_s: 0.0000004 s, which rounds to 0 microseconds; allowed: 0, or at least 0.000001 s; times are whole microseconds, and 0 means clients that wait for ever: write that, or a longer time",
    );
    for (text, path) in [
        (r#"{"run": {"horizon_s": 1e-300, "warmup_s": 0}}"#, "run.horizon_s"),
        (r#"{"slo": {"ttft_ms": 0.0004}}"#, "slo.ttft_ms"),
        (r#"{"slo": {"tpot_ms": 1e-9}}"#, "slo.tpot_ms"),
        (r#"{"slo": {"classes": [{"class": "batch", "e2e_ms": 1e-5}]}}"#, "slo.classes[0].e2e_ms"),
    ] {
        assert!(path_of(text).starts_with(&format!("error: {path}: ")), "{text}");
    }
    let fine = r#"{"workload": {"timeout_s": 5e-7}, "slo": {"ttft_ms": 0.0005, "tpot_ms": 0}}"#;
    assert!(tokenyard::scenario::parse(fine).and_then(tokenyard::scenario::check).is_ok());
}
