//! Rows of a file that were left out, and rows that stand out of order: how many, and the lines of the first.

use base::{Diagnostic, Diagnostics};
/// Most lines that are named for one reason.
const LINES: usize = 20;

/// Lines of a file with something in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Lines {
    /// How many rows.
    pub(super) rows: u64,
    /// The lines of the first of them.
    pub(super) lines: Vec<u64>,
}

impl Lines {
    pub(super) fn add(&mut self, line: u64) {
        self.rows += 1;
        if self.lines.len() < LINES {
            self.lines.push(line);
        }
    }

    /// The first lines in words: `line 4`, `lines 4, 9, 12 and more`.
    fn told(&self) -> String {
        let few: Vec<String> = self.lines.iter().take(3).map(u64::to_string).collect();
        let more = if self.rows > few.len() as u64 { " and more" } else { "" };
        format!("line{} {}{more}", if self.rows == 1 { "" } else { "s" }, few.join(", "))
    }
}

/// Rows left out by reason; rows that are kept although something about them is odd.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LeftOut {
    /// Rows left out because they have no output.
    pub(super) without_output: Lines,
    /// Rows left out because they have no prompt.
    pub(super) without_prompt: Lines,
    /// Rows that arrive before the row above them; they are sorted in.
    pub(super) backwards: Lines,
    /// The last line, if it ends too early.
    pub(super) cut_off: Lines,
    /// Lines with spans that are no requests.
    pub(super) no_requests: Lines,
}

impl LeftOut {
    /// How many rows were left out.
    pub(super) fn rows(&self) -> u64 {
        self.without_output.rows + self.without_prompt.rows + self.cut_off.rows
    }

    /// Warnings about rows that were left out.
    pub(super) fn warnings(&self, file_name: &str) -> Diagnostics {
        let mut all = Diagnostics::new();
        for (lines, what) in
            [(&self.without_output, "without output tokens"), (&self.without_prompt, "without a prompt")]
        {
            if lines.rows > 0 {
                let found = match lines.rows {
                    1 => format!("1 request {what} (a failed one) was left out: {}", lines.told()),
                    n => format!("{n} requests {what} (failed ones) were left out: {}", lines.told()),
                };
                all.push(Diagnostic::warning(file_name, found, "at least one token", ""));
            }
        }
        if self.cut_off.rows > 0 {
            let found = format!("the last line ends too early and was left out: {}", self.cut_off.told());
            let fix = "fetch the rest of the file, or remove the line";
            all.push(Diagnostic::warning(file_name, found, "a whole file", fix));
        }
        if self.no_requests.rows > 0 {
            let spans =
                if self.no_requests.rows == 1 { "span is no request" } else { "spans are no requests" };
            let found = format!("{} {spans}: {}", self.no_requests.rows, self.no_requests.told());
            let allowed = "the tokens of the prompt, such as gen_ai.usage.input_tokens, of a single call";
            all.push(Diagnostic::warning(file_name, found, allowed, ""));
        }
        all
    }
}
