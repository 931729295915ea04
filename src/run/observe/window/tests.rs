//! Packing of the seconds of a window: nothing of them is lost.

use super::*;
use base::{ReplicaId, RequestId};
use engine::policy::Reason;

#[test]
fn seconds_come_back_as_they_were_before_they_were_packed() {
    let mut window = Window::default();
    for i in 0..4000_u32 {
        // Some seconds have nothing.
        let now = Micros(u64::from(i) * 1_700 + u64::from(i / 1000) * 5 * US_PER_S);
        let (request, replica) = (RequestId(i), ReplicaId(i % 5));
        let span = Span(u64::from(i * 7919 % 9000));
        window.fact(now, &Fact::Request(RequestFact::Arrived { request, client: i % 3, class: 0 }));
        if i % 7 == 0 {
            window.fact(
                now,
                &Fact::Request(RequestFact::Rejected { request, replica: None, reason: Reason::QueueFull }),
            );
        }
        window.fact(now, &Fact::Request(RequestFact::Routed { request, replica }));
        if i % 3 == 0 {
            let (request, class, urgency) = (RequestId(i / 2), 0, 0);
            let scheduled =
                RequestFact::Scheduled { request, replica, class, urgency, prefill: 1, cached: 0 };
            window.fact(now, &Fact::Request(scheduled));
        }
        let (prefill, decode, running, waiting, kv_used) = (0, 1, 1, 0, 0);
        window.fact(
            now,
            &Fact::Replica(ReplicaFact::StepStarted {
                replica,
                span,
                prefill,
                decode,
                running,
                waiting,
                kv_used,
            }),
        );
        window.fact(now, &Fact::Request(RequestFact::FirstToken { request, replica, ttft: span }));
        window.fact(now, &Fact::Replica(ReplicaFact::Tokens { replica, itl: span, count: i % 40 }));
        let (home, blocks) = (ReplicaId(5), 1);
        let prefilled = HandoverFact::Prefilled { request, replica, home, ttft: span, blocks };
        window.fact(now, &Fact::Handover(prefilled));
        window.completed(now, Finished { e2e: span, tpot: (i % 4 > 0).then_some(span), good: i % 2 == 0 });
    }
    let all = |window: &Window| format!("{:?}", window.seconds.iter().collect::<Vec<_>>());
    let before = all(&window);
    window.pack();
    window.unpack();
    assert_eq!(all(&window), before);
}
