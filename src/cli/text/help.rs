//! Help texts as wide as the terminal: the argument parser leaves lines whole.

use crate::failed::{BAD_INPUT, Failed};
use crate::print::{say, unreadable};
use console::Term;
use std::io::Write as _;

/// Columns below which descriptions go below what they describe.
const LEAST_BESIDE: usize = 30;
/// Spaces before a description that stands below.
const BELOW: usize = 10;
/// Columns between a description and what it describes.
const GAP: &str = "  ";

/// Prints the help that the parser answers with in place of arguments. Returns the exit status.
pub(crate) fn print(answer: &clap::Error) -> u8 {
    let text = answer.render();
    let styled = if console::colors_enabled() { text.ansi().to_string() } else { text.to_string() };
    let wrapped = width().map_or_else(|| styled.clone(), |width| wrapped(&styled, width));
    let said = if answer.use_stderr() {
        std::io::stderr().write_all(wrapped.as_bytes()).map_err(|e| unreadable(&"stderr", &e))
    } else {
        say(&wrapped)
    };
    match said {
        Ok(()) => u8::try_from(answer.exit_code()).unwrap_or(BAD_INPUT),
        Err(Failed(code)) => code,
    }
}

/// The columns of the terminal, or those that `COLUMNS` asks for; `None` where there is no terminal.
fn width() -> Option<usize> {
    let said = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    said.or_else(|| Term::stdout().size_checked().map(|(_, columns)| columns.into()))
        .filter(|columns| *columns > 0)
}

/// The lines of a help text, none longer than `width` unless a single word is.
fn wrapped(text: &str, width: usize) -> String {
    let mut out = String::new();
    for line in text.lines() {
        wrap_line(line, width, &mut out);
    }
    out
}

fn columns(text: &str) -> usize {
    console::measure_text_width(text)
}

fn wrap_line(line: &str, width: usize, out: &mut String) {
    let plain = console::strip_ansi_codes(line);
    let indent = plain.len() - plain.trim_start().len();
    let fits = columns(line) <= width;
    // `  --option <VALUE>   Description`: the description hangs, or goes below.
    let apart = line.trim_start().split_once(GAP).filter(|(head, _)| indent > 0 && !head.is_empty());
    let (head, rest) = match apart {
        _ if fits => (line.trim_end(), ""),
        Some((head, rest)) => {
            out.push_str(&" ".repeat(indent));
            (head, rest.trim_start())
        }
        None => {
            let hang = if indent + LEAST_BESIDE > width { 0 } else { indent };
            return fill(line.trim_start(), Columns { begin: indent.min(width / 2), hang, width }, out);
        }
    };
    out.push_str(head);
    if rest.is_empty() {
        out.push('\n');
        return;
    }
    let column = columns(line) - columns(rest);
    let (begin, hang) = if column + LEAST_BESIDE > width {
        out.push('\n');
        (BELOW.min(width / 4), BELOW.min(width / 4))
    } else {
        (column - indent - columns(head), column)
    };
    fill(rest, Columns { begin, hang, width }, out);
}

/// Where words stand: the first after `begin` columns of the line, further lines after `hang`, up to `width`.
struct Columns {
    begin: usize,
    hang: usize,
    width: usize,
}

fn fill(text: &str, Columns { begin, hang, width }: Columns, out: &mut String) {
    out.push_str(&" ".repeat(begin));
    let mut at = begin.max(hang);
    let mut first = true;
    for word in text.split_whitespace() {
        let wide = columns(word);
        if !first && at + 1 + wide > width {
            out.push('\n');
            out.push_str(&" ".repeat(hang));
            at = hang;
        } else if !first {
            out.push(' ');
            at += 1;
        }
        out.push_str(word);
        at += wide;
        first = false;
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELP: &str = "Run a scenario to its end and print the results\n\nUsage: tokenyard run [OPTIONS] <SCENARIO>\n\n\
        Options:\n      --json         Print the report as JSON in place of a summary\n";

    #[test]
    fn a_description_hangs_where_there_is_room_and_goes_below_where_there_is_none() {
        let wide = wrapped(HELP, 60);
        assert!(
            wide.contains(
                "      --json         Print the report as JSON in place of a\n                     summary\n"
            ),
            "{wide}"
        );
        let narrow = wrapped(HELP, 40);
        assert!(
            narrow.contains(
                "      --json\n          Print the report as JSON in\n          place of a summary\n"
            ),
            "{narrow}"
        );
        assert!(narrow.lines().all(|line| line.len() <= 40), "{narrow}");
        assert_eq!(wrapped(HELP, 200), HELP);
    }
}
