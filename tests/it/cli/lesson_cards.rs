//! Cards and images of lessons, as the command line writes them.

use crate::support::command::{TempFile, run, stderr, stdout};
use serde_json::Value;
use std::path::Path;

/// A lesson of one step whose claims hold in a known number of seeds: the seeds are whole numbers.
const SMALL: &str = r#"
lesson: 1
title: "Small"
about: "Guess a number."
audience: "Anyone"
minutes: 2
scenarios:
  small:
    document:
      tokenyard: 1
      run: { horizon_s: 20, warmup_s: 2 }
      workload: { clients: [{ arrivals: { poisson: { rate_per_s: 4 } } }] }
runs:
  one: { scenario: small }
seeds: 3
steps:
  - kind: predict
    title: "Guess"
    text: "How long?"
    open: "small;t=5"
    ask:
      number: { question: "p50 of TTFT", value: "one.latency_ms.ttft.p50", unit: ms, from: 1, to: 1000, log: true, within: 0.3 }
  - kind: see
    title: "Look"
    text: "Some requests came."
    claims:
      - { says: "Some requests came", value: "one.requests.arrived", above: 0 }
      - { says: "Hardly any came", value: "one.requests.arrived", below: 1, holds_in: 1 }
"#;

fn cards(args: &[&str]) -> Vec<Value> {
    let out = run(&[&["lesson", "cards"], args].concat());
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    serde_json::from_str(&stdout(&out)).expect("cards are JSON")
}

#[test]
fn a_card_says_what_the_lesson_is_about_and_in_how_many_seeds_its_claims_hold() {
    let file = TempFile::new("small.yaml", SMALL);
    let [card] = &cards(&[file.path()])[..] else { panic!("one card") };
    assert_eq!(card["title"], "Small");
    assert_eq!((card["minutes"].as_u64(), card["seeds"].as_u64()), (Some(2), Some(3)));
    assert_eq!(card["number"], 0, "a lesson of a teacher is not on the road");
    assert_eq!(card["asks"], serde_json::json!(["number"]));
    assert_eq!(card["steps"][1], serde_json::json!({ "kind": "see", "title": "Look" }));
    let [all, none] = &card["claims"].as_array().expect("claims")[..] else { panic!("two claims") };
    assert_eq!(*all, serde_json::json!({ "held": 3, "of": 3, "holds": true }));
    assert_eq!(*none, serde_json::json!({ "held": 0, "of": 3, "holds": false }));
    let dots = card["picture"]["shapes"][0]["dots"]["points"].as_array().expect("dots");
    assert!(dots.len() > 20, "{} requests in 20 s at 4 a second", dots.len());
    assert_eq!(card["picture"]["range"], "log, 0 – 20 s");
}

#[test]
fn unchecked_cards_are_the_same_without_the_claims() {
    let file = TempFile::new("small.yaml", SMALL);
    let (mut with, without) = (cards(&[file.path()]), cards(&["--unchecked", file.path()]));
    assert_eq!(without[0]["claims"], serde_json::json!([]));
    with[0]["claims"] = serde_json::json!([]);
    assert_eq!(with, without);
}

#[test]
fn the_image_of_a_lesson_has_the_size_of_previews_and_the_same_bytes_every_time() {
    let file = TempFile::new("small.yaml", SMALL);
    let images = [TempFile::new("one.png", ""), TempFile::new("two.png", "")];
    for image in &images {
        let out = run(&["lesson", "image", file.path(), "-o", image.path()]);
        assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    }
    let [one, two] = images.each_ref().map(|image| std::fs::read(image.path()).expect("an image"));
    assert_eq!(one, two);
    let pixels = tiny_skia::Pixmap::decode_png(&one).expect("a PNG");
    assert_eq!((pixels.width(), pixels.height()), (1200, 630));
    // Words above, dots below: neither half is blank.
    for half in pixels.pixels().chunks(1200 * 315) {
        let ground = half[0];
        let drawn = half.iter().filter(|pixel| **pixel != ground).count();
        assert!(drawn > 2000, "{drawn} pixels drawn");
    }
    let other = TempFile::new("other.yaml", SMALL.replace("title: \"Small\"", "title: \"Other\""));
    run(&["lesson", "image", other.path(), "-o", images[1].path()]);
    assert_ne!(one, std::fs::read(images[1].path()).expect("an image"), "the title is drawn");
}

#[test]
fn an_image_is_a_png_and_never_replaces_the_lesson() {
    let file = TempFile::new("small.yaml", SMALL);
    let out = run(&["lesson", "image", file.path(), "-o", "picture.jpg"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(stderr(&out).contains("a name that ends in .png"), "{}", stderr(&out));
    let named = TempFile::new("lesson.png", SMALL);
    let out = run(&["lesson", "image", named.path(), "-o", named.path()]);
    assert_eq!(out.status.code(), Some(2));
    assert!(stderr(&out).contains("a file that is not read in the same run"), "{}", stderr(&out));
    assert_eq!(std::fs::read_to_string(named.path()).expect("the lesson"), SMALL);
}

#[test]
fn a_lesson_with_faults_has_no_card() {
    let file = TempFile::new("faulty.yaml", SMALL.replace("scenario: small", "scenario: smal"));
    let out = run(&["lesson", "cards", file.path()]);
    assert_eq!(out.status.code(), Some(2));
    assert!(stderr(&out).contains("did you mean `small`?"), "{}", stderr(&out));
    assert_eq!(stdout(&out), "");
}

/// The lessons of the repository by name.
fn lessons() -> Vec<(String, String)> {
    let files = std::fs::read_dir("lessons").expect("there are lessons");
    let paths = files.map(|file| file.expect("a file").path());
    let mut all: Vec<(String, String)> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "yaml"))
        .map(|path| {
            let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
            (stem, path.to_string_lossy().into_owned())
        })
        .collect();
    all.sort();
    all
}

#[test]
fn the_page_has_the_lessons_as_they_are() {
    let template = std::fs::read_to_string("www/src/generated/lesson-template.yaml").unwrap_or_default();
    let written = std::env::temp_dir().join(format!("tokenyard-{}-new.yaml", std::process::id()));
    run(&["lesson", "new", written.to_str().expect("a path in UTF-8")]);
    let skeleton = std::fs::read_to_string(&written).expect("a skeleton");
    std::fs::remove_file(&written).ok();
    assert!(template == skeleton, "the template: renew it: scripts/lessons");
    let mut known = Vec::new();
    for (name, file) in lessons() {
        let path = format!("www/src/generated/lessons/{name}.json");
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == stdout(&run(&["lesson", "json", &file])), "{path}: renew it: scripts/lessons");
        known.push(name);
    }
    for file in std::fs::read_dir("www/src/generated/lessons").expect("the page has lessons") {
        let name = file.expect("a file").file_name().to_string_lossy().replace(".json", "");
        assert!(known.contains(&name), "{name}: there is no such lesson: scripts/lessons");
    }
}

#[test]
fn the_page_has_the_cards_of_the_lessons_as_they_are() {
    let kept = std::fs::read_to_string("www/src/generated/lessons.json").expect("the page has cards");
    let mut kept: Vec<Value> = serde_json::from_str(&kept).expect("cards are JSON");
    let files: Vec<String> = lessons().into_iter().map(|(_, file)| file).collect();
    for card in &mut kept {
        // `tokenyard lesson check` runs the claims; here their number is enough.
        let counted = std::mem::replace(&mut card["claims"], serde_json::json!([]));
        let counted = counted.as_array().map_or(0, Vec::len);
        let name = card["name"].as_str().unwrap_or_default();
        let lesson =
            std::fs::read_to_string(Path::new("www/src/generated/lessons").join(format!("{name}.json")));
        let lesson: Value = serde_json::from_str(&lesson.unwrap_or_default()).unwrap_or_default();
        let steps = lesson["steps"].as_array().cloned().unwrap_or_default();
        let claims: usize = steps.iter().map(|step| step["claims"].as_array().map_or(0, Vec::len)).sum();
        assert_eq!(counted, claims, "{name}: scripts/lessons counts its claims");
    }
    let args: Vec<&str> = std::iter::once("--unchecked").chain(files.iter().map(String::as_str)).collect();
    assert!(kept == cards(&args), "renew them: scripts/lessons");
}
