//! One run under way: what is observed of it, and the session that drives it and answers questions.

#[macro_use]
extern crate macro_rules_attribute;
#[macro_use]
extern crate base;

pub mod observe;
pub mod session;
