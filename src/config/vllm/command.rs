//! A command of a vLLM engine as a pool: the model that stands without a flag, the image, and the words around it.

use crate::command::flags::{Flags, Word};
use crate::command::shell::{EngineCommand, release_of};
use crate::import::configuration::Reader;
use crate::import::configuration::mapping::{Mapping, Standing};
use crate::import::configuration::sets::{PoolOf, name_with_role};
use crate::vllm::map::FLAGS;
use crate::vllm::read::{Around, Sizes, engine, generation, is_setting};
use serde_json::json;

/// The release 0.N since which an engine takes 0.92 of the memory by default, 0.9 before.
const FULLER: u32 = 19;

/// Reads a command. The words around it give the document its shape.
pub(crate) fn command(r: &mut Reader<'_>, command: &EngineCommand, around: &Around) -> Sizes {
    let is_image = |word: &Word| command.image.as_ref().is_some_and(|image| image.path == word.path);
    let is_tier = |word: &&Word| is_setting(&word.text);
    let around = &Around {
        settings: around.settings.iter().chain(command.program.iter().filter(is_tier)).cloned().collect(),
        // Dynamo's router sees every rank.
        ranks_seen: around.ranks_seen || command.program.iter().any(|word| word.text.contains("dynamo.vllm")),
        ..around.clone()
    };
    let program = command.program.iter().filter(|word| !is_image(word) && !is_tier(word));
    shape(r, program, "the program");
    shape(r, command.rest.iter(), "another command");
    if let Some(image) = &command.image {
        image_tag(r, &image.path, &image.text, &around.of);
    }
    let flags = flags(r, &command.flags);
    engine(r, flags, around)
}

/// The flags of a command.
pub(crate) fn flags(r: &mut Reader<'_>, words: &[Word]) -> Flags {
    Flags::of_server(r, words, FLAGS)
}

/// The name of the pool of a command: that of its model, with its role.
pub(crate) fn pool_name(flags: &Flags) -> Option<String> {
    let id = flags.text("served-model-name").or_else(|| flags.text("model"))?;
    let role = flags.value("kv-transfer-config").and_then(|v| v.get("kv_role")?.as_str());
    let role = match role {
        Some("kv_producer") => Some("prefill"),
        Some("kv_consumer") => Some("decode"),
        _ => None,
    };
    name_with_role(id, role)
}

/// The release that an image's tag names, with a row.
pub(crate) fn image_tag(r: &mut Reader<'_>, path: &str, image: &str, of: &PoolOf) {
    r.get(path);
    release_row(r, path, image, release_of(image), of);
}

/// A row for a release, and the generation of the engine that it has.
pub(crate) fn release_row(r: &mut Reader<'_>, path: &str, found: &str, release: Option<u32>, of: &PoolOf) {
    let key = path.to_owned();
    let found = crate::import::configuration::merge::shown(&found.into());
    let Some(name) = release.map(generation) else {
        let becomes = "it names no release of vLLM: the latest is assumed".to_owned();
        let standing = Standing::Shape;
        r.mappings.push(Mapping { key, found, standing, becomes, ..Mapping::default() });
        return;
    };
    // A flag may say that the engine schedules as an older one does.
    r.set_pool_default(of, "latency.calibrated.engine", json!(name), 2);
    if release < Some(FULLER) {
        r.set_pool_usual(of, "kv.gpu_memory_utilization", json!(0.9), 2);
    }
    let becomes = format!("latency.calibrated.engine {name}");
    let field = "cluster.pools[].latency.calibrated.engine".to_owned();
    r.mappings.push(Mapping { key, found, becomes, field, value: name.to_owned(), ..Mapping::default() });
}

/// Rows of words that give a command its shape.
pub(crate) fn shape<'w>(r: &mut Reader<'_>, words: impl Iterator<Item = &'w Word>, why: &str) {
    for word in words {
        let found = crate::import::configuration::merge::shown(&word.text.clone().into());
        let (key, becomes) = (word.path.clone(), why.to_owned());
        r.mappings.push(Mapping { key, found, standing: Standing::Shape, becomes, ..Mapping::default() });
    }
}
