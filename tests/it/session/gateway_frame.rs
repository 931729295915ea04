//! The gateway's queue in a frame: every band that clients use, with the first of those that wait.

use crate::support::{preset, start};
use tokenyard::base::Micros;
use tokenyard::scenario::{ConcurrencyDetector, Detector, FlowControl, Scenario, SloClass};
use tokenyard::session::view::{Frame, FrameQuery};

/// Four replicas that may have ten requests each; 28 arrive in a second, in three classes.
fn scenario() -> Scenario {
    let mut scenario = preset("chat-4xh100", 60.0);
    scenario.edits.clear();
    let concurrency = ConcurrencyDetector { max_requests: 10, ..ConcurrencyDetector::default() };
    scenario.cluster.flow_control =
        Some(FlowControl { detector: Detector::Concurrency(concurrency), ..FlowControl::default() });
    let classes = [SloClass::Critical, SloClass::Standard, SloClass::Background];
    for (client, class) in scenario.workload.clients.iter_mut().zip(classes) {
        client.slo_class = class;
    }
    scenario
}

fn frame_at(scenario: &Scenario, at: u64) -> Frame {
    let mut session = start(scenario);
    session.advance(Micros(at), u64::MAX);
    session.frame(&FrameQuery::default())
}

#[test]
fn the_bands_of_all_clients_are_there_before_the_first_request() {
    let frame = frame_at(&scenario(), 0);
    let gateway = frame.gateway.expect("a queue under flow control");
    let bands: Vec<_> = gateway.bands.iter().map(|b| (b.priority, &b.classes[..], b.waiting)).collect();
    assert_eq!(bands, [(100, &["critical"][..], 0), (0, &["standard"], 0), (-100, &["background"], 0)]);
    assert!((gateway.bands[1].ceiling - 1.0).abs() < 1e-12);
    let priorities: Vec<_> = frame.clients.iter().map(|c| c.priority).collect();
    assert_eq!(priorities, [Some(100), Some(0), Some(-100)]);
}

#[test]
fn a_band_shows_the_first_of_its_requests_in_order_of_joining() {
    let frame = frame_at(&scenario(), 30_000_000);
    let bands = frame.gateway.expect("a queue under flow control").bands;
    assert!(bands.iter().any(|b| b.waiting > 24), "{bands:?}");
    for band in &bands {
        assert_eq!(band.queue.len(), band.waiting.min(24) as usize);
        assert!(band.queue.is_sorted_by_key(|chip| chip.request), "{band:?}");
        for chip in &band.queue {
            assert_eq!(frame.clients[chip.client as usize].priority, Some(band.priority));
        }
    }
    let waiting: u32 = bands.iter().map(|b| b.waiting).sum();
    assert_eq!(waiting, frame.counts.held);
}

#[test]
fn a_frame_without_flow_control_has_no_gateway() {
    let mut scenario = scenario();
    scenario.cluster.flow_control = None;
    let frame = frame_at(&scenario, 5_000_000);
    assert_eq!(frame.gateway, None);
    assert!(frame.clients.iter().all(|c| c.priority.is_none()));
}
