//! The glossary: words with their meanings, and quantities with formulas over a run, from docs/reference/glossary.md.
//!
//! The page of the documentation is the one source. The page of the simulator has it as data (`tokenyard glossary`), and
//! puts the numbers of its run into the formulas.

mod entry;
mod formula;
mod page;

pub use entry::{GlossaryEntry, GlossarySign, NamedValue, Quantity, RestsOn};

/// All words in order, or what is wrong with the page.
pub fn entries() -> Result<Vec<GlossaryEntry>, Vec<String>> {
    page::read(page::TEXT)
}

/// Whether the glossary has a word: as it stands there or among its other names, in any letters, in singular or plural.
pub fn has(word: &str) -> bool {
    find(&entries().unwrap_or_default(), word).is_some()
}

/// The entry of a word, as [`has`] finds it.
pub fn find<'a>(entries: &'a [GlossaryEntry], word: &str) -> Option<&'a GlossaryEntry> {
    let asked = word.trim().to_lowercase();
    let names = |entry: &GlossaryEntry, name: &str| {
        entry.word.to_lowercase().split(',').any(|one| one.trim() == name)
            || entry.also.iter().any(|other| other == name)
    };
    let exact = entries.iter().find(|entry| names(entry, &asked));
    exact.or_else(|| {
        let singular = asked.strip_suffix('s')?;
        entries.iter().find(|entry| names(entry, singular))
    })
}

#[cfg(test)]
mod tests {
    use super::has;

    #[test]
    fn words_are_found_in_any_letters_by_other_names_and_in_plural() {
        for word in
            ["TTFT", "ttft", "Utilisation", "step time", "preemptions", "batches of", "push", "p99", "blocks"]
        {
            assert_eq!(has(word), word != "batches of", "{word}");
        }
        assert!(!has("") && !has("s"));
    }
}
