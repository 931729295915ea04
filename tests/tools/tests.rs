//! What the page has of types, presets and lessons is what the tools make of them today.

use super::{cards, lesson_cards, lines, types};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A file of the repository.
fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// What the page has under a name.
fn kept(name: &str) -> String {
    std::fs::read_to_string(path("www/src/generated").join(name)).unwrap_or_default()
}

/// A lesson of one step, with claims that hold in a known number of seeds as seeds are whole numbers. The file goes at the end of
/// the test.
struct Small(PathBuf);

impl Small {
    /// The lesson with other words in one place.
    fn new(name: &str, words: &str, others: &str) -> Self {
        let file = std::env::temp_dir().join(format!("project-tools-{}-{name}.yaml", std::process::id()));
        let text = include_str!("small_lesson.yaml").replace(words, others);
        std::fs::write(&file, text).expect("the temporary folder takes files");
        Self(file)
    }

    fn cards(&self, unchecked: bool) -> Value {
        let cards = lesson_cards::cards(std::slice::from_ref(&self.0), unchecked).expect("a sound lesson");
        serde_json::from_str(&lines(&cards)).expect("cards are JSON")
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).ok();
    }
}

#[test]
fn the_types_of_the_page_are_those_of_the_code() {
    let renew = "renew them: cargo run -p project-tools -- types > www/src/generated/boundary.ts";
    assert!(kept("boundary.ts") == types::text(), "{renew}");
}

#[test]
fn the_pages_gallery_is_drawn_from_the_presets_as_they_are() {
    for (file, names) in [("gallery.json", false), ("presets.json", true)] {
        let option = if names { " --names" } else { "" };
        let drawn = cards(names).expect("sound presets");
        let renew = "renew it: cargo run -p project-tools -- gallery";
        assert!(kept(file) == drawn, "{renew}{option} > www/src/generated/{file}");
    }
}

#[test]
fn the_page_has_the_cards_of_the_lessons_as_they_are() {
    let mut kept_cards: Vec<Value> = serde_json::from_str(&kept("lessons.json")).expect("cards are JSON");
    for card in &mut kept_cards {
        // `tokenyard lesson check` runs the claims; here their number is enough.
        let counted = card["claims"].take().as_array().map_or(0, Vec::len);
        card["claims"] = json!([]);
        let name = card["name"].as_str().unwrap_or_default();
        let lesson: Value = serde_json::from_str(&kept(&format!("lessons/{name}.json"))).unwrap_or_default();
        let steps = lesson["steps"].as_array().cloned().unwrap_or_default();
        let claims: usize = steps.iter().map(|step| step["claims"].as_array().map_or(0, Vec::len)).sum();
        assert_eq!(counted, claims, "{name}: scripts/lessons counts its claims");
    }
    let files = std::fs::read_dir(path("lessons")).expect("there are lessons");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "yaml"));
    files.sort();
    let cards = lesson_cards::cards(&files, true).expect("sound lessons");
    let drawn: Vec<Value> = serde_json::from_str(&lines(&cards)).expect("cards are JSON");
    assert!(kept_cards == drawn, "renew them: scripts/lessons");
}

#[test]
fn a_card_says_what_the_lesson_is_about_and_in_how_many_seeds_its_claims_hold() {
    let small = Small::new("card", "", "");
    let mut cards = small.cards(false);
    let card = cards[0].clone();
    assert_eq!((&card["title"], &card["minutes"], &card["seeds"]), (&json!("Small"), &json!(2), &json!(3)));
    assert_eq!(card["number"], 0, "a lesson of a teacher is not on the road");
    assert_eq!(card["asks"], json!(["number"]));
    assert_eq!(card["steps"][1], json!({ "kind": "see", "title": "Look" }));
    let [all, none] =
        [(3, true), (0, false)].map(|(held, holds)| json!({ "held": held, "of": 3, "holds": holds }));
    assert_eq!(card["claims"], json!([all, none]));
    let dots = card["picture"]["shapes"][0]["dots"]["points"].as_array().expect("dots");
    assert!(dots.len() > 20, "{} requests in 20 s at 4 a second", dots.len());
    assert_eq!(card["picture"]["range"], "log, 0 – 20 s");
    cards[0]["claims"] = json!([]);
    assert_eq!(cards, small.cards(true), "unchecked cards are the same without the claims");
}

#[test]
fn the_image_of_a_lesson_has_the_size_of_previews_and_the_same_bytes_every_time() {
    let draw = |small: &Small| lesson_cards::image(&small.0).expect("a sound lesson");
    let small = Small::new("image", "", "");
    let one = draw(&small);
    assert_eq!(one, draw(&small));
    let pixels = tiny_skia::Pixmap::decode_png(&one).expect("a PNG");
    assert_eq!((pixels.width(), pixels.height()), (1200, 630));
    // Words above, dots below: neither half is blank.
    for half in pixels.pixels().chunks(1200 * 315) {
        let ground = half[0];
        let drawn = half.iter().filter(|pixel| **pixel != ground).count();
        assert!(drawn > 2000, "{drawn} pixels drawn");
    }
    let other = Small::new("other", "title: \"Small\"", "title: \"Other\"");
    assert_ne!(one, draw(&other), "the title is drawn");
}

#[test]
fn a_lesson_with_faults_has_no_card() {
    let faulty = Small::new("faulty", "scenario: small", "scenario: smal");
    let trouble = lesson_cards::cards(std::slice::from_ref(&faulty.0), true).expect_err("it has a fault");
    assert!(trouble.contains("did you mean `small`?"), "{trouble}");
}
