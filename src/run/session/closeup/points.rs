//! Steps by batch size, and the line that the latency model draws there.

use super::density::{PointsQuery, StepPoints};
use crate::session::Session;
use engine::perf::StepLoad;

/// Most points.
const POINTS: usize = 2000;
/// Most points of the line.
const LINE: u32 = 64;

impl Session {
    /// Steps that began between two instants, the end left out, by batch size.
    pub(super) fn points(&self, query: &PointsQuery) -> StepPoints {
        let mut points = StepPoints::default();
        let (mut decoded, mut context, mut most) = (0, 0, 0);
        for step in self.recorder.steps.between(query.from_us, query.to_us) {
            if step.at < query.from_us || query.replica.is_some_and(|replica| replica != step.replica) {
                continue;
            }
            points.running.push(step.running);
            points.ms.push(step.span as f64 / 1000.0);
            points.chunk.push(step.prefill > 0);
            most = most.max(step.running);
            if step.prefill == 0 {
                decoded += u64::from(step.decode);
                context += step.context;
            }
        }
        points.steps = points.ms.len() as u64;
        let first = points.ms.len().saturating_sub(POINTS);
        points.running.drain(..first);
        points.ms.drain(..first);
        points.chunk.drain(..first);
        let replica = self.engine.replicas().get(query.replica.unwrap_or(0) as usize);
        if let Some(replica) = replica.filter(|_| decoded > 0) {
            let mean = context as f64 / decoded as f64;
            for n in (1..=most).step_by(most.div_ceil(LINE) as usize) {
                let decode_context = base::math::round_to_span(mean * f64::from(n)).0;
                let load = StepLoad { prefill: &[], decode: n, decode_context, drafts: 0, padding: 0 };
                points.line[0].push(n.into());
                points.line[1].push(replica.would_take(&load).0 as f64 / 1000.0);
            }
        }
        points
    }
}
