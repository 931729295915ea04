//! Built-in scenarios, the files of `scenarios/`.

/// A built-in scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Its name, as used in links and on the command line.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// All built-in scenarios; the first is what the page opens with.
pub const PRESETS: &[Preset] = &[];
