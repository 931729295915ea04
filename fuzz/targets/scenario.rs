//! Scenarios: checked as the page does while one types, and written and read again where they are good.

use tokenyard::scenario::{parse, to_json};
use tokenyard::session::Session;

pub(crate) fn scenario(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let problems = Session::check(&text);
    for problem in &problems {
        assert!(!problem.fix.is_empty(), "{problem:?} says no remedy");
    }
    if let Ok(read) = parse(&text) {
        let again = parse(&to_json(&read));
        assert_eq!(again.as_ref(), Ok(&read), "a scenario that was written is another one");
    }
}
