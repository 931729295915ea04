//! Import of a command that starts the servers of a program: by its name, with `python -m`, or by `docker run` with its image.

use crate::command::flags::{Word, words_at};
use crate::command::shell::{EngineCommand, EngineKind, engine_command, expanded};
use crate::command::variables::Variables;
use crate::import::configuration::reader::Unknown;
use crate::import::configuration::server_identity::ServerIdentity;
use crate::import::configuration::sets::{Field, PoolOf, Set};
use crate::import::configuration::{Configuration, Reader, Report, Settings};
use crate::import::documents::ROUNDS;
use crate::vllm::read::{Around, Sizes};
use base::Diagnostic;
use base::import::Import;
use serde_json::Value;

/// The key of the other settings of a systemd unit beside its command.
pub(crate) const UNIT: &str = "unit";
/// Why these have no counterpart.
pub(crate) const OF_UNIT: &str = "it says when and as whom the command runs, not what it serves";

/// The servers of a program.
pub(crate) struct EngineServe {
    /// The name of its format.
    pub(crate) format: &'static str,
    pub(crate) title: &'static str,
    pub(crate) kind: EngineKind,
    /// The port on which it listens unless a flag says another.
    pub(crate) port: u64,
    /// The name of the pool of a command.
    pub(crate) pool_name: fn(&mut Reader<'_>, &EngineCommand) -> Option<String>,
    pub(crate) read: fn(&mut Reader<'_>, &EngineCommand, &Around) -> Sizes,
}

impl Import<Configuration> for EngineServe {
    fn name(&self) -> &'static str {
        self.format
    }

    fn title(&self) -> &'static str {
        self.title
    }

    fn recognises(&self, source: &Value) -> bool {
        let Some(words) = source.get("words") else { return false };
        let text = |word: &Value| word.as_str().unwrap_or_default().to_owned();
        let texts: Vec<String> = match words {
            Value::Array(list) => list.iter().map(text).collect(),
            Value::Object(_) => (0..).map_while(|i: usize| words.get(i.to_string()).map(text)).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return false,
        };
        let words: Vec<Word> = texts.into_iter().map(|text| Word { path: String::new(), text }).collect();
        engine_command(&words).is_some_and(|found| found.kind == self.kind)
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut r = Reader::new(source);
        let words = words_at(&mut r, "words");
        let set = words.iter().map_while(|word| {
            let text = if word.text == "export" { "=" } else { word.text.as_str() };
            text.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()))
        });
        let variables = Variables::of(set.filter(|(name, _)| !name.is_empty()));
        let words = expanded(words, &variables);
        if let Some(found) = engine_command(&words) {
            // The name of the pool is needed first; what is read for it is read again.
            let mut aside = Reader::new(source);
            let name = (self.pool_name)(&mut aside, &found);
            let of = name.map_or_else(PoolOf::default, |name| PoolOf::unnamed(&name));
            let port = Some(port_of(&found.flags).unwrap_or(self.port));
            r.servers.push(ServerIdentity { of: of.clone(), port, ..ServerIdentity::default() });
            (self.read)(&mut r, &found, &Around { of, whole: true, ..Around::default() });
        }
        rounds(&mut r);
        r.without_counterpart(UNIT, OF_UNIT);
        r.finish(Unknown::LeftOut, report);
        Settings::default()
    }
}

/// The servers that loops around the command start.
fn rounds(r: &mut Reader<'_>) {
    let Some(n) = r.get(ROUNDS).and_then(Value::as_u64) else { return };
    if n == 0 {
        let fix = "write the number of servers as cluster.pools[].replicas";
        let found = "a loop whose rounds only the shell knows: replicas stay those of the scenario";
        r.problems.push(Diagnostic::warning(ROUNDS, found, "a list, a range or a number", fix));
        r.without_counterpart(ROUNDS, "only the shell knows how many servers the loop starts");
        return;
    }
    r.note(ROUNDS, "replicas: the loop starts as many servers");
    let all: Vec<PoolOf> = r.servers.iter().map(|server| server.of.clone()).collect();
    let is_replicas = |set: &&mut Set| matches!(&set.field, Field::Pool(_, field) if field == "replicas");
    let mut said = false;
    for set in r.sets.iter_mut().filter(is_replicas) {
        set.value = set.value.as_u64().unwrap_or(1).saturating_mul(n).into();
        said = true;
    }
    for of in all.iter().filter(|_| !said) {
        r.set_pool(ROUNDS, of, "replicas", n.into());
    }
}

/// The port that flags say.
fn port_of(flags: &[Word]) -> Option<u64> {
    let text = |word: &Word| word.text.clone();
    let after = flags.windows(2).find(|pair| pair[0].text == "--port").map(|pair| text(&pair[1]));
    let beside = || flags.iter().find_map(|word| word.text.strip_prefix("--port=").map(str::to_owned));
    after.or_else(beside)?.parse().ok()
}
