//! The `tokenyard` command.

fn main() -> std::process::ExitCode {
    tokenyard::cli::main()
}
