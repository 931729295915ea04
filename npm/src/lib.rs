//! The module that others install: the simulation and its what-if questions, as `src/wasm` has them. `scripts/build-npm` builds it with
//! wasm-pack, which asks for a package whose library is a `cdylib`; the simulator itself is none, as every native build would make it.

#[cfg(target_arch = "wasm32")]
pub use tokenyard::wasm::{desks, page};
