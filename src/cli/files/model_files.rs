//! A model's `config.json` as a scenario, with the `hf_quant_config.json` that may stand beside it.

use crate::args::Model;
use crate::failed::Failed;
use crate::files::input::read_at_most;
use crate::print::{refused, tell, tell_all};
use base::diag::has_errors;
use base::{Diagnostic, Diagnostics, json};
use document::{limits, value_from_json};
use run::session::{Session, scenario_from_hf};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The file of a quantised checkpoint that says how, and that of its shape.
const QUANTISED: &str = "hf_quant_config.json";
const CONFIG: &str = "config.json";
/// Keys of a shape that says its quantisation itself.
const OWN: [&str; 3] = ["quantization_config", "compression_config", "quantization"];

/// A model's config.json as a scenario text that runs.
pub(crate) fn model(args: &Model) -> Result<String, Failed> {
    let name = &args.config;
    let bytes = read_at_most(name, limits::MODEL_BYTES)?;
    let unread = |found: &str| {
        let allowed = format!("a model's config.json, of at most {} MiB", limits::MODEL_BYTES >> 20);
        refused(name, &[Diagnostic::error("", found, allowed, "check that this is the right file")])
    };
    if bytes.contains(&0) {
        return Err(unread("a binary file"));
    }
    if bytes.len() > limits::MODEL_BYTES {
        return Err(unread("a longer file"));
    }
    let text = std::str::from_utf8(&bytes).map_err(|_| unread("bytes that are not UTF-8"))?;
    let whole = with_quantisation(args, text)?;
    let text = whole.as_deref().unwrap_or(text);
    let (scenario, model) = scenario_from_hf(&args.name, text).map_err(|all| refused(name, &all))?;
    tell_all(name, &model.warnings);
    tell(&format!("{name}: {}", model.summary));
    let mut document = value_from_json(&scenario).map_err(|all| refused(name, &all))?;
    let pool = &mut document["cluster"]["pools"][0];
    pool["gpu"] = Value::from(args.gpu.as_str());
    pool["tp"] = Value::from(args.tp);
    let (text, problems) = with_blocks_that_fit(name, document);
    if has_errors(&problems) {
        return Err(refused(name, &problems));
    }
    tell_all(name, &problems);
    Ok(text)
}

/// The document as text, and what is to say about it. Its blocks are larger than usual where a pool could not have that many.
fn with_blocks_that_fit(name: &str, mut document: Value) -> (String, Diagnostics) {
    let (mut sizes, mut larger) = ([32, 64, 128].into_iter(), None);
    loop {
        let text = format!("{}\n", json::indented(&document));
        let problems = Session::check(&text);
        let too_many = problems.iter().any(|d| d.path.ends_with(".kv.block_tokens"));
        let Some(tokens) = sizes.next().filter(|_| too_many) else {
            if let Some(tokens) = larger {
                let why = "more smaller blocks would fit than a pool can have";
                tell(&format!("{name}: cluster.pools[0].kv.block_tokens is {tokens}: {why}"));
            }
            return (text, problems);
        };
        larger = Some(tokens);
        document["cluster"]["pools"][0]["kv"]["block_tokens"] = Value::from(tokens);
    }
}

/// The text of a shape with the quantisation that stands in a file beside it; `None` where the shape says it itself, or there is no
/// such file. Where the file of the quantisation is given, the shape is read from beside it.
fn with_quantisation(args: &Model, text: &str) -> Result<Option<String>, Failed> {
    let parsed =
        |text: &str| serde_json::from_str::<Value>(&json::from_python(text)).ok().filter(Value::is_object);
    // A text that is no object is refused by the reader of shapes.
    let Some(given) = parsed(text) else { return Ok(None) };
    let beside = |name: &str| {
        let path: PathBuf = Path::new(&args.config).with_file_name(name);
        (args.config != "-" && path.exists()).then(|| path.display().to_string())
    };
    let read = |name: &str| -> Result<Option<Value>, Failed> {
        let bytes = read_at_most(name, limits::MODEL_BYTES)?;
        let unread = || {
            let fix = "give the file as the repository of the model has it";
            refused(name, &[Diagnostic::error("", "text that is no JSON object", "a file of the model", fix)])
        };
        let text = String::from_utf8(bytes).map_err(|_| unread())?;
        parsed(&text).map(Some).ok_or_else(unread)
    };
    let is_quantisation =
        given.get("quantization").is_some_and(Value::is_object) && given.get("producer").is_some();
    let (shape, quantisation) = if is_quantisation {
        let Some(name) = beside(CONFIG) else {
            let found = "how the weights are quantised, without the shape of the model";
            let fix = "put the model's config.json into the same folder, and give that";
            let problem = Diagnostic::error("", found, "the config.json of a model", fix);
            return Err(refused(&args.config, &[problem]));
        };
        (read(&name)?, given)
    } else {
        if OWN.iter().any(|key| given.get(*key).is_some_and(Value::is_object)) {
            return Ok(None);
        }
        let Some(name) = beside(QUANTISED) else { return Ok(None) };
        let Some(quantisation) = read(&name)? else { return Ok(None) };
        tell(&format!("{name}: says how the weights are quantised, and is read with it"));
        (Some(given), quantisation)
    };
    let Some(mut shape) = shape else { return Ok(None) };
    let said = quantisation.get("quantization").cloned().unwrap_or(quantisation);
    if !OWN.iter().any(|key| shape.get(*key).is_some_and(Value::is_object)) {
        shape["quantization"] = said;
    }
    Ok(Some(shape.to_string()))
}
