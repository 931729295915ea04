//! The page's modules: a shell for each feature, and how values cross the boundary. `scripts/build-wasm` says which of them are in
//! which module; shells know nothing of each other, so that every choice of them builds.

#[cfg(any(
    feature = "compare",
    feature = "links",
    feature = "measured",
    feature = "page",
    feature = "theory"
))]
pub mod boundary;
#[cfg(feature = "compare")]
pub mod compare;
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
