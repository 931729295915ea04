//! The lessons of `lessons/`: every claim holds over its seeds, every question has an answer, and no task is done before it begins.

use crate::support::command::{run, stderr, stdout};
use crate::support::numbers::part;
use serde_json::Value;
use std::fs;
use tokenyard::base::Micros;
use tokenyard::config::import::documents::yaml;
use tokenyard::session::Session;
use tokenyard::session::closeup::CloseUp;
use tokenyard::study::lesson::{Lesson, Question, StepType};

/// In the order of the course.
const NAMES: [&str; 14] = [
    "prefill-and-decode",
    "batching",
    "the-knee",
    "variance",
    "paged-kv",
    "prefix-caching",
    "routing",
    "affinity-and-balance",
    "chunked-prefill",
    "priorities",
    "autoscaling",
    "prefill-apart-from-decode",
    "more-cache-lower-hit-rate",
    "eight-small-caches-or-one-store",
];

fn file(name: &str) -> String {
    format!("{}/lessons/{name}.yaml", env!("CARGO_MANIFEST_DIR"))
}

fn lesson(name: &str) -> Lesson {
    let text = fs::read_to_string(file(name)).expect("a lesson");
    let document = yaml::value(&text).unwrap_or_else(|all| panic!("{name}: {all:?}"));
    Lesson::read(document).unwrap_or_else(|all| panic!("{name}: {all:?}"))
}

#[test]
fn these_are_the_lessons() {
    let entries = fs::read_dir(format!("{}/lessons", env!("CARGO_MANIFEST_DIR"))).expect("a folder");
    let mut found: Vec<String> =
        entries.map(|entry| entry.expect("a file").file_name().into_string().expect("a name")).collect();
    let mut wanted: Vec<String> = NAMES.iter().map(|name| format!("{name}.yaml")).collect();
    found.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(found, wanted);
}

#[test]
fn the_page_has_the_lessons_as_they_are() {
    let page = |name: &str| format!("{}/www/src/generated/{name}", env!("CARGO_MANIFEST_DIR"));
    let kept = |name: &str| fs::read_to_string(page(name)).unwrap_or_default();
    let template = include_str!("../../../src/cli/commands/page/lesson_skeleton.yaml");
    assert!(kept("lesson-template.yaml") == template, "the template: renew it: scripts/lessons");
    for name in NAMES {
        let path = format!("lessons/{name}.json");
        let printed = stdout(&run(&["lesson", "json", &file(name)]));
        assert!(kept(&path) == printed, "{path}: renew it: scripts/lessons");
    }
    let on_page = fs::read_dir(page("lessons")).expect("the page has lessons").count();
    assert_eq!(on_page, NAMES.len(), "there is no such lesson: scripts/lessons");
}

#[test]
fn every_claim_holds_over_twenty_seeds_and_every_question_has_an_answer() {
    for &name in part(&NAMES, 3) {
        let lesson = lesson(name);
        assert_eq!(lesson.seed_count(), 20, "{name}");
        let out = run(&["lesson", "check", "--json", &file(name)]);
        assert_eq!(
            out.status.code(),
            Some(0),
            "{name}: {}{}",
            stdout(&run(&["lesson", "check", &file(name)])),
            stderr(&out)
        );
        let checked: Value = serde_json::from_str(&stdout(&out)).expect("json");
        for (k, step) in lesson.steps.iter().enumerate() {
            let verdict = &checked[0]["steps"][k];
            let known = |value: &Value| value["mean"].is_f64();
            let at = format!("{name}, step {}", k + 1);
            match &step.ask {
                Some(Question::Choose(_)) => assert!(verdict["right"].is_u64(), "{at}"),
                Some(Question::Order(_)) => {
                    assert!(verdict["items"].as_array().expect("items").iter().all(known), "{at}");
                }
                Some(Question::Number(_)) => assert!(known(&verdict["number"]), "{at}"),
                Some(Question::Draw(_)) => {
                    let points = verdict["curve"]["points"].as_array().expect("points");
                    assert!(points.iter().all(|point| known(&point["y"])), "{at}");
                }
                None => {}
            }
            for (figure, value) in verdict["figures"].as_object().expect("figures") {
                assert!(known(value), "{at}: {figure}");
            }
        }
    }
}

#[test]
fn each_lesson_predicts_does_sees_says_why_and_lets_try() {
    for name in NAMES {
        let lesson = lesson(name);
        let steps = &lesson.steps;
        assert!((6..=8).contains(&steps.len()), "{name}: {} steps", steps.len());
        for kind in [StepType::Predict, StepType::Do, StepType::See, StepType::Why, StepType::Try] {
            assert!(steps.iter().any(|step| step.kind == kind), "{name}: no step {kind:?}");
        }
        assert!(steps.iter().any(|step| step.ask.is_some()), "{name}: no question");
        assert!(steps.iter().any(|step| step.task.is_some()), "{name}: no task");
        assert!(
            steps.iter().map(|step| step.claims.len()).sum::<usize>() >= 3,
            "{name}: fewer than three claims"
        );
        assert!(steps.iter().any(|step| step.text.contains("[[Little")), "{name}: Little's law is missing");
        for step in steps.iter().filter(|step| step.task.is_some() || step.ask.is_some()) {
            assert_eq!(step.hints.len(), 3, "{name}: {}", step.title);
        }
    }
}

#[test]
fn no_task_is_done_when_its_step_opens() {
    for name in NAMES {
        let lesson = lesson(name);
        let mut opened = None;
        for (k, step) in lesson.steps.iter().enumerate() {
            let at = lesson.open_step(k).unwrap_or_else(|all| panic!("{name}: {all:?}"));
            if let Some(scenario) = at.scenario {
                opened = Some((scenario, at.view.at_us.unwrap_or(0)));
            }
            let Some(task) = &step.task else { continue };
            let (scenario, at_us) =
                opened.as_ref().unwrap_or_else(|| panic!("{name}: a task before a scenario"));
            let (mut session, _) = Session::load(scenario, None).expect("it loads");
            session.advance(Micros(*at_us), u64::MAX);
            let answer = session.close_up(&CloseUp::Figures(vec![task.until.clone()]));
            assert!(
                answer == "[0.0]" || answer == "[null]",
                "{name}, step {}: {} is {answer}",
                k + 1,
                task.until
            );
        }
    }
}
