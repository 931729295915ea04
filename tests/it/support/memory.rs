//! A file in memory, which a test reads once it is written.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

/// A file in memory; copies are the same file.
#[derive(Clone, Default)]
pub(crate) struct Memory(Rc<RefCell<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Memory {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.borrow().clone()).expect("rows are UTF-8")
    }
}
