//! **API boundary.** The only module that shells use.

pub mod frame;
