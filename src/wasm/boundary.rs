//! Values as they cross the boundary of each shell. Questions and answers are JSON text with bytes beside it, as frames are, for the reason
//! that `Sim::frame` in `page.rs` gives. Other small values are values of JavaScript, by `serde_wasm_bindgen`.

use base::ask::{Answer, Attachments, Beside, Refusal, ask};
use base::{Diagnostics, json};
use js_sys::Uint8Array;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

/// Installs the hook that prints a panic's message and place.
#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
}

/// A small result as a JavaScript value, as JSON has it: nothing is `null`, maps are objects. By way of a tree: the types
/// have one writer then, and what it writes (a number that is none as nothing) is the same everywhere.
pub(crate) fn value<T: Serialize + ?Sized>(data: &T) -> JsValue {
    let tree = json::tree(data);
    tree.serialize(&Serializer::json_compatible()).expect("INV-6: whole numbers are below 2^53")
}

/// The answer to a question, JSON text, with the bytes that it names: the bytes of JSON text, then those that this names. Throws a list of
/// diagnostics if the question is refused.
pub(crate) fn answered<Q: DeserializeOwned>(
    question: &str,
    named: Vec<Uint8Array>,
    answer: impl FnMut(Q, &mut Beside) -> Result<String, Diagnostics>,
) -> Result<Vec<Uint8Array>, JsValue> {
    let named = Attachments::new(named.iter().map(Uint8Array::to_vec).collect());
    let Answer { text, attached } = ask(question, named, answer).map_err(|refusal| match refusal {
        Refusal::Malformed(why) => JsValue::from(JsError::new(&why)),
        Refusal::Refused(problems) => value(&problems),
    })?;
    let attached = attached.into_all();
    let all = [text.as_bytes()].into_iter().chain(attached.iter().map(Vec::as_slice));
    Ok(all.map(Uint8Array::from).collect())
}
