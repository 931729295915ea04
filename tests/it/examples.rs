//! The programs in `examples/` run to their ends.

#[path = "../../examples/capacity.rs"]
mod capacity;
#[path = "../../examples/compare_routers.rs"]
mod compare_routers;
#[path = "../../examples/report.rs"]
mod report;
#[path = "../../examples/rewind.rs"]
mod rewind;
#[path = "../../examples/rows.rs"]
mod rows;

#[test]
fn a_capacity_is_searched() {
    capacity::main();
}

#[test]
fn routers_are_compared() {
    compare_routers::main();
}

#[test]
fn a_report_is_printed() {
    report::main();
}

#[test]
fn a_run_is_edited_and_rewound() {
    rewind::main();
}

#[test]
fn rows_are_written() {
    rows::main();
}
