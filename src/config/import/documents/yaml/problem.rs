//! Problems of YAML texts, with line and column, in the words of this program.

use base::Diagnostic;
use granit_parser::{ErrorKind, Marker, ScanError};

/// What belongs in a text.
const DOCUMENT: &str = "a YAML document";
/// Most characters of a line that are shown.
const SHOWN: usize = 30;

/// A problem of the syntax.
pub(super) fn of_syntax(text: &str, error: &ScanError) -> Diagnostic {
    let at = error.marker();
    if matches!(error.kind(), ErrorKind::RecursionLimitExceeded) {
        return too_deep(at);
    }
    let found = found(error.kind());
    let line = text.lines().nth(at.line().saturating_sub(1)).unwrap_or_default();
    let near: String = line.chars().skip(at.col()).collect();
    let near: String = near.trim().chars().take(SHOWN).collect();
    let found = if near.is_empty() { found.to_owned() } else { format!("{found}, near `{near}`") };
    let is_json = text.trim_start().starts_with(['{', '[']);
    let allowed = if is_json { "a YAML or JSON document" } else { DOCUMENT };
    Diagnostic::error(place(at), found, allowed, "correct the text there")
}

/// A problem that is no YAML.
pub(super) fn unreadable(at: &Marker, found: &str) -> Diagnostic {
    Diagnostic::error(place(at), found, DOCUMENT, "correct the text there")
}

/// Values below too many others.
pub(super) fn too_deep(at: &Marker) -> Diagnostic {
    let fix = "no field is nested that deeply: check the indentation";
    Diagnostic::error(place(at), "values nested too deeply to read", "a few levels", fix)
}

/// More values than are read.
pub(super) fn too_many(at: &Marker, most: usize) -> Diagnostic {
    let found = format!("more than {most} values");
    Diagnostic::error(place(at), found, "less", "give the part that matters")
}

/// More values, or longer ones, from aliases than are read.
pub(super) fn too_large(at: &Marker) -> Diagnostic {
    let fix = "write it out, or remove the anchors";
    Diagnostic::error(place(at), "more than a document of this size may expand to", "less", fix)
}

/// A number that is not finite.
pub(super) fn not_finite(at: &Marker) -> Diagnostic {
    let found = "a number that is not finite";
    Diagnostic::error(place(at), found, "finite numbers up to 1.8e308", "write a plain number")
}

/// A key that is a list, an object or a number.
pub(super) fn key_without_text(at: &Marker) -> Diagnostic {
    let fix = "write a plain name before the colon";
    Diagnostic::error(place(at), "a key that is no text", "a name", fix)
}

/// A further document where one belongs.
pub(super) fn second_document(line: u32) -> Diagnostic {
    let fix = "keep only the text before the line ---";
    Diagnostic::error(format!("line {line}, column 1"), "a second document", "one document in a file", fix)
}

fn place(at: &Marker) -> String {
    format!("line {}, column {}", at.line(), at.col() + 1)
}

/// What stands where the parser did not go on.
fn found(kind: &ErrorKind) -> &'static str {
    use ErrorKind as Kind;
    match kind {
        Kind::UnclosedQuotedScalar => "a text in quotes that is not closed",
        Kind::DocumentIndicatorInQuotedScalar | Kind::InvalidQuotedScalarIndent => {
            "a text in quotes that is not closed or not indented"
        }
        Kind::InvalidTrailingSingleQuotedScalar | Kind::InvalidTrailingDoubleQuotedScalar => {
            "more text behind a text in quotes"
        }
        Kind::UnknownQuotedScalarEscape
        | Kind::InvalidQuotedScalarHexEscape
        | Kind::InvalidLowSurrogateHexEscape
        | Kind::InvalidLowSurrogate
        | Kind::MissingLowSurrogate
        | Kind::UnpairedLowSurrogate
        | Kind::InvalidUnicodeEscape => "an escape that does not exist",
        Kind::UnclosedFlowCollection { .. }
        | Kind::UnexpectedEofFlowSequence
        | Kind::UnexpectedEofFlowMapping
        | Kind::UnexpectedEofImplicitFlowMapping => "a bracket or a brace that is not closed",
        Kind::ExpectedFlowMappingSeparator | Kind::ExpectedFlowSequenceSeparator => {
            "no comma where one value ends and the next begins"
        }
        Kind::MisplacedFlowCollectionEnd => "a bracket or a brace that closes nothing",
        Kind::MismatchedFlowCollectionEnd { .. } => "a bracket or a brace that another kind closes",
        Kind::UnexpectedCharacter { .. } => "a character that cannot stand there",
        Kind::TabNotAllowed
        | Kind::TabInBlockIndentation
        | Kind::TabInIndentation
        | Kind::TabAtBlockScalarStart
        | Kind::TabInPlainScalar => "a tab, where only blanks may indent",
        Kind::MappingValueNotAllowed => "a second key in one line",
        Kind::SimpleKeyExpected | Kind::InvalidSimpleKey => "a line without a colon behind its key",
        Kind::ExpectedBlockMappingKey
        | Kind::ExpectedBlockSequenceEntry
        | Kind::ExpectedDocumentStart
        | Kind::BlockSequenceEntryNotAllowed
        | Kind::InvalidIndentation
        | Kind::InvalidFlowScalarIndent
        | Kind::InvalidBlockScalarIndent => "a line that does not fit the indentation above it",
        Kind::UnsupportedYamlMajorVersion
        | Kind::DuplicateVersionDirective
        | Kind::DuplicateTagDirective
        | Kind::MissingDocumentEndBeforeDirective
        | Kind::InvalidDirectiveTerminator
        | Kind::InvalidDirectiveName
        | Kind::MissingDirectiveName
        | Kind::MissingYamlVersion
        | Kind::MissingYamlVersionSeparator
        | Kind::YamlVersionTooLong => "a directive that is not known",
        Kind::UnknownAnchor | Kind::MissingAnchorOrAliasName | Kind::AnchorCountOverflow => {
            "an anchor or alias that cannot be read"
        }
        _ => "text that is not YAML",
    }
}
