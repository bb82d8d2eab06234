//! The `lanedrop` command.

fn main() {}
