//! What formats of other programs have in common: content that is recognised, and read into one type.

/// A family of formats that are read into the same type.
pub trait Family {
    /// The source: a file's text or its document.
    type Source<'a>;
    /// The report on a file, filled while it is read.
    type Report;
    /// The result of reading a file.
    type Read;
}

/// A format of another program that is read.
pub trait Import<F: Family>: Sync {
    /// The name of the format, and of its sample in the tests.
    fn name(&self) -> &'static str;
    /// The name of a file of this format in messages.
    fn title(&self) -> &'static str;
    /// Whether the content of a source has this format.
    fn recognises(&self, source: &F::Source<'_>) -> bool;
    /// Reads a source of this format. Problems and omissions go into the report.
    fn read(&self, source: &F::Source<'_>, report: &mut F::Report) -> F::Read;
}
