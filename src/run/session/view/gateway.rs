//! The gateway's queue in a frame.

use super::frame::{BandFrame, GatewayFrame, QueueChip};
use crate::session::Session;
use base::RequestId;
use document::{FlowControl, SloClass};
use engine::BandSight;
use engine::policy::flow::CeilingState;

/// Most requests of one band in a frame.
const CHIPS: usize = 24;

impl Session {
    fn flow_control(&self) -> Option<&FlowControl> {
        self.plan.scenario().cluster.flow_control.as_ref()
    }

    /// The gateway's queue now; `None` without flow control.
    pub(super) fn gateway_frame(&self) -> Option<GatewayFrame> {
        let settings = self.flow_control()?;
        let (saturation, bands) = self.engine.gateway_queue(self.playhead)?;
        let classes = |priority: i32| {
            let of = |class: &SloClass| settings.priorities.of(class.rank() + 1) == priority;
            SloClass::ALL.into_iter().filter(of).map(SloClass::name).collect()
        };
        let client_of = |request: RequestId| self.engine.records().at(request.index()).client;
        let chip = |request: RequestId| QueueChip {
            request: request.0,
            client: client_of(request),
            preempted: false,
            loading: false,
            prefilled: false,
            retried: self.engine.attempts(request).next().is_some(),
        };
        let band = |b: BandSight| BandFrame {
            priority: b.priority,
            classes: classes(b.priority),
            waiting: b.waiting,
            prompt_tokens: b.prompt_tokens,
            longest_us: b.since.map_or(0, |since| self.playhead.0.saturating_sub(since.0)),
            ceiling: b.ceiling,
            queue: self.engine.gateway_band(b.priority).take(CHIPS).map(chip).collect(),
        };
        let bands = self.with_those_to_come(settings, saturation, bands);
        Some(GatewayFrame { saturation, bands: bands.into_iter().map(band).collect() })
    }

    /// The bands, and empty ones for clients none of whose requests has come yet.
    fn with_those_to_come(
        &self,
        settings: &FlowControl,
        saturation: f64,
        mut bands: Vec<BandSight>,
    ) -> Vec<BandSight> {
        let of_settings = settings.bands.iter().map(|band| band.priority);
        let clients = &self.plan.scenario().workload.clients;
        let of_clients = clients.iter().map(|client| settings.priorities.of(client.slo_class.rank() + 1));
        let mut missing = Vec::new();
        for priority in of_settings.chain(of_clients) {
            let place = bands.partition_point(|b| b.priority > priority);
            if bands.get(place).is_none_or(|b| b.priority != priority) {
                let (waiting, prompt_tokens, since, ceiling) = (0, 0, None, 0.0);
                bands.insert(place, BandSight { priority, waiting, prompt_tokens, since, ceiling });
                missing.push(priority);
            }
        }
        let mut ceilings = Vec::new();
        let priorities: Vec<i32> = bands.iter().map(|b| b.priority).collect();
        CeilingState::new(&settings.ceilings).show(saturation, priorities.into_iter(), &mut ceilings);
        for (band, ceiling) in bands.iter_mut().zip(ceilings) {
            if missing.contains(&band.priority) {
                band.ceiling = ceiling;
            }
        }
        bands
    }

    /// The priority at the gateway of the requests of client number `client`, if it is called that.
    pub(super) fn client_priority(&self, client: usize, name: &str) -> Option<i32> {
        let settings = self.flow_control()?;
        let client = self.plan.scenario().workload.clients.get(client).filter(|c| c.name == name)?;
        Some(settings.priorities.of(client.slo_class.rank() + 1))
    }
}
