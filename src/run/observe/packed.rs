//! Packing of recorders: the form that a checkpoint keeps, and the recorder restored from it.

use super::recorder::Recorder;
use base::bits::{BitReader, BitWriter};

impl Recorder {
    /// Reduces its memory as far as possible until [`Recorder::unpack`].
    pub(crate) fn pack(&mut self) {
        let mut out = BitWriter::default();
        self.itl.pack(&mut out);
        self.packed = Some(out.finish().into());
        self.log.pack();
        self.steps.pack();
        self.window.pack();
        self.decisions.pack();
    }

    /// Whether it is as a checkpoint keeps it.
    pub(crate) fn is_packed(&self) -> bool {
        self.packed.is_some()
    }

    /// Restores the state before packing.
    pub(crate) fn unpack(&mut self) {
        let Some(packed) = self.packed.take() else { return };
        self.itl.unpack(&mut BitReader::new(&packed));
        self.log.unpack();
        self.steps.unpack();
        self.window.unpack();
        self.decisions.unpack();
    }
}
