//! docs/reference/cli.md has every command with its arguments, as `--help` prints them.

use crate::support::command::printed;
use std::fmt::Write as _;

const HEAD: &str = "# The command line

Every command with its arguments and options, as `tokenyard COMMAND --help` prints them. A test prints this page anew when it is stale.
Standard output has results only and is deterministic; progress and messages go to standard error.

| exit code | meaning |
|---|---|
";

fn help_of(command: &[&str]) -> String {
    printed(&[command, &["--help"]].concat())
}

/// The lines below a heading of a help text, up to an empty one.
fn lines_below<'a>(help: &'a str, heading: &str) -> Vec<&'a str> {
    let below = help.lines().skip_while(|line| *line != heading).skip(1);
    below.take_while(|line| !line.trim().is_empty()).map(str::trim).collect()
}

/// Two columns of a line that stand apart by two spaces or more.
fn columns(line: &str) -> (&str, &str) {
    let (name, rest) = line.split_once("  ").unwrap_or((line, ""));
    (name.trim(), rest.trim())
}

/// A text without the names of built-in scenarios that end it.
fn without_names(text: &str) -> &str {
    const NAMED: &str = "built-in scenario";
    match text.find(&format!("{NAMED}: ")) {
        Some(at) => &text[..at + NAMED.len()],
        None => text,
    }
}

/// A further line of the description of an argument, as a continuation of `before`: a list of values is on one line.
fn continued(text: &str, before: &str) -> String {
    const VALUES: &str = "Values:";
    if text == "Possible values:" {
        return format!(". {VALUES}");
    }
    let between = if before.is_empty() || before.ends_with(VALUES) { "" } else { ";" };
    match text.strip_prefix("- ").and_then(|value| value.split_once(':')) {
        Some((value, meaning)) => format!("{between} `{value}`: {}", meaning.trim()),
        None if before.is_empty() => text.to_owned(),
        None => format!(" {text}"),
    }
}

/// The arguments and options of a help text, with what it says of each.
fn arguments(help: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in help.lines().filter(|line| !line.trim().is_empty()) {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        if indent == 0 {
            inside = ["Arguments:", "Options:"].contains(&line);
        } else if inside && indent <= 6 && text.starts_with(['-', '<', '[']) {
            let (name, what) = columns(text);
            found.push((name.to_owned(), what.to_owned()));
        } else if let (true, Some((_, what))) = (inside, found.last_mut()) {
            what.push_str(&continued(text, what));
        }
    }
    found.retain(|(name, _)| !name.starts_with("-h,"));
    found
}

fn section(page: &mut String, command: &str) {
    let help = help_of(&[command]);
    let (head, rest) = help.split_once("Usage: ").expect("help says how a command is used");
    let usage = rest.lines().next().unwrap_or_default();
    writeln!(page, "\n## {command}\n{}\n\n    {usage}", head.trim()).expect("a String takes any text");
    let arguments = arguments(&help);
    if !arguments.is_empty() {
        page.push_str("\n| argument | what it is |\n|---|---|\n");
    }
    for (name, what) in arguments {
        let what = without_names(&what).replace('|', "\\|");
        writeln!(page, "| `{name}` | {what} |").expect("a String takes any text");
    }
}

#[test]
fn the_page_of_the_command_line_has_every_command_and_flag() {
    let top = help_of(&[]);
    let mut page = HEAD.to_owned();
    for (code, meaning) in lines_below(&top, "Exit codes:").into_iter().map(columns) {
        writeln!(page, "| {code} | {meaning} |").expect("a String takes any text");
    }
    for (command, _) in lines_below(&top, "Commands:").into_iter().map(columns) {
        if command != "help" {
            section(&mut page, command);
        }
    }
    let written = include_str!("../../../docs/reference/cli.md");
    assert!(written == page, "docs/reference/cli.md is to be\n{page}");
}
