//! Edits of a replica that stays: another latency model.

use super::state::Replica;
use crate::perf::StepModel;
use crate::request::{Slab, Slot};

impl Replica {
    /// Takes another latency model. What the tokens shown so far cost their requests stays as it is.
    pub(crate) fn adopt_model(&mut self, model: &StepModel, slab: &mut Slab) {
        let overhead = self.model.output_overhead();
        if overhead != model.output_overhead() {
            let mut slot = self.head;
            while slot != Slot::NONE {
                slab[slot].fix_output_time(overhead, self.decoders.ticks);
                slot = slab[slot].after;
            }
            for &slot in &self.waiting {
                slab[slot].fix_output_time(overhead, self.decoders.ticks);
            }
        }
        let is_balanced = self.model.is_balanced();
        self.model = model.clone();
        self.model.set_balanced(is_balanced);
    }
}
