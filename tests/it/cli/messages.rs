//! Messages of libraries never appear: problems are reported in the words of this program, with their place, and cut
//! to a line.

use crate::support::command::{TempFile, TempFolder, run, stderr, stdout};

/// What only a library says.
const FOREIGN: [&str; 24] = [
    "os error",
    "invalid digit",
    "is not in ",
    "invalid value '",
    "unexpected argument",
    "unrecognized",
    "For more information",
    "possible values",
    "Usage:",
    "expected ident",
    "mapping values are not allowed",
    "did not find expected",
    "while scanning",
    "while parsing",
    "trailing characters",
    "key must be a string",
    "invalid type",
    "missing field",
    " at line ",
    "No such file",
    "Is a directory",
    "ParseIntError",
    "invalid length",
    "not provided",
];

fn refused(args: &[&str], parts: &[&str]) {
    let out = run(args);
    let told = stderr(&out);
    assert!(matches!(out.status.code(), Some(2 | 3)), "{args:?}: {told}");
    assert_eq!(stdout(&out), "", "{args:?}");
    for foreign in FOREIGN {
        assert!(!told.contains(foreign), "{args:?}: {foreign:?} in {told}");
    }
    for part in parts {
        assert!(told.contains(part), "{args:?}: {part:?} is not in {told}");
    }
    assert!(told.lines().all(|line| line.chars().count() < 2000), "{args:?}: {told}");
}

#[test]
fn arguments_are_refused_in_our_words() {
    refused(&["foo"], &["no command \"foo\"; allowed: link, run, "]);
    refused(&["run"], &["no <SCENARIO>"]);
    refused(&["run", "chat-4xh100", "--nope"], &["--nope: no such argument"]);
    refused(&["run", "chat-4xh100", "--jsn"], &["--jsn: no such argument", "did you mean --json?"]);
    refused(&["run", "chat-4xh100", "extra"], &["extra: no such argument"]);
    refused(&["run", "chat-4xh100", "--set"], &["--set <PATH=VALUE>: no value"]);
    refused(&["run", "chat-4xh100", "--json", "--json"], &["--json: given more than once"]);
    refused(&["run", "chat-4xh100", "--json=3"], &["--json: \"3\""]);
    refused(&["sweep", "chat-4xh100"], &["no --vary <PATH=VALUES>"]);
    refused(
        &["compare", "chat-4xh100", "chat-4xh100", "--seeds", "abc"],
        &["--seeds <N>: \"abc\"; allowed: a whole number"],
    );
    refused(
        &["compare", "chat-4xh100", "chat-4xh100", "--seeds", "0"],
        &["--seeds <N>: \"0\"; allowed: 1 to 1000"],
    );
    refused(
        &["compare", "chat-4xh100", "chat-4xh100", "--seeds", "99999999999999999999"],
        &["allowed: a whole number"],
    );
    refused(&["list", "foo"], &["\"foo\"; allowed: models, gpus, presets, policies, columns"]);
    refused(&["calibrate", "x", "--leave-out", "model", "--start", "y"], &["given together with --start"]);
    refused(&["run", "chat-4xh100", "--decisions-k", "4"], &["no --decisions <FILE>"]);
    refused(&["capacity", "chat-4xh100", "--share", "x"], &["--share", "\"x\"; allowed: a number"]);
}

#[test]
fn a_negative_number_is_the_value_of_its_option() {
    refused(
        &["what-if", "chat-4xh100", "--request", "3", "--until", "-1"],
        &["--until: error: -1; allowed: 0 to "],
    );
    refused(&["link", "chat-4xh100", "--speed", "-1"], &["speed", "-1"]);
    refused(
        &["compare", "chat-4xh100", "chat-4xh100", "--seeds", "-1"],
        &["--seeds <N>: \"-1\"; allowed: 1 to 1000"],
    );
    refused(
        &["run", "chat-4xh100", "--decisions", "x.csv", "--decisions-k", "-1"],
        &["--decisions-k", "\"-1\"; allowed: "],
    );
    refused(
        &["capacity", "chat-4xh100", "--share", "-0.5"],
        &["--share: error: -0.5; allowed: above 0 up to 1"],
    );
}

#[cfg(unix)]
#[test]
fn a_model_that_is_no_text_is_not_called_a_scenario() {
    refused(&["model", "/dev/zero"], &["/dev/zero: error: ", "a model's config.json"]);
    assert!(!stderr(&run(&["model", "/dev/zero"])).contains("scenario"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_before_the_work() {
    let folder = TempFolder::new("full");
    let file = folder.write("experiments.json", "[]");
    refused(&["calibrate", &file, "--output", "/dev/full"], &["/dev/full: no room is left on the disk"]);
    let new = folder.path("coefficients.json");
    let out = run(&["calibrate", &file, "--output", &new]);
    assert!(stderr(&out).contains("no stage that coefficients may be fitted to"), "{}", stderr(&out));
    assert!(!std::fs::exists(new).expect("a readable folder"), "nothing was written");
}

#[test]
fn help_is_as_wide_as_the_terminal() {
    let wide = stdout(&run(&["run", "--help"]));
    let narrow = std::process::Command::new(env!("CARGO_BIN_EXE_tokenyard"))
        .args(["run", "--help"])
        .env("COLUMNS", "40")
        .output()
        .expect("the command starts");
    let text = stdout(&narrow);
    assert_eq!(narrow.status.code(), Some(0));
    let too_long = text.lines().find(|line| line.chars().count() > 40 && line.trim().contains(' '));
    assert_eq!(too_long, None, "{text}");
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(&text), words(&wide), "the same words");
}

#[test]
fn files_that_cannot_be_read_are_named_with_the_reason() {
    refused(&["run", "no/such/file.json"], &["error: no/such/file.json: no such file or folder"]);
    refused(&["run", "tests"], &["error: tests: a folder, where a file belongs"]);
    refused(&["run", "Cargo.toml/x.json"], &["error: Cargo.toml/x.json: "]);
    refused(&["convert", "no/such.toml"], &["no such file or folder"]);
    refused(&["validate", "no/such"], &["no such file or folder"]);
    refused(&["queueing", "tests"], &["a folder, where a file belongs"]);
    let long = format!("{}.json", "x".repeat(3000));
    refused(&["run", &long], &["error: xxxx", "…"]);
}

#[test]
fn unreadable_text_is_reported_with_its_place() {
    let yaml = [
        ("a: [1", "line 1, column 4: a bracket or a brace that is not closed"),
        ("a: b: c", "a second key in one line"),
        ("  a: 1\n b: 2", "line 2, column 2: a line that does not fit the indentation above it"),
        ("a: \"x", "a text in quotes that is not closed"),
        ("- a\nb: 1", "a line that does not fit the indentation above it"),
        ("a:\tb\n\tc: 1", "a tab, where only blanks may indent"),
        ("a: &x [*x]", "an alias within what it stands for"),
        ("a: !!binary x", "line 1, column 13: binary data"),
        ("<<: 1", "a merge of a value that is not an object"),
        ("%YAML 3", "a directive that is not known"),
    ];
    for (i, (text, part)) in yaml.into_iter().enumerate() {
        let file = TempFile::new(&format!("words-{i}.yaml"), text);
        refused(&["check", file.path()], &[part, "allowed: a YAML document"]);
    }
    let toml = [
        ("a = \n", "line 1: no value, or a text without quotes"),
        ("a = 1\na = 2\n", "line 2: the same key twice"),
        ("[b\n", "line 1: a bracket, a brace or a table's head that is not closed"),
        ("a = 1 b = 2\n", "line 1: "),
    ];
    for (i, (text, part)) in toml.into_iter().enumerate() {
        let file = TempFile::new(&format!("words-{i}.toml"), text);
        refused(&["convert", file.path()], &[part, "allowed: a TOML document"]);
    }
    for (i, text) in [
        "{\"a\":}",
        "{a:1}",
        "{\"a\":tru}",
        "{\"a\":1}x",
        "[1,",
        "{\"a\":\"\\x\"}",
        "{\"a\":01}",
        "{\"a\":1,}",
    ]
    .into_iter()
    .enumerate()
    {
        let file = TempFile::new(&format!("words-{i}.json"), text);
        refused(&["check", file.path()], &["error: line 1, column "]);
        refused(&["queueing", file.path()], &["error: line 1, column "]);
    }
}

#[test]
fn changed_files_of_the_program_are_reported_with_the_path() {
    let experiments =
        TempFile::new("experiments.json", r#"[{"id": "x", "group": "x", "model": "m", "gpu": "H100"}]"#);
    for text in ["{", "[{\"gpu\": 5}]", "{}", "[{\"gpu\": \"H100\", \"engine\": \"nope\"}]"] {
        let file = TempFile::new("own.json", text);
        refused(&["validate", experiments.path(), "--coefficients", file.path()], &["error: "]);
        refused(&["calibrate", experiments.path(), "--start", file.path()], &["error: "]);
    }
}

#[test]
fn long_numbers_and_paths_are_cut() {
    let (digits, key) = ("9".repeat(5000), "k".repeat(5000));
    for text in [
        format!("{{\"seed\": {digits}}}"),
        format!("{{\"run\": {{\"horizon_s\": 0.{digits}e9}}}}"),
        format!("{{\"{key}\": 1}}"),
        format!("{{\"cluster\": {{\"routing\": \"{key}\"}}}}"),
        format!("{{\"cluster\": {{\"pools\": [{{\"model\": \"{key}\"}}]}}}}"),
        format!("{{\"edits\": [{{\"at_us\": 0, \"set\": {{\"cluster.{key}\": 1}}}}]}}"),
    ] {
        let file = TempFile::new("long.json", &text);
        refused(&["check", file.path()], &["error: "]);
    }
    refused(&["run", "chat-4xh100", "--set", &format!("seed={digits}")], &["error: seed: "]);
    refused(&["run", "chat-4xh100", "--set", &format!("{key}=1")], &["error: "]);
}
