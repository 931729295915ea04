//! Messages about wrong arguments, in this program's words in place of the argument parser's.

use crate::args::Args;
use base::Diagnostic;
use clap::error::{ContextKind, ErrorKind};
use clap::{CommandFactory, FromArgMatches};
use std::error::Error as _;

/// Where all arguments are listed.
const SEE: &str = "--help lists what there is";

/// The arguments of the program. A negative number after an option is its value, so that the message is about what the option allows.
pub(crate) fn parsed() -> Result<Args, clap::Error> {
    let command = Args::command().mut_subcommands(|command| {
        command.mut_args(|arg| {
            let takes_a_value = !arg.is_positional() && arg.get_action().takes_values();
            if takes_a_value { arg.allow_negative_numbers(true) } else { arg }
        })
    });
    Args::from_arg_matches(&command.try_get_matches()?)
}

/// One problem of the arguments.
pub(crate) fn problem(error: &clap::Error) -> Diagnostic {
    let said = |kind: ContextKind| error.get(kind).map(ToString::to_string).unwrap_or_default();
    let (argument, value) = (said(ContextKind::InvalidArg), said(ContextKind::InvalidValue));
    let with_end =
        |found: &str, allowed: &str, fix: &str| Diagnostic::error(argument.as_str(), found, allowed, fix);
    let quoted = format!("{value:?}");
    match error.kind() {
        ErrorKind::InvalidValue if value.is_empty() => with_end("no value", "a value", SEE),
        ErrorKind::InvalidValue => {
            with_end(&quoted, &said(ContextKind::ValidValue), &meant(&said(ContextKind::SuggestedValue)))
        }
        ErrorKind::ValueValidation => {
            let reason = error.source().map(ToString::to_string).unwrap_or_default();
            with_end(&quoted, &allowed(&reason, &value), "")
        }
        ErrorKind::UnknownArgument => {
            with_end("no such argument", "those of the command", &meant(&said(ContextKind::SuggestedArg)))
        }
        ErrorKind::InvalidSubcommand => {
            let name = said(ContextKind::InvalidSubcommand);
            let known: Vec<String> =
                Args::command().get_subcommands().map(|c| c.get_name().to_owned()).collect();
            let fix = meant(&said(ContextKind::SuggestedSubcommand));
            Diagnostic::error("", format!("no command {name:?}"), known.join(", "), fix)
        }
        ErrorKind::MissingRequiredArgument | ErrorKind::MissingSubcommand => {
            Diagnostic::error("", format!("no {argument}"), "all arguments that are not in brackets", SEE)
        }
        ErrorKind::ArgumentConflict => {
            let other = said(ContextKind::PriorArg);
            if other == argument || other.is_empty() {
                with_end("given more than once", "once", "remove all but one")
            } else {
                with_end(&format!("given together with {other}"), "one of the two", "remove one of them")
            }
        }
        ErrorKind::TooManyValues => with_end(&format!("{quoted}, a value too many"), "none", "remove it"),
        ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => with_end("too few values", "more", SEE),
        ErrorKind::NoEquals => with_end("no value after =", "a value", SEE),
        ErrorKind::InvalidUtf8 => {
            Diagnostic::error("", "an argument that is not UTF-8", "text", "rename the file")
        }
        _ => Diagnostic::error("", "arguments that cannot be read", "those of the command", SEE),
    }
}

/// What is allowed, from the reason why a value was refused: a range, or a kind of number.
fn allowed(reason: &str, value: &str) -> String {
    if let Some((_, range)) = reason.split_once(" is not in ") {
        return range.replace("..=", " to ").replace("..", " up to below ");
    }
    let number = ["digit", "integer", "number too"].iter().any(|sign| reason.contains(sign));
    match reason {
        _ if number && value.starts_with('-') => "a whole number, 0 or more".to_owned(),
        _ if number => "a whole number".to_owned(),
        reason if reason.contains("float") => "a number".to_owned(),
        reason => reason.to_owned(),
    }
}

fn meant(name: &str) -> String {
    if name.is_empty() { SEE.to_owned() } else { format!("did you mean {name}?") }
}
