//! Paths of fields: their text, such as `cluster.pools[0].replicas`, and their steps.

use base::json::PathStep;
use std::fmt::Write as _;

/// Longest path of a field. Values may lie as deep as one has parts, and trees are walked by recursion.
pub(super) const PATH_BYTES: usize = 256;

/// A path as the user writes it.
pub(super) fn display(steps: &[PathStep]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            PathStep::Key(key) | PathStep::Variant(key) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(key);
            }
            PathStep::Index(i) => write!(text, "[{i}]").expect("a String takes any text"),
        }
    }
    text
}

/// The steps of a path; none if it is not one.
pub(super) fn split_path(path: &str) -> Option<Vec<PathStep>> {
    if path.len() > PATH_BYTES {
        return None;
    }
    let mut steps = Vec::new();
    for part in path.split('.') {
        let (key, mut rest) = part.split_at(part.find('[').unwrap_or(part.len()));
        if key.is_empty() {
            return None;
        }
        steps.push(PathStep::Key(key.to_owned()));
        while !rest.is_empty() {
            let (index, after) = rest.strip_prefix('[')?.split_once(']')?;
            steps.push(PathStep::Index(index.parse().ok()?));
            rest = after;
        }
    }
    Some(steps)
}
