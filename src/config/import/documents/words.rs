//! The words by which commands are found in a text: programs, variables, and quotes that stay open.

/// How the command lines begin that are read, after variables of the environment.
const PROGRAMS: [&str; 16] = [
    "vllm serve",
    "sglang serve",
    "trtllm-serve",
    "vllm bench",
    "vllm-router",
    "smg",
    "amg",
    "sglang_router",
    "sglang-router",
    "dynamo.frontend",
    "dynamo-frontend",
    "python -m",
    "python3 -m",
    "dynamo-run",
    "guidellm",
    "docker run",
];

/// Whether a line begins a command that is read.
pub fn begins(line: &str) -> bool {
    let line = line.strip_prefix("$ ").unwrap_or(line);
    let mut rest = line.strip_prefix("export ").unwrap_or(line);
    loop {
        if PROGRAMS.iter().any(|program| {
            rest.strip_prefix(program).is_some_and(|after| after.is_empty() || after.starts_with([' ', '\\']))
        }) {
            return true;
        }
        let Some((word, after)) = rest.split_once(' ') else { return false };
        let variable = word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.bytes().all(|c| c == b'_' || c.is_ascii_alphanumeric())
        });
        if !variable && word != "nohup" && word != "sudo" && word != "exec" {
            return false;
        }
        rest = after.trim_start();
    }
}

/// Whether a text is a script that runs a command which is read.
pub fn is_script(text: &str) -> bool {
    let runs = |line: &str| {
        begins(line)
            || [" vllm serve ", " -m vllm", " -m dynamo", " -m sglang", " trtllm-serve "]
                .iter()
                .any(|part| line.contains(part))
    };
    text.starts_with("#!") || text.lines().any(|line| runs(line.trim_start()))
}

/// Whether a line only sets a variable of a shell, such as `export MODEL=name`.
pub fn is_variable(line: &str) -> bool {
    let line = line.strip_prefix("export ").unwrap_or(line);
    let name = line.split_once('=').map_or("", |(name, _)| name);
    let plain = |c: char| c == '_' || c.is_ascii_alphanumeric();
    !name.is_empty() && name.chars().all(plain) && !begins(line) && !line.contains(": ")
}

/// Whether a line beside commands is one of the shell rather than of YAML or JSON: it begins with no key, no entry and no bracket.
pub fn is_of_shell(line: &str) -> bool {
    let line = line.trim();
    let first = line.split_whitespace().next().unwrap_or_default();
    let brackets = line.starts_with(['{', '[', '}', ']']) && !matches!(first, "[" | "[[" | "{" | "}");
    !first.is_empty() && !first.contains(':') && first != "-" && !brackets && !line.contains("\": ")
}

/// Whether a command goes on after this line.
pub fn goes_on(line: &str) -> bool {
    line.trim_end().ends_with('\\')
}

/// The quotes of a command that goes on over several lines.
pub struct Quotes<'a> {
    lines: Vec<&'a str>,
    open: Option<char>,
}

/// Most lines of a text in quotes.
const QUOTED_LINES: usize = 200;

impl<'a> Quotes<'a> {
    /// The quotes of the lines of a text.
    pub fn new(text: &'a str) -> Self {
        Self { lines: text.lines().collect(), open: None }
    }

    /// Whether a quote is open at the end of a line of a command and closed on a later line. `goes_on` says whether the
    /// line continues the one before.
    pub fn is_open(&mut self, line: usize, goes_on: bool) -> bool {
        let before = if goes_on { self.open } else { None };
        self.open = self.lines.get(line).and_then(|line| quote_after(line, before));
        let Some(quote) = self.open else { return false };
        let rest = self.lines.iter().skip(line + 1).take(QUOTED_LINES);
        let closed = rest.clone().any(|line| line.contains(quote));
        if !closed {
            self.open = None;
        }
        closed
    }
}

/// The quote that is open after a line.
fn quote_after(line: &str, before: Option<char>) -> Option<char> {
    let (mut quote, mut skipped, mut begun) = (before, false, before.is_some());
    for c in line.chars() {
        match c {
            _ if skipped => skipped = false,
            '\\' if quote != Some('\'') => skipped = true,
            '#' if quote.is_none() && !begun => return None,
            '"' | '\'' if quote.is_none() => quote = Some(c),
            c if quote == Some(c) => quote = None,
            _ => {}
        }
        begun = quote.is_some() || !c.is_whitespace();
    }
    quote
}
