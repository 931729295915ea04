//! Messages of libraries about input, in the words of this program: what was found, not what a parser expected
//! internally.

use std::io;

/// Most characters of a line that are shown.
const SHOWN: usize = 30;

/// Why a file cannot be read or written.
pub(crate) fn of_file(error: &io::Error) -> String {
    use io::ErrorKind as Kind;
    let known = match error.kind() {
        Kind::NotFound => "no such file or folder",
        Kind::PermissionDenied => "no permission to read or write it",
        Kind::AlreadyExists => "it is there already",
        Kind::NotADirectory => "a part of its path is a file, not a folder",
        Kind::IsADirectory => "a folder, where a file belongs",
        Kind::ReadOnlyFilesystem => "the disk is read-only",
        Kind::StorageFull | Kind::QuotaExceeded => "no room is left on the disk",
        Kind::InvalidFilename | Kind::InvalidInput => "a name that no file can have",
        Kind::UnexpectedEof => "it ends too early",
        Kind::BrokenPipe => "the reader has closed it",
        Kind::Interrupted | Kind::TimedOut | Kind::WouldBlock => "the system interrupted it",
        _ => "",
    };
    if !known.is_empty() {
        return known.to_owned();
    }
    match error.raw_os_error() {
        // Loops of links do not have their own kind yet.
        Some(40) => "links that lead in a circle".to_owned(),
        Some(number) => format!("the system refuses it (error {number})"),
        None => "it cannot be read or written".to_owned(),
    }
}

/// The problem of a TOML text, from its reader's message.
pub(crate) fn of_toml(reason: &str, near: &str) -> String {
    let known = [
        ("unclosed string", "a text in quotes that is not closed"),
        ("unclosed", "a bracket, a brace or a table's head that is not closed"),
        ("must be quoted", "no value, or a text without quotes"),
        ("duplicate key", "the same key twice"),
        ("escape", "an escape that does not exist"),
        ("newline", "more text in the line than one key and its value"),
        ("key with no value", "a key without a value"),
    ];
    let lower = reason.to_ascii_lowercase();
    let quoted = lower.contains("unclosed") && near.trim_start().starts_with(['"', '\'']);
    let lower = if quoted { "unclosed string".to_owned() } else { lower };
    let found = known.iter().find(|(sign, _)| lower.contains(sign)).map_or("text that is not TOML", |k| k.1);
    let near: String = near.trim().chars().take(SHOWN).collect();
    if near.is_empty() { found.to_owned() } else { format!("{found}, near `{near}`") }
}

/// The rest of a line of a text, both counted from 1.
pub(crate) fn rest_of_line(text: &str, line: usize, column: usize) -> String {
    let source = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    source.chars().skip(column.saturating_sub(1)).collect()
}
