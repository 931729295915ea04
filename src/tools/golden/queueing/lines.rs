//! The differences of a file, as lines.

/// Collects differences of the selected sections.
pub(super) struct Lines<'a> {
    only: &'a [String],
    /// The differences so far.
    pub(super) out: Vec<String>,
}

impl<'a> Lines<'a> {
    /// No lines yet; only the sections in `only` are compared, or all if it is empty.
    pub(super) fn new(only: &'a [String]) -> Self {
        Self { only, out: Vec::new() }
    }

    /// Whether a section is to be compared.
    pub(super) fn wants(&self, section: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == section)
    }

    /// Adds a difference.
    pub(super) fn add(&mut self, path: &str, what: &str) {
        self.out.push(format!("{path}: {what}"));
    }
}
