//! The shells of the page's WebAssembly modules, one for each feature, and the conversion of values at their boundary.
//! `scripts/build-wasm` says which shells each module contains; shells are independent of each other, so that every
//! choice of them builds.

#[cfg(any(
    feature = "compare",
    feature = "exchange",
    feature = "links",
    feature = "measured",
    feature = "page",
    feature = "theory"
))]
pub mod boundary;
#[cfg(feature = "compare")]
pub mod compare;
#[cfg(feature = "exchange")]
pub mod exchange;
#[cfg(feature = "lessons")]
pub mod lessons;
#[cfg(feature = "links")]
pub mod links;
#[cfg(feature = "measured")]
pub mod measured;
#[cfg(feature = "page")]
pub mod page;
#[cfg(feature = "theory")]
pub mod theory;
#[cfg(feature = "whatif")]
pub mod whatif;
