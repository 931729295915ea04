//! Containers that start a router: which program it is, and its flags, by words and by variables of the environment.

use crate::command::flags::Word;
use crate::command::map::KnownFlag;
use crate::import::configuration::Reader;
use crate::kubernetes::pods::words;
use crate::routers::program::Program;
use crate::routers::{dynamo, smg, vllm_router};
use crate::vllm::command::shape;
use serde_json::Value;

/// A router that containers start.
struct Router {
    program: &'static Program,
    /// The start of the names of its variables, and the flags that these give.
    variables: Option<(&'static str, &'static [KnownFlag])>,
}

const DYNAMO: Router =
    Router { program: &dynamo::read::PROGRAM, variables: Some(("DYN_", dynamo::map::FLAGS)) };

static ROUTERS: [Router; 3] = [
    DYNAMO,
    Router { program: &smg::read::PROGRAM, variables: None },
    Router { program: &vllm_router::read::PROGRAM, variables: None },
];

/// Reads the first container of a pod that starts a router. Returns whether there is one.
pub(crate) fn router_in(r: &mut Reader<'_>, spec: &str) -> bool {
    let all = format!("{spec}.containers");
    let found = (0..r.entries(&all)).map(|i| format!("{all}.{i}")).find(|path| read(r, path, &[]));
    let Some(found) = found else { return false };
    for path in (0..r.entries(&all)).map(|i| format!("{all}.{i}")).filter(|path| *path != found) {
        r.without_counterpart(&path, "a container beside the router");
    }
    true
}

/// Reads the container of the frontend of a graph, whose program may be left out.
pub(crate) fn frontend(r: &mut Reader<'_>, path: &str, service: &str) {
    let mut all = of_variables(r, &format!("{service}.envs"), &DYNAMO);
    if read(r, path, &all) {
        return;
    }
    all.extend(of_variables(r, &format!("{path}.env"), &DYNAMO));
    all.extend(words(r, path));
    (DYNAMO.program.read_words)(r, &all);
}

/// Reads the words of a command, if they start a router.
pub(crate) fn router_of_words(r: &mut Reader<'_>, all: &[Word]) -> bool {
    let Some(found) = Started::among(all) else { return false };
    let flags = found.flags(r, all);
    (found.router.program.read_words)(r, &flags);
    true
}

/// Reads a container, if it starts a router; `before` are flags that stand elsewhere.
fn read(r: &mut Reader<'_>, path: &str, before: &[Word]) -> bool {
    let all = words(r, path);
    let Some(found) = Started::among(&all) else { return false };
    let own = found.flags(r, &all);
    let mut flags = before.to_vec();
    flags.extend(of_variables(r, &format!("{path}.env"), found.router));
    flags.extend(own);
    (found.router.program.read_words)(r, &flags);
    true
}

/// A router that words start: where its flags begin and end.
struct Started {
    router: &'static Router,
    begin: usize,
    end: usize,
}

impl Started {
    /// The router that words start: at their beginning, or as a command of the script that a shell is given.
    fn among(all: &[Word]) -> Option<Self> {
        let texts: Vec<&str> = all.iter().map(|word| word.text.as_str()).collect();
        let is_operator = |text: &str| matches!(text, ";" | "&&" | "||" | "|" | "&");
        let in_shell = texts.first().is_some_and(|first| first.ends_with("sh"));
        let begins =
            |i: usize| i == 0 || (in_shell && (is_operator(texts[i - 1]) || texts[i - 1].ends_with('c')));
        for i in (0..texts.len()).filter(|i| begins(*i)) {
            let found = ROUTERS.iter().find_map(|one| Some((one, one.program.end_of(&texts[i..])?)));
            let Some((router, end)) = found else { continue };
            let begin = i + end;
            let stop = texts[begin..].iter().position(|text| in_shell && is_operator(text));
            return Some(Self { router, begin, end: stop.map_or(texts.len(), |n| begin + n) });
        }
        None
    }

    /// The flags; the other words are marked.
    fn flags(&self, r: &mut Reader<'_>, all: &[Word]) -> Vec<Word> {
        shape(r, all[..self.begin].iter(), "the program");
        shape(r, all[self.end..].iter(), "another command");
        all[self.begin..self.end].to_vec()
    }
}

/// The flags that variables of a container give, before those of its command.
fn of_variables(r: &mut Reader<'_>, path: &str, router: &Router) -> Vec<Word> {
    let Some((start, known)) = router.variables else { return Vec::new() };
    let mut all = Vec::new();
    for i in 0..r.entries(path) {
        let Some(name) = r.get(&format!("{path}.{i}.name")).and_then(Value::as_str) else { continue };
        let Some(rest) = name.strip_prefix(start) else { continue };
        let flag = rest.to_ascii_lowercase().replace('_', "-");
        let at = format!("{path}.{i}.value");
        let value = match r.get(&at) {
            Some(Value::String(text)) => text.clone(),
            Some(other) if other.is_number() || other.is_boolean() => other.to_string(),
            _ => continue,
        };
        if known.iter().any(|one| one.names.contains(&flag.as_str())) {
            r.shape(&format!("{path}.{i}.name"), "the flag of this name");
            all.push(Word { path: at, text: format!("--{flag}={value}") });
        }
    }
    all
}
