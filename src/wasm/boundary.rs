//! Values as they cross the boundary of each shell: of Rust as values of JavaScript and back, by `serde_wasm_bindgen`. Frames do not
//! cross it here: they are bytes, for the reason that `Sim::frame` in `page.rs` gives.

use base::json;
use serde::Serialize;
#[cfg(any(feature = "compare", feature = "links", feature = "page"))]
use serde::de::DeserializeOwned;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

/// Installs the hook that prints a panic's message and place.
#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
}

/// A small result as a JavaScript value, as JSON has it: nothing is `null`, maps are objects. By way of a tree, like [`written`]: the
/// types have one writer then, and what it writes (a number that is none as nothing) is the same everywhere.
pub(crate) fn value<T: Serialize + ?Sized>(data: &T) -> JsValue {
    let tree = json::tree(data);
    tree.serialize(&Serializer::json_compatible()).expect("INV-6: whole numbers are below 2^53")
}

/// Reads a value that the page wrote; the error says why it does not have the type. By way of a tree: the types have
/// one reader then, which refuses unknown fields (`serde_wasm_bindgen` passes over them).
#[cfg(any(feature = "compare", feature = "links", feature = "page"))]
pub(crate) fn written<T: DeserializeOwned>(value: &JsValue) -> Result<T, JsError> {
    let malformed = |e: &dyn std::fmt::Display| JsError::new(&format!("a malformed value: {e}"));
    let tree = serde_wasm_bindgen::from_value(value.clone()).map_err(|e| malformed(&e))?;
    json::data(&tree).map_err(|e| malformed(&e))
}
