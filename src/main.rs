//! The `tokenyard` command.

fn main() {}
