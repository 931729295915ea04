//! Comments of exported files, and the names of systems.

use super::*;

#[test]
fn comments_are_wrapped_and_cannot_be_left() {
    let title = "a\nkind: Evil\r\u{2028}x".to_owned();
    assert_eq!(one_line(&title), "a kind: Evil x");
    let lines = wrapped(&"word ".repeat(60));
    assert!(lines.len() > 2);
    assert!(lines.iter().all(|line| line.starts_with('#') && line.chars().count() <= WIDTH));
    assert!(lines[1].starts_with("#   word"));
}

#[test]
fn each_system_has_a_name_of_its_own() {
    for system in System::ALL {
        assert_eq!(System::named(system.name()), Some(system));
        assert_eq!(serde_json::to_value(system).ok(), Some(system.name().into()));
    }
    assert_eq!(System::named("all"), None);
}

#[test]
fn nothing_to_write_is_one_comment_that_says_so() {
    let scenario = Scenario::default();
    let found = exported(&scenario, System::Hpa, None);
    assert_eq!(found.text, "# Nothing to write: no pool has an autoscaler\n");
    assert_eq!((found.exact, found.near, found.left_out), (0, 0, 0));
}
