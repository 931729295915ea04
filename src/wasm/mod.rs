//! The shells of the page's WebAssembly modules, and the conversion of values at their boundary. `scripts/build-wasm` says which features,
//! and with them which shells, each module contains.

pub mod boundary;
#[cfg(any(
    feature = "exchange",
    feature = "lessons",
    feature = "links",
    feature = "measured",
    feature = "theory",
    feature = "whatif"
))]
pub mod desks;
#[cfg(feature = "page")]
pub mod page;
