//! Tests of packed lines: what comes back, and how much they take.

use super::*;
use base::rng::{Purpose, Stream};
use base::{Micros, Span};

/// A fact whose numbers are made by `draw`, at most what the field holds; a choice among few is as it is.
fn with(mut kind: Fact, draw: &mut dyn FnMut() -> u64) -> Fact {
    let next = &mut |n| if n == 0 { draw() } else { n };
    Numbers { next, at: 0, request: 0 }.fact(&mut kind);
    kind
}

fn come_back(lines: &[Line]) -> usize {
    let packed = Line::pack(lines);
    assert_eq!(Line::unpack(&packed), lines);
    packed.len() * 8
}

#[test]
fn a_fact_of_any_kind_comes_back_with_any_numbers() {
    let mut draws = Stream::new(5, Purpose::Ties, 0);
    let mut lines: Vec<Line> = Vec::new();
    for round in 0..200_u64 {
        for kind in KINDS {
            assert_eq!(KINDS[kind_of(Some(&kind)) - 1], kind);
            let few = matches!(
                kind,
                Fact::Request(
                    RequestFact::Rejected { .. } | RequestFact::Delayed { .. } | RequestFact::Dropped { .. }
                ) | Fact::Fleet(FleetFact::Scaled { .. })
                    | Fact::Cache(CacheFact::AdapterLoaded { .. })
                    | Fact::Handover(HandoverFact::Decided { .. })
                    | Fact::Fault(_)
            );
            let width = draws.below(32);
            let mut draw = || match round {
                0 => 0,
                1 if !few => u64::MAX,
                2 if !few => 1 << 63,
                _ if few => u64::from(draws.below(2)),
                _ => u64::from(draws.below(u32::MAX)) >> width,
            };
            let fact = with(kind, &mut draw);
            let at = lines
                .last()
                .map_or(0, |Line(at, _)| at.saturating_add((round & 1) * u64::from(draws.below(9))));
            lines.push(Line(if round == 199 { u64::MAX } else { at }, Some(fact)));
        }
        lines.push(Line(lines[lines.len() - 1].0, None));
    }
    for piece in lines.chunks(97) {
        come_back(piece);
    }
    come_back(&[]);
    come_back(&lines);
}

#[test]
fn every_choice_comes_back() {
    let (request, replica, until) = (RequestId(u32::MAX), ReplicaId(u32::MAX), Micros(u64::MAX));
    let (class, waiting) = (u32::MAX, 7);
    let mut lines =
        vec![Line(3, None), Line(5, Some(Fact::Fleet(FleetFact::Starting { replica, pool: 1, until })))];
    for reason in Reason::ALL {
        lines.push(Line(7, Some(Fact::Request(RequestFact::Delayed { request, reason }))));
        lines.push(Line(
            8,
            Some(Fact::Request(RequestFact::Rejected {
                request: RequestId(0),
                reason,
                replica: Some(replica),
            })),
        ));
        lines.push(Line(8, Some(Fact::Request(RequestFact::Rejected { request, reason, replica: None }))));
    }
    for (reason, urgency) in DropReason::ALL.into_iter().zip([i64::MIN, -1, 0, i64::MAX]) {
        lines.push(Line(
            9,
            Some(Fact::Request(RequestFact::Dropped { request, replica, class, urgency, reason, waiting })),
        ));
    }
    for source in AdapterSource::ALL {
        let (adapter, evicted, took) = (u32::MAX, 1, Span(u64::MAX));
        let fact = CacheFact::AdapterLoaded { request, replica, adapter, source, evicted, took };
        lines.push(Line(9, Some(Fact::Cache(fact))));
    }
    for reason in DeciderReason::ALL {
        for number in [None, Some(0), Some(u32::MAX)] {
            let prefill = number.map(ReplicaId);
            let fact = HandoverFact::Decided { request, home: replica, prefill, reason, uncached: number };
            lines.push(Line(9, Some(Fact::Handover(fact))));
        }
    }
    for rule in Rule::ALL {
        lines.push(Line(9, Some(Fact::Fleet(FleetFact::Scaled { pool: 0, from: 1, to: u32::MAX, rule }))));
    }
    come_back(&lines);
}

#[test]
fn a_line_takes_a_few_bytes() {
    let replica = |i: u64| ReplicaId((i * 7 % 64) as u32);
    let line = |i: u64| {
        let fact = match i % 4 {
            0 => Fact::Request(RequestFact::Arrived {
                request: RequestId(5000 + i as u32),
                client: 1,
                class: 0,
            }),
            1 => Fact::Replica(ReplicaFact::StepEnded { replica: replica(i) }),
            2 => Fact::Replica(ReplicaFact::Tokens {
                replica: replica(i),
                itl: Span(9000 + i * 37 % 500),
                count: 30,
            }),
            _ => Fact::Request(RequestFact::Prefilled {
                request: RequestId(4000 + i as u32),
                replica: replica(i),
                tokens: 512,
            }),
        };
        Line(300_000_000 + i * 90, Some(fact))
    };
    let lines: Vec<Line> = (0..256).map(line).collect();
    let bytes = come_back(&lines);
    assert!(bytes < 256 * 6, "{bytes}");
}
