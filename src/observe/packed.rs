//! A packed recorder: what a checkpoint keeps of it, and the recorder made of that again.

use super::recorder::Recorder;
use crate::base::bits::{BitReader, BitWriter};

impl Recorder {
    /// Takes as little memory as it can until [`Recorder::unpack`].
    pub(crate) fn pack(&mut self) {
        let mut out = BitWriter::default();
        self.itl.pack(&mut out);
        self.packed = Some(out.finish().into());
        self.log.pack();
        self.window.pack();
        self.decisions.pack();
    }

    /// Is what it was before it was packed.
    pub(crate) fn unpack(&mut self) {
        let Some(packed) = self.packed.take() else { return };
        self.itl.unpack(&mut BitReader::new(&packed));
        self.log.unpack();
        self.window.unpack();
        self.decisions.unpack();
    }
}
