//! What commands write to stdout and stderr.

use crate::failed::{BAD_INPUT, FILE_TROUBLE, Failed, OK};
use crate::text::{messages, table};
use base::Diagnostic;
use base::diag::cut;
use std::fmt::Display;
use std::io::Write;

/// Most characters of a file's name in a message.
const FILE_NAME: usize = 200;

/// Writes to stdout.
pub(crate) fn say(text: &str) -> Result<(), Failed> {
    say_bytes(text.as_bytes())
}

/// Writes bytes to stdout.
pub(crate) fn say_bytes(bytes: &[u8]) -> Result<(), Failed> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        // The reader has closed the pipe, as `head` does.
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Err(Failed(OK)),
        Err(e) => Err(unreadable(&"stdout", &e)),
    }
}

/// Writes a line to stderr and ignores errors of writing. Control characters are escaped, as user text may contain
/// anything.
pub(crate) fn tell(line: &dyn Display) {
    writeln!(std::io::stderr(), "{}", table::visible(&line.to_string())).ok();
}

/// Prints that a file cannot be read or written; the caller then ends the command.
pub(crate) fn unreadable(path: &dyn Display, error: &std::io::Error) -> Failed {
    let path = path.to_string();
    tell(&format!("error: {}: {}", cut(&path, FILE_NAME), messages::of_file(error)));
    Failed(FILE_TROUBLE)
}

/// Prints problems to stderr; the caller then ends the command.
pub(crate) fn refused(source: &str, problems: &[Diagnostic]) -> Failed {
    tell_all(source, problems);
    Failed(BAD_INPUT)
}

/// Prints problems to stderr, each with its source.
pub(crate) fn tell_all(source: &str, problems: &[Diagnostic]) {
    let source = cut(source, FILE_NAME);
    for problem in problems {
        tell(&format!("{source}: {problem}"));
    }
}
