//! The gateway's queue in a frame.

use super::frame::{BandFrame, GatewayFrame};
use crate::engine::BandSight;
use crate::scenario::SloClass;
use crate::session::Session;

impl Session {
    /// The gateway's queue now; `None` without flow control.
    pub(super) fn gateway_frame(&self) -> Option<GatewayFrame> {
        let settings = self.plan.scenario().cluster.flow_control.as_ref()?;
        let (saturation, bands) = self.engine.gateway_queue(self.playhead)?;
        let classes = |priority: i32| {
            let of = |class: &SloClass| settings.priorities.of(class.rank() + 1) == priority;
            SloClass::ALL.into_iter().filter(of).map(SloClass::name).collect()
        };
        let band = |b: BandSight| BandFrame {
            priority: b.priority,
            classes: classes(b.priority),
            waiting: b.waiting,
            prompt_tokens: b.prompt_tokens,
            longest_us: b.since.map_or(0, |since| self.playhead.0.saturating_sub(since.0)),
            ceiling: b.ceiling,
        };
        Some(GatewayFrame { saturation, bands: bands.into_iter().map(band).collect() })
    }
}
