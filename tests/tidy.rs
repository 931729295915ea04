//! Rules of the code that no compiler checks: the order of members and of the rooms in them, how long a file and a function may be, what
//! must not be written anywhere, that the scenarios shipped are sound, and that every invariant named in the code is
//! explained. ARCHITECTURE.md and STYLE.md say why; a failure here says where.

#[path = "tidy/circles.rs"]
mod circles;
#[path = "tidy/documents.rs"]
mod documents;
#[path = "tidy/it.rs"]
mod it;
#[path = "tidy/layers.rs"]
mod layers;
#[path = "tidy/release.rs"]
mod release;
#[path = "tidy/scenarios.rs"]
mod scenarios;
#[path = "tidy/source.rs"]
mod source;

use source::{catch_alls, code_only, functions};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What may lie at the top of the repository. Anything else belongs somewhere.
const TOP_LEVEL: &[&str] = &[
    ".cargo",
    ".ci",
    ".git",
    ".github",
    ".gitignore",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "README.md",
    "STYLE.md",
    "benches",
    "clippy.toml",
    "dist",
    "docs",
    "examples",
    "fuzz",
    "npm",
    "lessons",
    "python",
    "rustfmt.toml",
    "scenarios",
    "schema",
    "scripts",
    "src",
    "suites",
    "target",
    "tests",
    "www",
];

const MOST_LINES_OF_A_FILE: usize = 500;
const MOST_LINES_OF_A_FUNCTION: usize = 70;

/// Files that are longer, with the length they may have and the reason. An entry that is no longer needed fails too.
const LONGER_FILES: &[(&str, usize, &str)] = &[];

/// Functions that are longer: file, function, lines, reason.
const LONGER_FUNCTIONS: &[(&str, &str, usize, &str)] = &[];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every file below `dir` (relative to the repository) with one of the extensions, what is built or fetched left out.
fn files(dir: &str, extensions: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![root().join(dir)];
    while let Some(at) = open.pop() {
        let Ok(entries) = fs::read_dir(&at) else { continue };
        for entry in entries {
            let path = entry.expect("a readable folder").path();
            // What a link leads to is looked at where it stands.
            if path.is_symlink() {
                continue;
            }
            let name = path.file_name().and_then(|n| n.to_str()).expect("a name in UTF-8").to_owned();
            if path.is_dir() {
                if !["target", "node_modules", "dist", "pkg", ".git", "generated"].contains(&name.as_str()) {
                    open.push(path);
                }
            } else if extensions.is_empty() || extensions.iter().any(|e| name.ends_with(e)) {
                // Pictures and fonts are no text and have no rules here.
                let Ok(text) = fs::read_to_string(&path) else { continue };
                found.push((relative(&path), text));
            }
        }
    }
    found.sort();
    found
}

fn relative(path: &Path) -> String {
    path.strip_prefix(root()).expect("a path inside the repository").to_string_lossy().replace('\\', "/")
}

/// Fails with all problems at once.
fn report(rule: &str, problems: &[String]) {
    assert!(problems.is_empty(), "{rule}:\n  {}", problems.join("\n  "));
}

/// Enums that grow: a new variant must be considered wherever variants are distinguished.
const MATCHED_IN_FULL: &[&str] = &[
    "Fact",
    "RequestFact",
    "ReplicaFact",
    "CacheFact",
    "FleetFact",
    "ClusterEvent",
    "ReplicaEvent",
    "DepartureReason",
    "Location",
    "ReplicaPhase",
];

#[test]
fn events_facts_departures_places_and_phases_are_matched_in_full() {
    let mut problems = Vec::new();
    for (path, text) in files("src", &[".rs"]) {
        for line in catch_alls(&code_only(&text), MATCHED_IN_FULL) {
            problems.push(format!("{path}:{line}: name the variants that this arm is for"));
        }
    }
    report("a match on a sum that grows has no arm for whatever is left", &problems);
}

#[test]
fn an_arm_for_whatever_is_left_is_found_in_every_form() {
    let lines = |arms: &str| catch_alls(&format!("match fact {{\n{arms}\n}}"), &["Fact"]);
    assert_eq!(lines("Fact::A { x, .. } => f(x),\n_ => {}"), [3]);
    assert_eq!(lines("Fact::A => { g() }\n_ if true => {}"), [3]);
    assert_eq!(lines("other => h(other),\nFact::A => {}"), [2]);
    assert_eq!(lines("Some(Fact::A) => {}\nNone => {}\nFact::B | _ => {}"), [4]);
    assert_eq!(lines("Fact::A => {\nmatch x { 1 => 2, _ => 3 };\n}\nFact::B => {}"), [] as [usize; 0]);
    assert_eq!(lines("1 => tell(Fact::A { x }),\n_ => tell(Fact::B)"), [] as [usize; 0]);
    assert_eq!(
        lines("Fact::A(_) | Fact::B { .. } => (),\nFact::C if x => y,\nFact::C => z,"),
        [] as [usize; 0]
    );
    assert_eq!(lines("Fact::A(fact) => f(fact),\nFact::B(_) | Fact::C(_) => {}"), [] as [usize; 0]);
}

/// The core knows neither clocks nor files nor browsers: that is what keeps a run a value.
#[test]
fn only_the_shells_touch_the_machine() {
    let mut problems = Vec::new();
    for (path, text) in files("src", &[".rs"]) {
        let shell = path.starts_with("src/cli") || path.starts_with("src/wasm/") || path == "src/main.rs";
        let code = code_only(&text);
        for name in ["std::fs", "std::env", "std::time", "std::thread", "std::process", "std::net"] {
            if !shell && code.contains(name) {
                problems.push(format!("{path}: {name} below the shells"));
            }
        }
        for name in ["wasm_bindgen", "js_sys", "web_sys"] {
            if !path.starts_with("src/wasm/") && code.contains(name) {
                problems.push(format!("{path}: {name} outside src/wasm"));
            }
        }
    }
    report("only the shells touch the machine", &problems);
}

#[test]
fn a_file_has_at_most_500_lines() {
    let mut problems = Vec::new();
    let mut sources = files("src", &[".rs"]);
    sources.extend(files("tests", &[".rs"]));
    sources.extend(files("benches", &[".rs"]));
    sources.extend(files("www/src", &[".ts", ".tsx", ".css"]));
    sources.extend(files("www/tests", &[".ts", ".mjs", ".js"]));
    for (path, text) in &sources {
        let lines = text.lines().count();
        let allowed =
            LONGER_FILES.iter().find(|(p, _, _)| p == path).map_or(MOST_LINES_OF_A_FILE, |&(_, n, _)| n);
        if lines > allowed {
            problems.push(format!("{path}: {lines} lines, {allowed} are allowed"));
        }
        if Path::new(path).extension().is_some_and(|e| e == "rs") && !text.starts_with("//!") {
            problems.push(format!("{path}: opens without a //! comment that says what it is for"));
        }
    }
    for (path, _, reason) in LONGER_FILES {
        let needed = sources.iter().any(|(p, text)| p == path && text.lines().count() > MOST_LINES_OF_A_FILE);
        if !needed || reason.is_empty() {
            problems.push(format!("{path}: its entry in LONGER_FILES is not needed, or gives no reason"));
        }
    }
    report("a file tells one story", &problems);
}

#[test]
fn a_function_has_at_most_70_lines() {
    let mut problems = Vec::new();
    let mut needed = BTreeSet::new();
    for (path, text) in files("src", &[".rs"]) {
        for (name, line, lines) in functions(&code_only(&text)) {
            if lines <= MOST_LINES_OF_A_FUNCTION {
                continue;
            }
            needed.insert((path.clone(), name.clone()));
            let listed = LONGER_FUNCTIONS.iter().find(|(p, f, _, _)| *p == path && *f == name);
            let allowed = listed.map_or(MOST_LINES_OF_A_FUNCTION, |&(_, _, n, _)| n);
            if lines > allowed {
                problems.push(format!("{path}:{line}: fn {name} has {lines} lines, {allowed} are allowed"));
            }
        }
    }
    for (path, name, _, reason) in LONGER_FUNCTIONS {
        if !needed.contains(&((*path).to_owned(), (*name).to_owned())) || reason.is_empty() {
            problems.push(format!(
                "{path}: the entry of {name} in LONGER_FUNCTIONS is not needed, or gives no reason"
            ));
        }
    }
    report("a function fits a screen", &problems);
}

/// What must not be written, and in files of which extensions (none: in all). Spelled in halves, so that this list
/// does not find itself.
fn banned() -> Vec<(String, &'static [&'static str])> {
    const CODE: &[&str] = &[".rs", ".ts", ".tsx", ".js", ".mjs"];
    const PAGE: &[&str] = &[".ts", ".tsx", ".js", ".mjs"];
    const RUST: &[&str] = &[".rs"];
    let list: &[(&str, &str, &'static [&'static str])] = &[
        ("/wor", "k/", &[]),
        ("/tm", "p/", &[]),
        ("/roo", "t/", &[]),
        ("/hom", "e/", &[]),
        ("registry.npm", "js", &[]),
        ("npmjs", ".org", &[]),
        ("crates", ".io/", &[]),
        ("static.rust-", "lang", &[]),
        ("deb.", "debian", &[]),
        ("pypi", ".org", &[]),
        ("python", "hosted", &[]),
        ("FIX", "ME", &[]),
        ("to", "do!(", RUST),
        ("unimple", "mented!(", RUST),
        ("#[ign", "ore", RUST),
        ("#[all", "ow(", RUST),
        ("it.s", "kip(", CODE),
        ("test.s", "kip(", CODE),
        ("describe.s", "kip(", CODE),
        ("it.on", "ly(", CODE),
        ("test.on", "ly(", CODE),
        ("describe.on", "ly(", CODE),
        ("it.to", "do(", CODE),
        ("test.to", "do(", CODE),
        ("as a", "ny", PAGE),
        ("@ts-ig", "nore", PAGE),
        ("@ts-no", "check", PAGE),
    ];
    list.iter().map(|&(a, b, extensions)| (format!("{a}{b}"), extensions)).collect()
}

/// Whether the line has the word with nothing of a longer word around it ("was any" is not a cast).
fn has_word(line: &str, word: &str) -> bool {
    let letter = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back().is_some_and(letter);
        let after = line[at + word.len()..].chars().next().is_some_and(letter);
        !(before && word.starts_with(letter) || after && word.ends_with(letter))
    })
}

#[test]
fn nothing_is_left_open_and_nothing_local_is_named() {
    let banned = banned();
    let to_do = format!("{}{}", "TO", "DO");
    let mut problems = Vec::new();
    for (path, text) in files("", &[]) {
        // The lock file of cargo names its registry in every entry, a linked work tree its place; neither is written
        // by hand.
        if path == "Cargo.lock" || path == ".git" {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            let at = format!("{path}:{}", number + 1);
            for (word, extensions) in &banned {
                let covered = extensions.is_empty() || extensions.iter().any(|e| path.ends_with(e));
                if covered && has_word(line, word) {
                    problems.push(format!("{at}: \"{word}\""));
                }
            }
            // Open work names the condition that ends it.
            if has_word(line, &to_do) && !line.contains(&format!("{to_do}(until ")) {
                problems.push(format!("{at}: {to_do} without \"(until CONDITION)\""));
            }
        }
    }
    report("nothing is left open and nothing local is named", &problems);
}

#[test]
fn the_top_of_the_repository_holds_only_what_belongs_there() {
    let mut problems = Vec::new();
    for entry in fs::read_dir(root()).expect("the repository") {
        let name = entry.expect("a readable entry").file_name().to_string_lossy().into_owned();
        if !TOP_LEVEL.contains(&name.as_str()) {
            problems.push(format!("{name}: not in the list of tests/tidy.rs"));
        }
    }
    report("the top of the repository holds only what belongs there", &problems);
}

#[test]
fn every_dependency_says_what_it_buys() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("Cargo.toml");
    // Members of the workspace say it in their own manifests, and packages that several have in one table.
    let (mut problems, mut inside, mut explained) = (Vec::new(), false, false);
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line.ends_with("dependencies]");
        } else if line.starts_with('#') {
            explained = true;
            continue;
        } else if inside
            && line.contains('=')
            && !explained
            && !line.contains("workspace = true")
            && !line.contains("path = \"src/")
        {
            problems.push(format!("Cargo.toml: {line}"));
        }
        explained = false;
    }
    report("every dependency has a comment above it that says what it buys", &problems);
}
