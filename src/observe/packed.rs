//! A packed recorder: what a checkpoint keeps of it, and the recorder made of that again.

use super::recorder::Recorder;
use crate::base::bits::{BitReader, BitWriter};

impl Recorder {
    /// Takes as little memory as it can until [`Recorder::unpack`].
    pub(crate) fn pack(&mut self) {
        let mut out = BitWriter::default();
        self.window.pack(&mut out);
        self.itl.pack(&mut out);
        self.log.pack();
        self.decisions.pack();
        self.packed = Some(out.finish().into());
    }

    /// Is what it was before it was packed.
    pub(crate) fn unpack(&mut self) {
        let Some(packed) = self.packed.take() else { return };
        let mut from = BitReader::new(&packed);
        self.window.unpack(&mut from);
        self.itl.unpack(&mut from);
        self.log.unpack();
        self.decisions.unpack();
    }
}
