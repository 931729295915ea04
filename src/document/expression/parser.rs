//! Parses the text of an expression to its operations, by precedence climbing (V. Pratt 1973): each operator has a
//! binding power to the left and to the right, and the stronger one takes the operand between two.
//!
//! Unknown words and values of the wrong kind are noted, and reading continues; a syntax error ends it. Recursion is
//! limited to [`LEVELS`].

use super::formula::Formula;
use super::names::{Aggregate, FUNCTIONS, Function, Kind, NAMES, Name};
use super::op::{Binary, Op};
use super::token::{Placed, Token, token_at};
use crate::limits;
use crate::table::report::grouped;
use base::alike::nearest;
use std::fmt;

/// Deepest recursion: every operation may be in brackets.
const LEVELS: u32 = 2 * limits::EXPRESSION_DEPTH + 8;

/// A problem of the text of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The bytes of the text that it is about.
    pub start: usize,
    /// The first byte after them.
    pub end: usize,
    /// Position of the first of them in characters, from 1.
    pub character: usize,
    /// What was found.
    pub found: String,
    /// What is allowed there.
    pub allowed: String,
    /// How to fix it.
    pub fix: String,
}

impl Problem {
    /// What was found, with its place.
    pub fn found_at(&self) -> String {
        format!("{} at character {}", self.found, self.character)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; allowed: {}; {}", self.found_at(), self.allowed, self.fix)
    }
}

/// Reads an expression that gives a number; all independent problems are reported at once.
pub fn parse(text: &str) -> Result<Formula, Vec<Problem>> {
    read(text, Words::Signals)
}

impl TryFrom<String> for Formula {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        parse(&text).map_err(|problems| problems.first().map(Problem::to_string).unwrap_or_default())
    }
}

/// Reads a formula whose names are those of triggers. Numbers may be named before it: `let name = value; …`.
pub(super) fn parse_with(text: &str, triggers: &[&str]) -> Result<Formula, Vec<Problem>> {
    read(text, Words::Triggers(triggers))
}

fn read(text: &str, words: Words<'_>) -> Result<Formula, Vec<Problem>> {
    let next = token_at(text, 0);
    let mut parser = Parser { text, words, next, named: Vec::new(), ops: Vec::new(), problems: Vec::new() };
    if parser.whole().is_some() && parser.problems.is_empty() {
        return Ok(Formula { ops: parser.ops });
    }
    Err(parser.problems)
}

/// What names mean.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Words<'a> {
    /// Signals of the candidates of a router.
    Signals,
    /// Triggers of an autoscaler, by number.
    Triggers(&'a [&'a str]),
}

pub(super) struct Parser<'a> {
    text: &'a str,
    pub(super) words: Words<'a>,
    /// Numbers that were named, with their operations.
    pub(super) named: Vec<Named<'a>>,
    /// The token that comes next.
    pub(super) next: Placed<'a>,
    pub(super) ops: Vec<Op>,
    problems: Vec<Problem>,
}

/// A number that was named, its operations, and what was read.
pub(super) struct Named<'a> {
    pub(super) name: &'a str,
    pub(super) ops: Vec<Op>,
    pub(super) read: Read,
}

/// A parsed part: its kind, its depth of nesting, and its position.
#[derive(Clone, Copy)]
pub(super) struct Read {
    pub(super) kind: Kind,
    pub(super) depth: u32,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// How strongly `? :` binds, the weakest.
const CHOICE: u8 = 1;
/// How strongly `-a` and `!a` bind, the strongest.
const PREFIX: u8 = 20;

/// What an operator of two values takes and gives, and how strongly it binds.
fn binary(sign: &str) -> Option<(Binary, u8)> {
    Some(match sign {
        "||" => (Binary::Or, 2),
        "&&" => (Binary::And, 3),
        "<" => (Binary::Less, 4),
        "<=" => (Binary::AtMost, 4),
        ">" => (Binary::More, 4),
        ">=" => (Binary::AtLeast, 4),
        "==" => (Binary::Equal, 4),
        "!=" => (Binary::Unequal, 4),
        "+" => (Binary::Add, 5),
        "-" => (Binary::Subtract, 5),
        "*" => (Binary::Multiply, 6),
        "/" => (Binary::Divide, 6),
        "%" => (Binary::Remainder, 6),
        "??" => (Binary::Else, 7),
        _ => return None,
    })
}

impl Parser<'_> {
    /// The whole text as one expression. `None` if it is not one.
    fn whole(&mut self) -> Option<()> {
        if self.text.len() > limits::EXPRESSION_BYTES {
            let found = format!("{} bytes of text", grouped(self.text.len() as u64));
            let allowed = format!("at most {}", grouped(limits::EXPRESSION_BYTES as u64));
            self.problem([0, self.text.len()], found, allowed, "split it into several scorers");
            return None;
        }
        if self.next.token == Token::End {
            let (allowed, fix) = match self.words {
                Words::Signals => (
                    "a number of each replica",
                    "write what a good replica has more of, such as 1 / (1 + waiting)",
                ),
                Words::Triggers(_) => ("a number", "write it with the names of triggers, such as queue / 5"),
            };
            self.problem([0, 0], "no expression".to_owned(), allowed.to_owned(), fix);
            return None;
        }
        while self.is_let() {
            self.name_a_number()?;
        }
        let read = self.expression(0, 1)?;
        if self.next.token != Token::End {
            self.unexpected("an operator or the end of the text");
            return None;
        }
        if read.kind == Kind::Condition {
            let fix = "give a score for either case: (…) ? 1 : 0";
            let (found, allowed) = (Kind::Condition.text().to_owned(), Kind::Number.text().to_owned());
            self.problem([read.start, read.end], found, allowed, fix);
        }
        Some(())
    }

    /// Notes a problem. Not generic, as the module would contain a copy for each type of argument.
    pub(super) fn problem(&mut self, place: [usize; 2], found: String, allowed: String, fix: &str) {
        let [start, end] = place;
        let character = self.text[..start].chars().count() + 1;
        self.problems.push(Problem { start, end, character, found, allowed, fix: fix.to_owned() });
    }

    /// Notes an unexpected token.
    pub(super) fn unexpected(&mut self, allowed: &str) {
        let Placed { token, start, end } = self.next;
        let (found, fix) = match token {
            Token::End => ("the end of the text".to_owned(), "write what is missing"),
            Token::Number(text) | Token::Other(text) | Token::Word(text) => {
                (format!("`{text}`"), remedy_of(text))
            }
            Token::Sign(text) => (format!("`{text}`"), "remove it, or write what is missing before it"),
        };
        self.problem([start, end], found, allowed.to_owned(), fix);
    }

    pub(super) fn advance(&mut self) {
        self.next = token_at(self.text, self.next.end);
    }

    /// Whether the next token is this sign; if so it is taken.
    pub(super) fn takes(&mut self, sign: &str) -> bool {
        let is = matches!(self.next.token, Token::Sign(s) if s == sign);
        if is {
            self.advance();
        }
        is
    }

    pub(super) fn needs(&mut self, sign: &str, allowed: &str) -> Option<()> {
        let takes = self.takes(sign);
        if !takes {
            self.unexpected(allowed);
        }
        takes.then_some(())
    }

    /// Adds an operation to the list.
    pub(super) fn push(&mut self, op: Op, read: Read) -> Option<Read> {
        let Read { start, end, .. } = read;
        if self.ops.len() >= limits::EXPRESSION_NODES {
            let found = format!("more than {} names, numbers and operations", limits::EXPRESSION_NODES);
            let allowed = format!("at most {}", limits::EXPRESSION_NODES);
            self.problem([start, end], found, allowed, "split it into several scorers");
            return None;
        }
        if read.depth > limits::EXPRESSION_DEPTH {
            self.too_deep([start, end]);
            return None;
        }
        self.ops.push(op);
        Some(read)
    }

    fn too_deep(&mut self, place: [usize; 2]) {
        let found = format!("operations nested more than {} deep", limits::EXPRESSION_DEPTH);
        let fix = "leave out brackets that are not needed, or split it into several scorers";
        self.problem(place, found, format!("at most {} levels", limits::EXPRESSION_DEPTH), fix);
    }

    /// A value that should be of this kind; it is noted if it is not.
    pub(super) fn expect(&mut self, read: Read, kind: Kind, of: &str) {
        if read.kind == kind {
            return;
        }
        let fix = match kind {
            Kind::Number => "choose a number by it: (…) ? 1 : 0",
            Kind::Condition => "compare it with something, such as waiting > 0",
        };
        let found = format!("{}, which `{of}` does not accept,", read.kind.text());
        self.problem([read.start, read.end], found, kind.text().to_owned(), fix);
    }

    /// An expression whose operators bind more strongly than `above`.
    pub(super) fn expression(&mut self, above: u8, level: u32) -> Option<Read> {
        if level > LEVELS {
            self.too_deep([self.next.start, self.next.end]);
            return None;
        }
        let mut left = self.operand(level)?;
        while let Token::Sign(sign) = self.next.token {
            if sign == "?" && above < CHOICE {
                left = self.choice(left, level)?;
                continue;
            }
            let Some((op, strength)) = binary(sign).filter(|(_, strength)| *strength > above) else { break };
            self.advance();
            let right = self.expression(strength, level + 1)?;
            left = self.binary(op, sign, left, right)?;
        }
        Some(left)
    }

    fn binary(&mut self, op: Binary, sign: &str, left: Read, right: Read) -> Option<Read> {
        let kind = match op {
            Binary::And | Binary::Or => {
                self.expect(left, Kind::Condition, sign);
                self.expect(right, Kind::Condition, sign);
                Kind::Condition
            }
            Binary::Equal | Binary::Unequal => {
                self.expect(right, left.kind, sign);
                Kind::Condition
            }
            Binary::Less | Binary::AtMost | Binary::More | Binary::AtLeast => {
                self.expect(left, Kind::Number, sign);
                self.expect(right, Kind::Number, sign);
                Kind::Condition
            }
            Binary::Add
            | Binary::Subtract
            | Binary::Multiply
            | Binary::Divide
            | Binary::Remainder
            | Binary::Else => {
                if op == Binary::Else && self.words == Words::Signals {
                    let allowed = "signals, which always have a value".to_owned();
                    self.problem([left.start, right.end], "`??`".to_owned(), allowed, "leave it out");
                }
                self.expect(left, Kind::Number, sign);
                self.expect(right, Kind::Number, sign);
                Kind::Number
            }
        };
        let depth = 1 + left.depth.max(right.depth);
        self.push(Op::Binary(op), Read { kind, depth, start: left.start, end: right.end })
    }

    /// The rest of a choice after its condition: `? a : b`.
    fn choice(&mut self, condition: Read, level: u32) -> Option<Read> {
        self.advance();
        self.expect(condition, Kind::Condition, "?");
        let yes = self.expression(0, level + 1)?;
        self.needs(":", "`:` and what holds otherwise")?;
        let no = self.expression(0, level + 1)?;
        self.expect(no, yes.kind, ": beside another kind");
        let depth = 1 + condition.depth.max(yes.depth).max(no.depth);
        self.push(Op::Choose, Read { kind: yes.kind, depth, start: condition.start, end: no.end })
    }

    /// What an operator can be applied to.
    fn operand(&mut self, level: u32) -> Option<Read> {
        let Placed { token, start, end } = self.next;
        let leaf = Read { kind: Kind::Number, depth: 1, start, end };
        match token {
            Token::Number(text) => {
                self.advance();
                let number = number_of(text);
                if !number.is_finite() {
                    let allowed = "numbers up to 1.8e308".to_owned();
                    self.problem([start, end], format!("`{text}`"), allowed, "write a smaller one");
                }
                self.push(Op::Number(number), leaf)
            }
            Token::Word(word) => {
                self.advance();
                if self.takes("(") { self.call(word, leaf, level) } else { self.name(word, leaf) }
            }
            Token::Sign("(") => {
                self.advance();
                let inside = self.expression(0, level + 1)?;
                let end = self.next.end;
                self.needs(")", "an operator or `)`")?;
                Some(Read { start, end, ..inside })
            }
            Token::Sign(sign @ ("-" | "!")) => {
                self.advance();
                let of = self.expression(PREFIX, level + 1)?;
                let (op, kind) =
                    if sign == "-" { (Op::Negate, Kind::Number) } else { (Op::Not, Kind::Condition) };
                self.expect(of, kind, sign);
                self.push(op, Read { kind, depth: of.depth + 1, start, end: of.end })
            }
            Token::Sign(_) | Token::Other(_) | Token::End => {
                self.unexpected("a name, a number, `(`, `-` or `!`");
                None
            }
        }
    }

    /// `function(a, b)`, after its opening bracket.
    fn call(&mut self, word: &str, at: Read, level: u32) -> Option<Read> {
        let function = Function::of(word);
        if function.is_none() {
            let known: Vec<String> = FUNCTIONS.iter().map(|f| f.1.to_owned()).collect();
            let fix = match (of_another_language(word), Name::of(word), nearest(word, &known)) {
                (Some(fix), ..) => fix.to_owned(),
                (None, Some(_), _) => format!("write `{word}` without brackets"),
                (None, None, Some(near)) => format!("did you mean `{near}`?"),
                (None, None, None) => "use one of these".to_owned(),
            };
            let found = format!("`{word}`, which is not a function,");
            self.problem([at.start, at.end], found, known.join(", "), &fix);
        }
        let (mut values, mut depth) = (0, 0);
        loop {
            let value = self.expression(0, level + 1)?;
            self.expect(value, Kind::Number, word);
            depth = depth.max(value.depth);
            values += 1;
            if !self.takes(",") {
                break;
            }
        }
        let end = self.next.end;
        self.needs(")", "`,`, `)` or an operator")?;
        let read = Read { end, depth: depth + 1, ..at };
        let Some(function) = function else { return self.push(Op::Number(0.0), read) };
        let [fewest, most] = function.values();
        if values < fewest || values > most {
            let found = format!("{values} {} of `{word}`", if values == 1 { "value" } else { "values" });
            let allowed = if fewest == most { format!("{most}") } else { format!("{fewest} or more") };
            self.problem([at.start, end], found, allowed, &format!("write {}", function.help()));
        }
        self.push(Op::Call(function, values), read)
    }

    /// A signal, or an aggregate over all candidates. An unknown one is noted, and counts as a number.
    fn name(&mut self, word: &str, at: Read) -> Option<Read> {
        if let Words::Triggers(triggers) = self.words {
            return self.trigger(word, triggers, at);
        }
        if let Some(name) = Name::of(word) {
            return self.push(Op::Name(name), Read { kind: name.kind(), ..at });
        }
        if let Some((all, of)) = word.split_once('.')
            && let Some(all) = Aggregate::of(all)
        {
            return self.over(all, of, at);
        }
        let known: Vec<String> = NAMES.iter().map(|n| n.1.to_owned()).collect();
        let fix = match (Function::of(word), of_another_language(word)) {
            (_, Some(fix)) => fix.to_owned(),
            (Some(_), None) => format!("`{word}` is a function: give it values in brackets, {word}(…)"),
            (None, None) => nearest(word, &known)
                .map_or_else(|| "use one of these".to_owned(), |near| format!("did you mean `{near}`?")),
        };
        self.problem([at.start, at.end], format!("unknown name `{word}`"), known.join(", "), &fix);
        self.push(Op::Number(0.0), at)
    }

    /// `min.name`.
    fn over(&mut self, all: Aggregate, word: &str, at: Read) -> Option<Read> {
        let name = Name::of(word);
        if let Some(name) = name.filter(|name| name.can_be_asked_of_all()) {
            return self.push(Op::Over(all, name), at);
        }
        let can = NAMES.iter().filter(|n| n.0.can_be_asked_of_all());
        let known: Vec<String> = can.map(|n| n.1.to_owned()).collect();
        let fix = match (name, nearest(word, &known)) {
            (Some(Name::SessionHere), _) => "a condition has no smallest or largest".to_owned(),
            (Some(_), _) => format!("it is the same for all candidates: write `{word}` alone"),
            (None, Some(near)) => format!("did you mean `{}.{near}`?", all.text()),
            (None, None) => "use one of these".to_owned(),
        };
        let found = format!("`{word}` behind `{}.`", all.text());
        let start = at.start + all.text().len() + 1;
        self.problem([start, at.end], found, known.join(", "), &fix);
        self.push(Op::Number(0.0), at)
    }
}

/// A number as written; infinite if it is too large. Read as JSON is, which every module can do: core's own reading of numbers
/// would bring tables of ten kilobytes.
fn number_of(text: &str) -> f64 {
    let (number, power) = text.split_once(['e', 'E']).map_or((text, ""), |(number, power)| (number, power));
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let or_zero = |digits: &'_ str| if digits.is_empty() { "0" } else { digits }.to_owned();
    let (whole, part) = (or_zero(whole.trim_start_matches('0')), or_zero(part));
    let json = format!("{whole}.{part}e{}", or_zero(power));
    serde_json::from_str::<serde_json::Value>(&json).ok().and_then(|v| v.as_f64()).unwrap_or(f64::INFINITY)
}

/// Advice for an unexpected word or sign.
fn remedy_of(text: &str) -> &'static str {
    match text {
        "=" => "write == to compare",
        "&" => "write && for and",
        "|" => "write || for or",
        "^" => "write pow(x, y)",
        _ => of_another_language(text).unwrap_or("put an operator before it, or remove it"),
    }
}

/// Advice for words of other languages, and for figures that no router knows.
pub(super) fn of_another_language(word: &str) -> Option<&'static str> {
    Some(match word {
        "and" => "write && for and",
        "or" => "write || for or",
        "not" => "write ! for not",
        "if" | "then" | "else" => "write condition ? a : b",
        "true" | "false" => "write a comparison, such as waiting > 0",
        "output_tokens" | "output_length" => "no router knows how long an answer will be",
        _ => return None,
    })
}
