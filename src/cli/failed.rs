//! Why a command ends early, as the exit code of the program.

/// Success.
pub(crate) const OK: u8 = 0;
/// A golden file differs.
pub(crate) const DIFFERENT: u8 = 1;
/// The input cannot be used.
pub(crate) const BAD_INPUT: u8 = 2;
/// A file cannot be read or written.
pub(crate) const FILE_TROUBLE: u8 = 3;

/// Printed below the list of commands.
pub(crate) const EXIT_CODES: &str = "Exit codes:\n  \
    0  success (warnings included)\n  \
    1  golden: a file differs; lesson check: a claim does not hold\n  \
    2  the scenario, the trace, the model, the golden file or the arguments cannot be used\n  \
    3  a file cannot be read or written";

/// Why a command ended early; all messages have been printed to stderr.
pub(crate) struct Failed(pub(crate) u8);
