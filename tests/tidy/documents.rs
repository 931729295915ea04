//! What documents promise: files that they name are there, words of the glossary are used and in order, invariants are explained.

use super::{files, report, root};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Endings of files; a text in backticks with one of these and a slash is the path of one.
const ENDINGS: &[&str] = &[
    "rs", "ts", "tsx", "js", "mjs", "css", "html", "json", "yaml", "yml", "toml", "md", "svg", "png", "webp",
];

/// A path that begins so is from the top of the repository, whatever it ends in.
const FROM_THE_TOP: &[&str] = &[
    "src/",
    "docs/",
    "tests/",
    "www/",
    "scripts/",
    "benches/",
    "fuzz/",
    "scenarios/",
    "examples/",
    ".ci/",
    ".github/",
];

/// Where paths of documents begin.
const BASES: &[&str] = &["", "src", "www/src", "www"];

/// What scripts make, and what is there only after a failure.
const MADE: &[&str] = &["www/pkg", "www/dist", "www/node_modules", "target", "fuzz/artifacts"];

/// The table of changes in ARCHITECTURE.md names files that are there.
#[test]
fn the_file_to_open_first_is_there() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the architecture is described");
    let table = text
        .split("## Changes, and the file to open first")
        .nth(1)
        .and_then(|rest| rest.split("\n## ").next());
    let rows: Vec<&str> = table.unwrap_or_default().lines().filter_map(|row| row.split('`').nth(1)).collect();
    let missing: Vec<String> =
        rows.iter().filter(|path| !root().join(path).is_file()).map(|path| (*path).to_owned()).collect();
    report("a newcomer finds the file", &missing);
    assert_eq!(rows.len(), 27);
}

fn documents() -> Vec<(String, String)> {
    files("", &[".md"])
}

fn is_there(path: &str) -> bool {
    BASES.iter().any(|base| root().join(base).join(path).exists())
}

/// A name to be replaced, such as NAME.rs or DIRECTORY.
fn stands_for_others(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or_default();
    part.contains('*') || stem.len() >= 3 && stem.chars().all(|c| c.is_ascii_uppercase()) && stem != "README"
}

/// What must be there for a path: the folder where a part of it stands for others.
fn needed(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').collect();
    let fixed = parts.iter().take_while(|part| !stands_for_others(part)).count();
    if is_there(path) { path.to_owned() } else { parts[..fixed].join("/") }
}

/// The paths that a line of a document has in backticks.
fn paths_in(line: &str) -> Vec<&str> {
    let plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "_./@*-".contains(c));
    let a_path = |text: &&str| {
        let ends = text.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending));
        let begins = FROM_THE_TOP.iter().any(|top| text.starts_with(top));
        text.contains('/')
            && plain(text)
            && (ends || begins)
            && !MADE.iter().any(|made| text.starts_with(made))
    };
    line.split('`').skip(1).step_by(2).filter(a_path).collect()
}

/// The targets of a document's links to other files, without the heading they point at.
fn links_in(text: &str) -> Vec<&str> {
    text.match_indices("](")
        .filter_map(|(at, _)| text[at + 2..].find(')').map(|end| &text[at + 2..at + 2 + end]))
        .filter(|link| !link.starts_with("http") && !link.contains('=') && !link.contains(' '))
        .map(|link| link.split('#').next().unwrap_or_default())
        .filter(|path| !path.is_empty())
        .collect()
}

/// The documents that a text names as a path of `docs`.
fn documents_in(text: &str) -> Vec<&str> {
    let end_of = |rest: &str| rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_./-".contains(c)));
    text.match_indices("docs/")
        .filter(|(at, _)| !text[..*at].ends_with(|c: char| c.is_alphanumeric() || "/._".contains(c)))
        .map(|(at, _)| text[at..at + end_of(&text[at..]).unwrap_or(text.len() - at)].trim_end_matches('.'))
        .filter(|path| [".md", ".json", ".svg", ".webp"].iter().any(|ending| path.ends_with(ending)))
        .collect()
}

#[test]
fn every_path_in_a_document_is_there() {
    let mut problems = Vec::new();
    for (file, text) in documents() {
        for (number, line) in text.lines().enumerate() {
            let missing = paths_in(line).into_iter().filter(|path| !is_there(&needed(path)));
            problems.extend(missing.map(|path| format!("{file}:{}: {path}", number + 1)));
        }
        let beside =
            |path: &str| Path::new(&file).parent().is_some_and(|dir| root().join(dir).join(path).exists());
        problems.extend(
            links_in(&text).into_iter().filter(|path| !beside(path)).map(|path| format!("{file}: {path}")),
        );
    }
    let mut sources = documents();
    for folder in ["src", "tests", "benches", "scripts", "www/src", "www/tests"] {
        sources.extend(files(folder, &[]));
    }
    for (file, text) in &sources {
        let missing = documents_in(text).into_iter().filter(|path| !root().join(needed(path)).exists());
        problems.extend(missing.map(|path| format!("{file}: {path}")));
    }
    report("every path in a document is there", &problems);
}

#[test]
fn paths_are_found_as_documents_write_them() {
    assert_eq!(
        paths_in("`src/engine/kv/mod.rs` and `a/b`, `engine/kv/free_list.rs`; `x.rs`, `www/pkg`"),
        ["src/engine/kv/mod.rs", "engine/kv/free_list.rs"]
    );
    assert_eq!(links_in("[a](b.md#c), [d](https://e.f), [g](t=60;select=request:74)"), ["b.md"]);
    assert_eq!(documents_in("see docs/README.md. And docs/c, x/docs/d.md"), ["docs/README.md"]);
    assert_eq!(needed("src/nothing/NAME.rs"), "src/nothing");
    assert!(!is_there("src/nothing.rs") && is_there("engine/kv/mod.rs"));
}

/// A text as it is looked for: in small letters, with nothing between its words.
fn squashed(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[test]
fn the_glossary_is_in_order_and_its_words_are_used() {
    const GLOSSARY: &str = "docs/reference/glossary.md";
    let page = fs::read_to_string(root().join(GLOSSARY)).expect("the glossary");
    // Words, then quantities; signs have the order of their formulas.
    let (tables, _) = page.split_once("## Signs").expect("a part on signs");
    let (mut words, mut problems): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
    for table in tables.split("## Quantities") {
        let rows = table.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
        let of_table: Vec<&str> = rows.filter_map(|row| row.split('|').nth(1)).map(str::trim).collect();
        assert!(of_table.len() > 50, "a table of the glossary has {} words", of_table.len());
        for pair in of_table.windows(2) {
            if pair[0].to_lowercase() >= pair[1].to_lowercase() {
                problems.push(format!("{} stands before {}", pair[0], pair[1]));
            }
        }
        words.extend(of_table);
    }
    let mut sources = documents();
    sources.extend(files("src", &[".rs"]));
    sources.extend(files("www/src", &[".ts", ".tsx"]));
    let apart = |file: &String| file == GLOSSARY || file == "CHANGELOG.md";
    let used: String =
        sources.iter().filter(|(file, _)| !apart(file)).map(|(_, text)| squashed(text)).collect();
    for word in words.iter().flat_map(|words| words.split(',')) {
        if !used.contains(&squashed(word)) {
            problems.push(format!("{word} stands in no code and no other document"));
        }
    }
    report("the glossary is in order and its words are used", &problems);
}

/// The `INV-n` in a text, `n` as written.
fn invariants_in(text: &str) -> Vec<String> {
    let number = |rest: &str| rest.chars().take_while(char::is_ascii_digit).collect::<String>();
    text.match_indices("INV-").map(|(at, _)| number(&text[at + 4..])).filter(|n| !n.is_empty()).collect()
}

#[test]
fn every_invariant_is_explained_and_every_explained_one_is_asserted() {
    let page = fs::read_to_string(root().join("docs/reference/invariants.md"))
        .expect("docs/reference/invariants.md");
    let explained: BTreeSet<String> =
        page.lines().filter(|l| l.starts_with("## INV-")).flat_map(invariants_in).collect();
    let (mut problems, mut asserted) = (Vec::new(), BTreeMap::new());
    let mut sources = files("src", &[".rs"]);
    sources.extend(files("tests", &[".rs"]));
    for (path, text) in sources {
        for n in invariants_in(&text) {
            if !explained.contains(&n) {
                problems.push(format!("{path}: INV-{n} has no heading in docs/reference/invariants.md"));
            }
            if text.contains(&format!("\"INV-{n}:")) {
                asserted.entry(n).or_insert_with(|| path.clone());
            }
        }
    }
    let without = explained.iter().filter(|n| !asserted.contains_key(*n));
    problems.extend(
        without.map(|n| {
            format!("docs/reference/invariants.md: no message of an assertion starts with INV-{n}:")
        }),
    );
    report("invariants are numbered, explained and asserted", &problems);
}
