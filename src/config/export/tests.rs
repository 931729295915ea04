//! The names of systems, and an export without anything to write.

use super::*;

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
