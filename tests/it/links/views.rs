//! What a link says of the page's view beyond the instant: span, theory, charts, close-up, and the result.

use super::open;
use crate::support::documents::scenario;
use crate::support::scenarios;
use serde_json::{Value, json};
use tokenyard::base::Micros;
use tokenyard::scenario::link::{Link, LinkResult, LinkSpan, Selection, View, make};
use tokenyard::scenario::preset::{PRESETS, Preset};
use tokenyard::scenario::{Scenario, limits};
use tokenyard::session::{Audience, Report, Session};

fn words(all: &[&str]) -> Vec<String> {
    all.iter().map(|&word| word.to_owned()).collect()
}

/// A view with all that a link may say of it.
fn full() -> View {
    View {
        at_us: Some(61_900_000),
        span: Some(LinkSpan { from_us: 40_000_000, to_us: 140_500_000 }),
        theory: Some("best".to_owned()),
        charts: words(&["ttft-over-time", "kv-use"]),
        closeup: words(&["lanes", "replica:2", "window:40-60.5"]),
        result: Some(LinkResult { version: "0.1.0".to_owned(), digest: "00ff00ff00ff00ff".to_owned() }),
        study: Some("eyJrIjoicmFjZSJ9-_".to_owned()),
        ..View::default()
    }
}

fn preset_with(view: View) -> Link {
    Link { scenario: PRESETS[0].scenario(), view, ..Link::default() }
}

#[test]
fn the_whole_view_travels_in_both_forms() {
    let link = preset_with(full());
    let made = make(&link).expect("short enough");
    assert_eq!(
        made.link,
        "#slow-replica;t=61.9;span=40-140.5;theory=best;charts=ttft-over-time,kv-use;\
         closeup=lanes,replica:2,window:40-60.5;result=0.1.0:00ff00ff00ff00ff;study=eyJrIjoicmFjZSJ9-_"
    );
    for text in [&made.link, &made.packed] {
        let opened = open(text);
        assert_eq!((opened.problems, opened.link), (Vec::new(), link.clone()), "{text}");
    }
    let told: Vec<String> = made.holds.iter().map(|h| format!("{}: {}", h.part, h.text)).collect();
    for part in [
        "View: opens paused at 61.9 s, a study, span 40 – 140.5 s, theory “best”, 2 charts, close-up “lanes”",
        "Result: digest 00ff00ff00ff00ff, computed by version 0.1.0",
    ] {
        assert!(told.iter().any(|line| line == part), "{part} is not in {told:#?}");
    }
}

#[test]
fn a_link_of_the_same_contents_has_the_same_letters() {
    let known = "#v1.JU5LDoIwEL0KeW4bw8cY7M6TmIaOpqEOSKe6INzdKczq5X1nxQwLT0-Xo8DAw66QIJGUvlcjTz-uYuBRtUSk8s2AfJBUjCfYxqAu0MkjK3epjytuKfwQcxJazsuUJfBLWxfHfnpj0zP47nuwndameR9o9nCkQYqZPpmS2Gvb6AezY4qFzQwNDwq71vdtj-0P";
    let document = json!({
        "tokenyard": 1, "title": "A known link", "seed": 9,
        "edits": [{"at_us": 40_000_000, "set": {"cluster.routing": "random"}}],
    });
    let view = View {
        at_us: Some(39_000_000),
        speed: Some(10.0),
        selection: Some(Selection::Request(621)),
        panel: Some("run".to_owned()),
        ..View::default()
    };
    let scenario = scenario(document);
    let made = make(&Link { scenario, view: view.clone(), ..Link::default() }).expect("short enough");
    assert_eq!(made.link, known);
    let readable = make(&preset_with(view)).expect("short enough").link;
    assert_eq!(readable, "#slow-replica;t=39;speed=10;select=request:621;panel=run");
}

#[test]
fn values_out_of_bounds_are_reported_and_the_rest_is_opened() {
    let many = |one: &str, n: usize| vec![one; n].join(",");
    let long = "1".repeat(limits::LINK_VERSION_BYTES + 1);
    for (key, value) in [
        ("span", "140-40".to_owned()),
        ("span", "40-40".to_owned()),
        ("span", "40-99999999".to_owned()),
        ("span", "40".to_owned()),
        ("theory", "M/M/1".to_owned()),
        ("charts", many("kv-use", limits::LINK_CHARTS + 1)),
        ("charts", "kv-use,,kv-use".to_owned()),
        ("closeup", many("lanes", limits::LINK_CLOSEUP_WORDS + 1)),
        ("closeup", "a".repeat(limits::LINK_CLOSEUP_WORD_BYTES + 1)),
        ("closeup", "lanes,<b>".to_owned()),
        ("result", "0.1.0".to_owned()),
        ("result", "0.1.0:00ff".to_owned()),
        ("result", "0.1.0:00FF00FF00FF00FF".to_owned()),
        ("result", format!("{long}:00ff00ff00ff00ff")),
        ("result", "<b>:00ff00ff00ff00ff".to_owned()),
        ("study", "eyJ9+".to_owned()),
        ("study", "e".repeat(limits::LINK_STUDY_BYTES + 1)),
    ] {
        let opened = open(&format!("#chat-4xh100;{key}={value};t=7"));
        let found: Vec<&str> = opened.problems.iter().map(|problem| problem.path.as_str()).collect();
        assert_eq!(found, [key], "{key}={value}");
        assert_eq!(opened.link.view, View { at_us: Some(7_000_000), ..View::default() }, "{key}={value}");
    }
}

#[test]
fn an_embed_behind_the_preset_is_told_its_place() {
    let opened = open("#kv-pressure;embed=ttft-over-time;t=7");
    let told: Vec<String> = opened.problems.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 1);
    assert!(told[0].contains("before the preset: #embed=ttft-over-time;kv-pressure"), "{told:?}");
    assert_eq!(opened.link.view.at_us, Some(7_000_000));
}

#[test]
fn a_damaged_link_of_a_whole_view_still_opens() {
    let packed = make(&preset_with(full())).expect("short enough").packed;
    for end in 5..packed.len() {
        let opened = open(&packed[..end]);
        assert!(!opened.problems.is_empty(), "{}", &packed[..end]);
        assert_eq!(opened.link.scenario.cluster, PRESETS[0].scenario().cluster, "{}", &packed[..end]);
    }
}

/// The report of a scenario at 30 s.
fn report_of(change: impl FnOnce(&mut Scenario)) -> String {
    let mut scenario = PRESETS[0].scenario();
    change(&mut scenario);
    let mut session = scenarios::started(&scenario, Audience::Batch);
    session.advance(Micros(30_000_000), u64::MAX);
    session.report()
}

#[test]
fn the_digest_of_the_figures_ignores_title_note_and_added_sections() {
    let plain = report_of(|_| {});
    let digest = Report::figures_digest(&plain).expect("a report");
    let renamed = report_of(|scenario| {
        scenario.title = "Another title".to_owned();
        scenario.note = "at 12 s: it begins".to_owned();
    });
    assert_ne!(plain, renamed);
    assert_eq!(Report::figures_digest(&renamed).as_ref(), Some(&digest));
    let mut more: Value = serde_json::from_str(&plain).expect("JSON");
    more["a_newer_section"] = Value::from(1);
    assert_eq!(Report::figures_digest(&more.to_string()).as_ref(), Some(&digest));
    let reseeded = report_of(|scenario| scenario.seed += 1);
    assert_ne!(Report::figures_digest(&reseeded).as_ref(), Some(&digest));
    assert_eq!(Report::figures_digest("{}"), None);
    assert_eq!(Report::figures_digest("no report"), None);
}

#[test]
fn a_renamed_report_is_that_of_a_run_under_the_new_words() {
    // At 30 s, before and after the edits of the preset.
    for seconds in [30, 90] {
        let report = |scenario: &Scenario| {
            let mut session = scenarios::started(scenario, Audience::Batch);
            session.advance(Micros(seconds * 1_000_000), u64::MAX);
            session.report()
        };
        let old = Preset::named("chat-4xh100").expect("a preset").scenario();
        let new =
            Scenario { title: "Renamed".to_owned(), note: "at 12 s: it begins".to_owned(), ..old.clone() };
        let made = Session::renamed_report(&report(&old), &new, &old.title, &old.note).expect("the same run");
        assert_eq!(made, report(&new));
        assert_eq!(Session::renamed_report(&report(&old), &new, "Another", ""), None);
    }
    assert_eq!(Session::renamed_report("no report", &Scenario::default(), "", ""), None);
}
