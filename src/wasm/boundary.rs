//! Values as they cross the boundary of each shell: of Rust as values of JavaScript, by way of JSON, and back.

use crate::base::json;
use serde::Serialize;
#[cfg(any(feature = "compare", feature = "links", feature = "page"))]
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;

/// Installs the hook that prints a panic's message and place.
#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
}

/// A small result as a JavaScript value. By way of JSON: `serde_wasm_bindgen` sets each field by a call into JavaScript, which takes
/// longer (see `Sim::frame` in `page.rs`) and would bring its own code for every type.
pub(crate) fn value<T: Serialize + ?Sized>(data: &T) -> JsValue {
    js_sys::JSON::parse(&json::compact(data)).expect("INV-6: what was written as JSON reads as JSON")
}

/// A value that the page wrote; what is wrong where it is none of the type. By way of JSON like [`value`]: `serde_wasm_bindgen` for
/// the queries alone took 3.9 KB of the first module (brotli: 308.1 KB against 304.2) and 6 KB of JavaScript beside it.
#[cfg(any(feature = "compare", feature = "links", feature = "page"))]
pub(crate) fn written<T: DeserializeOwned>(value: &JsValue) -> Result<T, JsError> {
    let malformed = |e: &dyn std::fmt::Display| JsError::new(&format!("a malformed value: {e}"));
    let text = js_sys::JSON::stringify(value).map_or_else(|_| String::new(), String::from);
    let tree = serde_json::from_str(&text).map_err(|e| malformed(&e))?;
    json::data(&tree).map_err(|e| malformed(&e))
}
