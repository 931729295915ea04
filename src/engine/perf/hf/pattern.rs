//! Patterns for module names in a `quantization_config`: whole names and parts of them, `*`, and Python's regular
//! expressions as far as such files use them.

use std::cell::Cell;

/// A parsed pattern for names of modules.
pub(super) enum Pattern {
    /// Names and parts of names; `*` stands for any text.
    Glob(Glob),
    /// A regular expression, which matches from the beginning of a name on, and whether it has digits in it.
    Regex(Vec<Vec<PatternPiece>>, bool),
}

/// Names with `*` in them.
pub(super) struct Glob {
    /// As written.
    name: String,
    /// The prefix of modules below this name.
    below: String,
    /// The layer that it names, if any.
    layer: Option<usize>,
}

/// Possible prefixes of a name in a file.
const PREFIXES: &[&str] = &["", "model.", "model.language_model.", "language_model.model.", "backbone."];
/// Name parts before a layer number that do not belong to the language half.
const ELSEWHERE: &[&str] =
    &["vision", "visual", "audio", "image", "mm_", "multi_modal", "speech", "tower", "mtp"];
/// Most steps to match one name, far above the need of published models.
const STEPS: u32 = 20_000;

impl Pattern {
    /// Reads a pattern; `None` if its syntax is not supported.
    pub(super) fn read(text: &str) -> Option<Self> {
        if let Some(regex) = text.strip_prefix("re:") {
            return Self::regex(regex);
        }
        let name = own_name(text).to_owned();
        let number = name.strip_prefix("layers.").and_then(|rest| rest.split('.').next());
        let layer = number.and_then(|n| n.parse().ok());
        Some(Self::Glob(Glob { below: format!("{name}.*"), layer, name }))
    }

    fn regex(text: &str) -> Option<Self> {
        const LONGEST: usize = 1000;
        if text.len() > LONGEST {
            return None;
        }
        let mut reader = PatternReader { text: text.chars().collect(), at: 0, depth: 0 };
        let ways = reader.ways()?;
        let digits = text.contains(|c: char| c.is_ascii_digit()) || text.contains("\\d");
        (reader.at == reader.text.len()).then_some(Self::Regex(ways, digits))
    }

    /// Whether it cannot match any module of the language half.
    pub(super) fn is_of_nothing(&self) -> bool {
        matches!(self, Self::Glob(glob) if glob.name.is_empty())
    }

    /// Whether it may distinguish layers.
    pub(super) fn tells_layers_apart(&self) -> bool {
        match self {
            Self::Glob(glob) => glob.layer.is_some(),
            Self::Regex(_, digits) => *digits,
        }
    }

    /// Whether it may match modules of this layer.
    pub(super) fn may_name(&self, layer: usize) -> bool {
        match self {
            Self::Glob(glob) => glob.layer.is_none_or(|only| only == layer),
            Self::Regex(..) => true,
        }
    }

    /// Whether it matches this module, such as `layers.3.mlp.down_proj`.
    pub(super) fn names(&self, module: &str) -> bool {
        match self {
            Self::Glob(glob) => {
                let starts = std::iter::once(0).chain(module.match_indices('.').map(|(i, _)| i + 1));
                // A name also matches modules below it.
                !glob.name.is_empty()
                    && starts.into_iter().any(|at| {
                        let rest = &module.as_bytes()[at..];
                        same(glob.name.as_bytes(), rest) || same(glob.below.as_bytes(), rest)
                    })
            }
            Self::Regex(ways, _) => PREFIXES.iter().any(|prefix| {
                let name: Vec<char> = prefix.chars().chain(module.chars()).collect();
                let run = NameMatch { name: &name, left: Cell::new(STEPS) };
                run.any(ways, 0, &|_| true)
            }),
        }
    }
}

/// The name of a module from its layer on; empty for modules of another half, which match nothing here.
pub(super) fn own_name(text: &str) -> &str {
    let name = text.trim_end_matches('.');
    let start = ["layers.", "lm_head", "embed_tokens"].iter().find_map(|mark| name.find(mark));
    let (before, rest) = name.split_at(start.unwrap_or(0));
    let other = ELSEWHERE.iter().any(|word| before.contains(word) || rest.starts_with(word));
    if other { "" } else { rest }
}

/// Whether a text matches a glob.
fn same(glob: &[u8], text: &[u8]) -> bool {
    let (mut g, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        if glob.get(g) == Some(&b'*') {
            star = Some((g, t));
            g += 1;
        } else if glob.get(g) == Some(&text[t]) {
            (g, t) = (g + 1, t + 1);
        } else if let Some((from, end)) = star {
            (g, t) = (from + 1, end + 1);
            star = Some((from, end + 1));
        } else {
            return false;
        }
    }
    glob[g..].iter().all(|byte| *byte == b'*')
}

/// A piece of a regular expression, with its number of repetitions.
pub(super) struct PatternPiece {
    what: Atom,
    least: usize,
    most: usize,
}

enum Atom {
    Char(char),
    Any,
    /// One of these, or none of them.
    Set(Vec<(char, char)>, bool),
    Group(Vec<Vec<PatternPiece>>),
    /// The following text matches this, or does not.
    Ahead(Vec<Vec<PatternPiece>>, bool),
    Start,
    End,
}

struct PatternReader {
    text: Vec<char>,
    at: usize,
    depth: usize,
}

impl PatternReader {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn skips(&mut self, what: &str) -> bool {
        let there = what.chars().enumerate().all(|(i, c)| self.text.get(self.at + i) == Some(&c));
        if there {
            self.at += what.len();
        }
        there
    }

    fn ways(&mut self) -> Option<Vec<Vec<PatternPiece>>> {
        let mut ways = vec![Vec::new()];
        while let Some(c) = self.peek().filter(|c| *c != ')') {
            if c == '|' {
                self.at += 1;
                ways.push(Vec::new());
                continue;
            }
            let what = self.atom()?;
            let (least, most) = self.times()?;
            ways.last_mut()?.push(PatternPiece { what, least, most });
        }
        Some(ways)
    }

    fn atom(&mut self) -> Option<Atom> {
        const DEEPEST: usize = 8;
        let c = self.peek()?;
        self.at += 1;
        Some(match c {
            '(' => {
                let ahead = if self.skips("?!") { Some(false) } else { self.skips("?=").then_some(true) };
                let plain = ahead.is_some() || self.skips("?:") || self.peek() != Some('?');
                self.depth += 1;
                if !plain || self.depth > DEEPEST {
                    return None;
                }
                let ways = self.ways()?;
                self.depth -= 1;
                if !self.skips(")") {
                    return None;
                }
                match ahead {
                    Some(is) => Atom::Ahead(ways, is),
                    None => Atom::Group(ways),
                }
            }
            '[' => self.set()?,
            '.' => Atom::Any,
            '^' => Atom::Start,
            '$' => Atom::End,
            '\\' => self.escaped()?,
            '*' | '+' | '?' | '{' => return None,
            other => Atom::Char(other),
        })
    }

    fn escaped(&mut self) -> Option<Atom> {
        let c = self.peek()?;
        self.at += 1;
        Some(match c {
            'd' => Atom::Set(vec![('0', '9')], true),
            'w' => Atom::Set(vec![('0', '9'), ('a', 'z'), ('A', 'Z'), ('_', '_')], true),
            other if other.is_ascii_alphanumeric() => return None,
            other => Atom::Char(other),
        })
    }

    fn set(&mut self) -> Option<Atom> {
        let is = !self.skips("^");
        let mut ranges = Vec::new();
        loop {
            let c = self.peek()?;
            self.at += 1;
            if c == ']' {
                return Some(Atom::Set(ranges, is));
            }
            let from = if c == '\\' {
                match self.escaped()? {
                    Atom::Char(c) => c,
                    Atom::Set(more, true) => {
                        ranges.extend(more);
                        continue;
                    }
                    _ => return None,
                }
            } else {
                c
            };
            let mut to = from;
            if self.peek() == Some('-') && self.text.get(self.at + 1).is_some_and(|c| *c != ']') {
                to = self.text[self.at + 1];
                self.at += 2;
            }
            ranges.push((from, to));
        }
    }

    fn times(&mut self) -> Option<(usize, usize)> {
        let times = match self.peek() {
            Some('*') => (0, usize::MAX),
            Some('+') => (1, usize::MAX),
            Some('?') => (0, 1),
            Some('{') => return None,
            _ => return Some((1, 1)),
        };
        self.at += 1;
        // Greedy or lazy repetition makes no difference to whether there is a match.
        self.skips("?");
        Some(times)
    }
}

/// The match of one name.
struct NameMatch<'a> {
    name: &'a [char],
    left: Cell<u32>,
}

impl NameMatch<'_> {
    fn any(&self, ways: &[Vec<PatternPiece>], at: usize, then: &dyn Fn(usize) -> bool) -> bool {
        ways.iter().any(|way| self.all(way, at, then))
    }

    fn all(&self, pieces: &[PatternPiece], at: usize, then: &dyn Fn(usize) -> bool) -> bool {
        match pieces.split_first() {
            None => then(at),
            Some((piece, rest)) => self.repeat(piece, 0, at, &|end| self.all(rest, end, then)),
        }
    }

    fn repeat(&self, piece: &PatternPiece, done: usize, at: usize, then: &dyn Fn(usize) -> bool) -> bool {
        let Some(left) = self.left.get().checked_sub(1) else { return false };
        self.left.set(left);
        let again = |end: usize| (end > at || done < piece.least) && self.repeat(piece, done + 1, end, then);
        (done < piece.most && self.once(&piece.what, at, &again)) || (done >= piece.least && then(at))
    }

    fn once(&self, what: &Atom, at: usize, then: &dyn Fn(usize) -> bool) -> bool {
        let next = self.name.get(at);
        let is = |c: &char, ranges: &[(char, char)]| ranges.iter().any(|(a, b)| a <= c && c <= b);
        match what {
            Atom::Char(c) => next == Some(c) && then(at + 1),
            Atom::Any => next.is_some() && then(at + 1),
            Atom::Set(ranges, want) => next.is_some_and(|c| is(c, ranges) == *want) && then(at + 1),
            Atom::Group(ways) => self.any(ways, at, then),
            Atom::Ahead(ways, want) => self.any(ways, at, &|_| true) == *want && then(at),
            Atom::Start => at == 0 && then(at),
            Atom::End => at == self.name.len() && then(at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_name_what_the_programs_that_read_them_take_them_to_name() {
        for (pattern, module, named) in [
            ("lm_head", "lm_head", true),
            ("gate", "layers.0.mlp.gate", true),
            ("gate", "layers.0.mlp.gate_proj", false),
            ("model.layers.*.self_attn", "layers.7.self_attn.q_proj", true),
            ("language_model.model.layers.1.self_attn*", "layers.1.self_attn.o_proj", true),
            ("language_model.model.layers.1.self_attn*", "layers.11.self_attn.o_proj", false),
            ("vision_model.model.layers.0.self_attn.q_proj", "layers.0.self_attn.q_proj", false),
            ("model.layers.0.mlp", "layers.0.mlp.down_proj", true),
            ("re:.*self_attn.*", "layers.0.self_attn.q_proj", true),
            ("re:.*mlp\\.(gate|up|gate_up|down)_proj.*", "layers.0.mlp.up_proj", true),
            ("re:.*mlp\\.(gate|up|gate_up|down)_proj.*", "layers.0.mlp.experts.0.up_proj", false),
            ("re:model.layers.[0-2].mlp$", "layers.1.mlp", true),
            ("re:model\\.layers\\.\\d+\\.mlp\\.gate$", "layers.31.mlp.gate", true),
            ("re:^(?!.*experts).*", "layers.0.mlp.experts.0.up_proj", false),
            ("re:^(?!.*experts).*", "layers.0.self_attn.q_proj", true),
            ("re:mlp", "layers.0.mlp.up_proj", false),
        ] {
            let read = Pattern::read(pattern).unwrap_or_else(|| panic!("{pattern}"));
            assert_eq!(read.names(module), named, "{pattern} {module}");
        }
    }

    #[test]
    fn what_is_not_known_is_not_read_and_what_is_endless_ends() {
        for bad in ["re:(", "re:a{2}", "re:(?P<x>a)", "re:\\bmlp", "re:[a", "re:*"] {
            assert!(Pattern::read(bad).is_none(), "{bad}");
        }
        let endless = Pattern::read("re:((a*)*)*x").expect("it can be read");
        assert!(!endless.names(&"a".repeat(60)));
    }
}
