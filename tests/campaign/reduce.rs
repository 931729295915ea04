//! A failing document made small: fields and entries are taken out as long as it fails in the same way.

use super::document::scenario;
use serde_json::Value;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};

/// Documents that are tried before the smallest so far is given.
const MOST_TRIES: u32 = 400;

thread_local! {
    /// Message and place of the latest panic of this thread.
    static LATEST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The message of a check that fails, with its place; none if it holds.
pub(crate) fn failure(check: impl FnOnce()) -> Option<String> {
    let before = panic::take_hook();
    panic::set_hook(Box::new(|info| LATEST.with(|latest| *latest.borrow_mut() = info.to_string())));
    let held = panic::catch_unwind(AssertUnwindSafe(check));
    panic::set_hook(before);
    held.is_err().then(|| LATEST.with(RefCell::take))
}

/// What tells one kind of failure from another: the beginning of its message, without digits.
fn kind(message: &str) -> String {
    message.chars().filter(|c| !c.is_ascii_digit()).take(90).collect()
}

/// Paths of all fields and entries, the outer ones first.
fn paths(value: &Value, at: &str, found: &mut Vec<String>) {
    let mut below = |key: String, value: &Value| {
        let path = format!("{at}/{key}");
        found.push(path.clone());
        paths(value, &path, found);
    };
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(key, value)| below(key.replace('~', "~0").replace('/', "~1"), value));
        }
        Value::Array(all) => all.iter().enumerate().rev().for_each(|(i, value)| below(i.to_string(), value)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn without(document: &Value, path: &str) -> Option<Value> {
    let (around, key) = path.rsplit_once('/')?;
    let mut smaller = document.clone();
    match smaller.pointer_mut(around)? {
        Value::Object(fields) => drop(fields.shift_remove(&key.replace("~1", "/").replace("~0", "~"))?),
        Value::Array(all) => drop(
            all.get(key.parse::<usize>().ok()?).is_some().then(|| all.remove(key.parse().unwrap_or(0)))?,
        ),
        _ => return None,
    }
    Some(smaller)
}

/// The smallest document found that fails as `document` does.
pub(crate) fn reduced(document: &Value, message: &str, check: &dyn Fn(&Value)) -> Value {
    let (mut best, kind_of, mut tries) = (document.clone(), kind(message), 0);
    loop {
        let mut all = Vec::new();
        paths(&best, "", &mut all);
        let mut smaller_found = false;
        for path in all {
            if tries >= MOST_TRIES {
                return best;
            }
            let Some(smaller) = without(&best, &path).filter(|smaller| scenario(smaller).is_ok()) else {
                continue;
            };
            tries += 1;
            if failure(|| check(&smaller)).is_some_and(|message| kind(&message) == kind_of) {
                (best, smaller_found) = (smaller, true);
            }
        }
        if !smaller_found {
            return best;
        }
    }
}
