//! Links: their contents round-trip, equal scenarios have equal links, they are short, and problems of bad ones are
//! reported.

use super::open;
use crate::support::documents::scenario;
use crate::support::scenarios;
use crate::support::scenarios::started;
use proptest::prelude::*;
use serde_json::{Value, json};
use tokenyard::base::Micros;
use tokenyard::scenario::link::{Beside, Link, Selection, TraceMark, View, make};
use tokenyard::scenario::preset::PRESETS;
use tokenyard::scenario::{Scenario, limits};
use tokenyard::session::Audience;

fn link_of(scenario: &Scenario) -> String {
    make(&Link { scenario: scenario.clone(), ..Link::default() }).expect("short enough").link
}

#[track_caller]
fn reads_back(link: &Link) -> String {
    let made = make(link).expect("short enough");
    let opened = open(&made.link);
    assert_eq!(opened.problems, [], "{}", made.link);
    assert_eq!(opened.link, *link, "{}", made.link);
    made.link
}

fn preset(name: &str) -> Value {
    let preset = PRESETS.iter().find(|p| p.name == name).expect("a preset");
    serde_json::to_value(preset.scenario()).expect("a scenario is JSON")
}

#[test]
fn a_preset_is_its_name_and_a_changed_field_is_readable() {
    for p in PRESETS {
        assert_eq!(link_of(&p.scenario()), format!("#{}", p.name));
    }
    let mut document = preset("chat-4xh100");
    document["cluster"]["routing"] = json!("random");
    let view = View { at_us: Some(61_900_000), ..View::default() };
    let link = Link { scenario: scenario(document), view, ..Link::default() };
    assert_eq!(reads_back(&link), "#chat-4xh100;length=29;cluster.routing=random;t=61.9");
}

#[test]
fn a_readable_link_takes_what_set_takes() {
    let opened = open(
        "#router-showdown;cluster.pools[0].replicas=9;cluster.routing=weighted;title=A%20%22b%22%3B;seed=7;select=replica:3;panel=run;speed=0",
    );
    assert_eq!(opened.problems, []);
    let s = &opened.link.scenario;
    assert_eq!((s.cluster.pools[0].replicas, s.title.as_str(), s.seed), (9, "A \"b\";", 7));
    let view = &opened.link.view;
    assert_eq!(
        (view.selection, view.panel.as_deref(), view.speed),
        (Some(Selection::Replica(3)), Some("run"), Some(0.0))
    );
    // Chats and mails escape more than has to be.
    assert_eq!(
        open("#router-showdown;cluster.pools%5B0%5D.replicas=9"),
        open("#router-showdown;cluster.pools[0].replicas=9")
    );
    assert_eq!(open("https://example.org/play/#kv-pressure"), open("#kv-pressure"));
}

#[test]
fn a_readable_link_that_was_cut_anywhere_says_so() {
    let text = "cluster.pools[0].replicas=12;title=A%20%C3%BC%3B;seed=17;t=61.9";
    let whole = open(&format!("#default;{text}"));
    assert_eq!(whole.problems, []);
    let link = reads_back(&whole.link);
    assert!(link.starts_with("#default;length="), "{link}");
    // Chats and mails escape more than has to be: the length is that of what is meant.
    assert_eq!(open(&link.replace('[', "%5B").replace(']', "%5D")), open(&link));
    let shortest = "#default;".len();
    for end in (shortest..link.len()).filter(|end| link.is_char_boundary(*end)) {
        let cut = &link[..end];
        assert_ne!(open(cut).problems, [], "{cut}");
    }
    // A link that is typed or changed by hand opens, and one with more settings than it says tells that.
    assert_eq!(open("#default;seed=17").problems, []);
    let longer = open("#default;length=6;seed=17");
    assert_eq!((longer.link.scenario.seed, longer.problems.len()), (17, 1));
}

/// Every preset with one field changed, for fields of every part and values of every kind.
fn one_field_changes() -> Vec<Scenario> {
    let mut all = Vec::new();
    for p in PRESETS {
        for (path, value) in [
            ("cluster.routing", json!("random")),
            ("cluster.routing", json!("round-robin")),
            ("cluster.admission", json!("reject-all")),
            ("cluster.snapshot_refresh_us", json!(123_456)),
            ("cluster.pools[0].replicas", json!(7)),
            ("cluster.pools[0].gpu", json!("A100-80")),
            ("cluster.pools[0].kv.blocks", json!(4000)),
            ("cluster.pools[0].kv.prefix_caching", json!(false)),
            ("cluster.pools[0].engine.long_prefill_threshold_tokens", json!(777)),
            ("cluster.pools[0].engine.scheduler", json!("sjf")),
            ("workload.clients[0].slo_class", json!("batch")),
            ("workload.clients[0].output_tokens", json!({"constant": {"tokens": 100}})),
            ("slo.ttft_ms", json!(123.5)),
            ("run.horizon_s", json!(333)),
            ("seed", json!(99)),
            ("title", json!("Mine; not yours")),
        ] {
            let mut document = serde_json::to_value(p.scenario()).expect("a scenario is JSON");
            let tiers = document["cluster"]["pools"][0]["kv"]["secondary_tiers"].as_array();
            if path.ends_with("prefix_caching") && tiers.is_some_and(|tiers| !tiers.is_empty()) {
                // Tiers below need it.
                continue;
            }
            // Models for several large GPUs do not fit on as many small ones.
            let pool = &document["cluster"]["pools"][0];
            let large = pool["tp"].as_u64() >= Some(4) || pool["expert_ranks"].as_u64() > Some(1);
            let value = if large && value == "A100-80" { json!("MI355X") } else { value };
            tokenyard::scenario::set_path(&mut document, path, &value.to_string()).expect("a field");
            all.push(scenario(document));
        }
    }
    all
}

#[test]
fn a_change_of_one_field_takes_at_most_a_hundred_characters_and_can_be_read() {
    for s in one_field_changes() {
        let link = reads_back(&Link { scenario: s, ..Link::default() });
        assert!(!link.starts_with("#v1."), "{link}");
        assert!(link.len() <= 100, "{} characters: {link}", link.len());
    }
}

/// Three clients unlike any preset's, with edits.
fn three_clients() -> Link {
    let client = |name: &str, arrivals: Value, tokens: u32| {
        json!({
            "name": name, "tenant": format!("team-{name}"), "arrivals": arrivals,
            "prompt_tokens": {"lognormal": {"median_tokens": tokens, "sigma": 0.7, "min_tokens": 8, "max_tokens": 9000}},
            "output_tokens": {"gaussian": {"mean_tokens": tokens / 3 + 1, "sd_tokens": 40, "min_tokens": 4, "max_tokens": 700}},
            "prefix": {"groups": 12, "tokens": 768},
        })
    };
    let edit = |at_us: u64, path: &str, value: Value| json!({"at_us": at_us, "after_events": at_us / 700, "set": {path: value}});
    let document = json!({
        "title": "Three teams on one fleet", "note": "Watch the third team at forty seconds.", "seed": 1234,
        "run": {"horizon_s": 300, "warmup_s": 25},
        "cluster": {
            "pools": [{"name": "main", "replicas": 6, "model": "qwen3-14b", "gpu": "H100", "engine": {"max_num_seqs": 96}}],
            "routing": {"weighted": {"profile": "custom", "scorers": [
                {"scorer": "prefix-affinity", "weight": 3}, {"scorer": "queue-depth", "weight": 2}, {"scorer": "kv-utilization", "weight": 2}]}},
        },
        "workload": {"clients": [
            client("web", json!({"poisson": {"rate_per_s": 14}}), 500),
            client("mail", json!({"gamma": {"rate_per_s": 6, "cv": 2.5}}), 1800),
            client("batch", json!({"constant": {"rate_per_s": 2}}), 4200),
        ]},
        "edits": [
            edit(40_000_000, "workload.clients[2].arrivals.constant.rate_per_s", json!(9)),
            edit(70_500_000, "cluster.routing", json!("least-loaded")),
            edit(91_250_000, "cluster.pools[0].replicas", json!(8)),
        ],
    });
    let view = View {
        at_us: Some(39_000_000),
        speed: Some(10.0),
        selection: Some(Selection::Request(621)),
        panel: Some("request".to_owned()),
        ..View::default()
    };
    Link { scenario: scenario(document), view, ..Link::default() }
}

/// 64 pools of one replica, no two alike.
fn unlike_pools() -> Scenario {
    let gpus = ["H100", "A100-80", "L40S", "H200"];
    let pools = (0..64).map(|i: usize| {
        json!({
            "name": format!("pool-{i}"), "replicas": 1, "gpu": gpus[i % 4], "model": "llama-3.1-8b",
            "engine": {"max_num_seqs": 32 + 8 * (i * 7 % 13), "max_num_batched_tokens": 2048 << (i % 3)},
            "kv": {"blocks": 1000 + 137 * i},
        })
    });
    scenario(json!({"cluster": {"pools": pools.collect::<Vec<_>>()}}))
}

#[test]
fn larger_scenarios_keep_to_their_lengths() {
    let three = reads_back(&three_clients());
    assert!(three.len() <= 1200, "three clients with edits and view: {} characters", three.len());
    let unlike = reads_back(&Link { scenario: unlike_pools(), ..Link::default() });
    assert!(unlike.len() <= 2000, "64 unlike pools: {} characters", unlike.len());
}

#[test]
fn equal_scenarios_have_equal_links_whatever_the_order_of_their_changes() {
    let changes = [
        ("cluster.pools[0].replicas", "6"),
        ("cluster.routing", "round-robin"),
        ("workload.clients[1].arrivals.poisson.rate_per_s", "9.0"),
        ("slo.ttft_ms", "750"),
    ];
    let with = |order: [usize; 4]| {
        let mut document = preset("chat-4xh100");
        for i in order {
            tokenyard::scenario::set_path(&mut document, changes[i].0, changes[i].1).expect("a field");
        }
        link_of(&scenario(document))
    };
    let first = with([0, 1, 2, 3]);
    for order in [[3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]] {
        assert_eq!(with(order), first);
    }
}

#[test]
fn a_link_for_another_page_is_the_same_run_with_the_charts_it_names() {
    let charts = vec!["ttft-over-time".to_owned(), "e2e-ecdf".to_owned()];
    for (embed, begins) in [(Vec::new(), "#embed;"), (charts, "#embed=ttft-over-time,e2e-ecdf;")] {
        for link in [three_clients(), Link::default()] {
            let text = reads_back(&Link { embed: Some(embed.clone()), ..link });
            assert!(text.starts_with(begins), "{text}");
        }
    }
    let opened = open("#embed=A%20b,ttft-ecdf;kv-pressure");
    assert_eq!(opened.link.embed, Some(vec!["ttft-ecdf".to_owned()]));
    assert_eq!((opened.problems.len(), opened.problems[0].path.as_str()), (1, "embed"));
}

#[test]
fn the_contents_of_a_link_are_listed_in_both_forms() {
    let made = make(&three_clients()).expect("short enough");
    let told: Vec<String> = made.holds.iter().map(|h| format!("{}: {}", h.part, h.text)).collect();
    for part in [
        "Edits: 3: arrivals 9.00/s at 40 s, routing least-loaded at 70.5 s, replicas 8 at 91.25 s",
        "Draws: seed 1234: the same requests every time",
        "View: opens paused at 39 s, speed 10×, request #621 selected, panel “request”",
        "Words: “Three teams on one fleet”: Watch the third team at forty seconds.",
    ] {
        assert!(told.iter().any(|line| line == part), "{part} is not in {told:#?}");
    }
    assert_eq!((made.link, made.readable), (made.packed, None));
    let short = make(&Link::default()).expect("short enough");
    assert_eq!(short.readable.as_deref(), Some(short.link.as_str()));
    assert!(short.packed.starts_with("#v1."));
}

#[test]
fn the_contents_of_a_link_are_summarised_in_one_line() {
    let contains = |link: &Link| make(link).expect("short enough").contains;
    assert_eq!(
        contains(&three_clients()),
        "preset partition-stale-signals, 34 changes, 3 edits, opens at 39 s"
    );
    let mut document = preset("chat-4xh100");
    document["seed"] = json!(8);
    document["cluster"]["routing"] = json!("random");
    document["cluster"]["pools"][0]["replicas"] = json!(5);
    document["edits"] = json!([
        {"at_us": 30_000_000, "set": {"cluster.routing": "round-robin"}},
        {"at_us": 60_000_000, "set": {"cluster.pools[0].replicas": 3}},
    ]);
    let at = |at_us| View { at_us, ..View::default() };
    let mut link = Link { scenario: scenario(document), view: at(Some(61_900_000)), ..Link::default() };
    assert_eq!(contains(&link), "preset chat-4xh100, 3 changes, 2 edits, opens at 61.9 s");
    let kv_pressure = Link { scenario: scenario(preset("kv-pressure")), ..Link::default() };
    assert_eq!(contains(&kv_pressure), "preset kv-pressure");
    // A preset without its edits is not the preset.
    link = Link { scenario: scenario(preset("chat-4xh100")), view: at(Some(0)), ..Link::default() };
    assert_eq!(contains(&link), "preset chat-4xh100, opens at 0 s");
    link.scenario.edits.clear();
    assert_eq!(contains(&link), "preset chat-4xh100, no edits, opens at 0 s");
    let holds = make(&link).expect("short enough").holds;
    assert!(holds.iter().any(|h| h.part == "Edits" && h.text.starts_with("none")), "{holds:?}");
}

#[test]
fn a_trace_travels_by_its_name_rows_and_digest() {
    let mut document = preset("kv-pressure");
    document["workload"]["trace"] = json!({"file": "azure.csv"});
    let mark = TraceMark { name: "azure.csv".to_owned(), rows: 1234, digest: "00ff".to_owned() };
    let link = Link { scenario: scenario(document), trace: Some(mark), ..Link::default() };
    reads_back(&link);
}

/// Two runs of three clients: another router in the second, and one edit less.
fn two_runs() -> Link {
    let link = three_clients();
    let mut document = serde_json::to_value(&link.scenario).expect("a scenario is JSON");
    document["cluster"]["routing"] = json!("random");
    document["edits"].as_array_mut().expect("edits").pop();
    Link { beside: Some(Beside { name: "Random router".to_owned(), scenario: scenario(document) }), ..link }
}

#[test]
fn a_second_run_travels_with_the_first_as_what_it_differs_in() {
    let (both, one) = (reads_back(&two_runs()), reads_back(&three_clients()));
    assert!(both.len() < one.len() + 160, "{} and {} characters", both.len(), one.len());
    reads_back(&Link { embed: Some(Vec::new()), ..two_runs() });
    let same = Beside { name: "The same".to_owned(), scenario: two_runs().scenario };
    reads_back(&Link { beside: Some(same), ..two_runs() });
    let made = make(&two_runs()).expect("short enough");
    assert!(made.contains.contains("second run “Random router”"), "{}", made.contains);
    let told = made.holds.iter().find(|h| h.part == "Second run").map(|h| h.text.as_str());
    assert_eq!(told, Some("“Random router”, 2 differences from the first"));
}

#[test]
fn an_invalid_second_run_is_reported_and_the_first_one_is_kept() {
    let open_beside = |beside: Value| {
        let mut text = json!({"p": "chat-4xh100", "b": beside}).to_string();
        text.pop();
        let check = tokenyard::base::digest::Digest::of(text.as_bytes()).hex()[..6].to_owned();
        open(&packed(format!("{text},\"c\":\"{check}\"}}").as_bytes()))
    };
    let opened = open_beside(json!({"n": "b", "d": {"cluster": {"routing": "randon"}, "seed": 3}}));
    let paths: Vec<&str> = opened.problems.iter().map(|p| p.path.as_str()).collect();
    assert_eq!(paths, ["beside.cluster.routing"]);
    let beside = opened.link.beside.expect("the rest of it");
    assert_eq!((beside.scenario.seed, opened.link.scenario.seed), (3, 42));
    assert_eq!(beside.scenario.cluster, opened.link.scenario.cluster);
    let opened = open_beside(json!("no run"));
    assert_eq!(opened.problems.len(), 1, "{:?}", opened.problems);
    assert_eq!((opened.problems[0].path.as_str(), opened.link.beside), ("beside", None));
    assert_eq!(opened.preset, "chat-4xh100");
}

#[test]
fn a_link_cut_anywhere_gives_a_scenario_and_says_that_its_end_is_missing() {
    let whole = make(&three_clients()).expect("short enough").link;
    assert!(whole.starts_with("#v1."));
    let mut read = 0;
    for end in (5..whole.len()).step_by(7) {
        let opened = open(&whole[..end]);
        assert!(!opened.problems.is_empty(), "{end} of {} characters", whole.len());
        read = read.max(opened.link.scenario.workload.clients.len());
        assert!(tokenyard::scenario::check(opened.link.scenario).is_ok(), "what was read can be run");
    }
    assert_eq!(read, 3, "what stands before the cut is read");
}

#[test]
fn a_link_with_a_wrong_letter_never_passes_for_a_good_one() {
    let whole = make(&three_clients()).expect("short enough").link;
    for at in (4..whole.len()).step_by(5) {
        let mut letters: Vec<u8> = whole.clone().into_bytes();
        letters[at] = if letters[at] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(letters).expect("letters");
        let opened = open(&changed);
        let same = opened.link == three_clients();
        assert!(same || !opened.problems.is_empty(), "a wrong letter at {at} went unnoticed");
    }
}

#[test]
fn bad_links_say_what_is_wrong_and_leave_the_rest() {
    let problems = |text: &str| {
        let opened = open(text);
        assert!(tokenyard::scenario::check(opened.link.scenario.clone()).is_ok());
        let told: Vec<String> = opened.problems.iter().map(ToString::to_string).collect();
        (opened, told.join("\n"))
    };
    let (opened, told) = problems(
        "#chat-4xh100;cluster.pools[0].replicas=5000;cluster.rooting=random;seed=8;t=-1;cluster.pools[0].gpu=B9000;x",
    );
    for part in
        ["cluster.pools[0].replicas", "0 to 1,024", "did you mean `routing`", "B9000", "t: -1", "PATH=VALUE"]
    {
        assert!(told.contains(part), "{part} is not in\n{told}");
    }
    assert_eq!((opened.link.scenario.seed, opened.link.scenario.cluster.pools[0].replicas), (8, 4));
    let (opened, told) = problems("#no-such-preset;seed=8");
    assert!(told.contains("no preset \"no-such-preset\"") && opened.link.scenario.seed == 8, "{told}");
    let whole = make(&three_clients()).expect("short enough").link;
    let (opened, told) = problems(&whole.replace("#v1.", "#v7."));
    assert!(told.contains("version 7") && told.contains("newer Tokenyard"), "{told}");
    assert_eq!(opened.link, three_clients(), "what this version can read of it is there");
    let (opened, told) = problems("#chat-4xh100;run.max_requests=3000000");
    assert!(told.contains("1000000") && opened.link.scenario.run.max_requests == 1_000_000, "{told}");
    let (_, told) = problems(&format!("#{}", "a".repeat(limits::LINK_CHARS + 1)));
    assert!(told.contains("at most 32768 characters"), "{told}");
    // A title is text, whatever is in it.
    let (opened, told) = problems("#chat-4xh100;title=%3Cscript%3Ealert(1)%3C/script%3E");
    assert_eq!((opened.link.scenario.title.as_str(), told.as_str()), ("<script>alert(1)</script>", ""));
}

/// A packed link of any text, as another program might make it.
fn packed(text: &[u8]) -> String {
    use base64::Engine;
    let letters = miniz_oxide::deflate::compress_to_vec(text, 9);
    format!("#v1.{}", base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(letters))
}

#[test]
fn bombs_and_depths_are_bounded() {
    let told = |text: &[u8]| {
        let opened = open(&packed(text));
        assert!(tokenyard::scenario::check(opened.link.scenario).is_ok());
        opened.problems.iter().map(ToString::to_string).collect::<String>()
    };
    let zeros = vec![b' '; 8 << 20];
    assert!(told(&zeros).contains("more than 1048576 bytes"));
    let lists = r##"{"p":"chat-4xh100","d":{"workload":{"clients":{"#":4000000000}}}}"##;
    assert!(told(lists.as_bytes()).contains("repeat without end"));
    let deep = format!("{{\"p\":\"chat-4xh100\",\"d\":{}{}}}", "{\"a\":".repeat(5000), "}".repeat(5000));
    assert!(!told(deep.as_bytes()).is_empty());
}

#[test]
fn nineteen_of_twenty_generated_scenarios_have_links_of_at_most_2000_characters() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::{Config, RngSeed, TestRunner};
    let mut runner = TestRunner::new(Config { rng_seed: RngSeed::Fixed(11), ..Config::default() });
    let mut lengths: Vec<usize> = (0..1000)
        .map(|_| {
            let scenario = scenarios::a_scenario().new_tree(&mut runner).expect("a scenario").current();
            let link = Link { scenario, ..Link::default() };
            make(&link).map_or(usize::MAX, |made| {
                let opened = open(&made.link);
                assert_eq!((opened.problems, &opened.link), (Vec::new(), &link), "{}", made.link);
                made.link.len()
            })
        })
        .collect();
    lengths.sort_unstable();
    assert!(lengths[950] <= 2000, "{}", lengths[950]);
}

#[test]
fn a_scenario_that_came_by_link_runs_to_the_same_digest() {
    for p in PRESETS {
        let mut there = p.scenario();
        (there.seed, there.run.horizon_s, there.run.warmup_s) = (77, 12.0, 2.0);
        there.edits.retain(|edit| edit.at_us < 12_000_000);
        let here = open(&link_of(&there)).link.scenario;
        let digest = |scenario: &Scenario| {
            let mut session = scenarios::started(scenario, Audience::Batch);
            session.advance(Micros::MAX, u64::MAX);
            scenarios::sound(&session);
            session.digest()
        };
        assert_eq!(digest(&here), digest(&there), "{}", p.name);
    }
}

proptest! {
    #[test]
    fn no_text_makes_a_link_panic(text in "[#v1.a-z0-9;=%\\[\\]{}\":,_-]{0,200}") {
        let opened = open(&text);
        prop_assert!(tokenyard::scenario::check(opened.link.scenario).is_ok());
    }

    #[test]
    fn no_bytes_make_a_packed_link_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let opened = open(&packed(&bytes));
        prop_assert!(tokenyard::scenario::check(opened.link.scenario).is_ok());
    }
}

#[test]
fn the_order_of_keys_in_an_edit_changes_neither_digest_nor_link() {
    let digest = |text: &str| {
        let scenario = scenario(serde_json::from_str::<Value>(text).expect("JSON"));
        let link = make(&Link { scenario: scenario.clone(), ..Link::default() }).expect("it fits").packed;
        let of = |scenario: Scenario| {
            let mut session = started(&scenario, Audience::Batch);
            session.advance(Micros::MAX, u64::MAX);
            session.report_data().scenario_digest
        };
        let (own, of_link) = (of(scenario), of(open(&link).link.scenario));
        assert_eq!(own, of_link, "{text}");
        (own, link)
    };
    let one = digest(
        r#"{"run": {"horizon_s": 0.1, "warmup_s": 0}, "edits": [{"at_us": 0, "add": {"slo.classes": {"class": "batch", "tpot_ms": 0, "e2e_ms": 0}}},
            {"at_us": 9, "set": {"slo.ttft_ms": 5, "cluster.pools[0].kv": {"block_tokens": 16, "blocks": 9}}}]}"#,
    );
    let other = digest(
        r#"{"run": {"horizon_s": 0.1, "warmup_s": 0}, "edits": [{"add": {"slo.classes": {"e2e_ms": 0, "tpot_ms": 0, "class": "batch"}}, "at_us": 0},
            {"set": {"cluster.pools[0].kv": {"blocks": 9, "block_tokens": 16}, "slo.ttft_ms": 5}, "at_us": 9}]}"#,
    );
    assert_eq!(one, other);
}
