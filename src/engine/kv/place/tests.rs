//! Places below CPU memory, worked out by hand.

use super::*;

fn place(capacity: u64, eviction: PlaceEviction, lease: u64) -> Place {
    Place::new(PlaceSettings { capacity, eviction, lease: Span(lease), ttl: Span::ZERO })
}

fn fill(p: &mut Place, hashes: &[u64], now: u64) {
    for &hash in hashes {
        if p.put(hash, Micros(now)) {
            p.arrive(&[hash], Micros(now));
        }
    }
    p.verify();
}

fn there(p: &mut Place, hashes: &[u64], now: u64) -> Vec<u64> {
    hashes.iter().copied().filter(|hash| p.holds(*hash, Micros(now))).collect()
}

#[test]
fn a_full_place_refuses_or_evicts_as_it_is_told() {
    let all = [1, 3, 5, 7];
    for (eviction, expected) in [
        (PlaceEviction::Refuse, vec![1, 3, 5]),
        (PlaceEviction::Oldest, vec![3, 5, 7]),
        (PlaceEviction::Watermark { high: 1.0, share: 0.7 }, vec![5, 7]),
    ] {
        let mut p = place(3, eviction, 0);
        fill(&mut p, &all, 0);
        assert_eq!(there(&mut p, &all, 0), expected, "{eviction:?}");
    }
}

#[test]
fn what_is_read_leased_or_not_there_yet_is_not_evicted() {
    let mut p = place(2, PlaceEviction::Oldest, 0);
    fill(&mut p, &[1], 0);
    assert!(p.put(3, Micros(0)));
    p.begin_read(&[1]);
    assert!(!p.put(5, Micros(0)), "one is read, the other on its way");
    p.end_read(&[1], Micros(1));
    assert!(p.put(5, Micros(1)) && !p.holds(1, Micros(1)));
    let mut p = place(1, PlaceEviction::Oldest, 100);
    fill(&mut p, &[1], 0);
    p.promise(1, Micros(10));
    assert!(!p.put(3, Micros(109)) && p.put(3, Micros(110)));
    assert_eq!((p.counts().refused, p.counts().evicted), (1, 1));
}

#[test]
fn a_block_that_is_not_used_is_found_for_as_long_as_its_time_lasts() {
    let mut p = place(0, PlaceEviction::Refuse, 0);
    p.settings.ttl = Span(50);
    fill(&mut p, &[1, 3], 0);
    p.promise(1, Micros(40));
    assert_eq!(there(&mut p, &[1, 3], 51), [1]);
    assert_eq!((p.counts().expired, p.counts().lookups, p.counts().found, p.len()), (1, 2, 1, 1));
}

#[test]
fn a_place_that_is_down_finds_nothing_and_has_everything_afterwards() {
    let mut p = place(0, PlaceEviction::Refuse, 0);
    fill(&mut p, &[1], 0);
    p.set_down(true, Micros(0));
    assert!(!p.holds(1, Micros(1)));
    p.set_down(false, Micros(0));
    assert!(p.holds(1, Micros(2)));
}

#[test]
fn a_capacity_that_shrinks_takes_effect_as_blocks_may_go() {
    let mut p = place(4, PlaceEviction::Oldest, 0);
    fill(&mut p, &[1, 3, 5, 7], 0);
    p.begin_read(&[1, 3, 5]);
    p.adopt(PlaceSettings { capacity: 2, ..*p.settings() }, Micros(1));
    assert_eq!(p.len(), 3);
    p.verify();
    p.end_read(&[1, 3, 5], Micros(2));
    assert_eq!(there(&mut p, &[1, 3, 5, 7], 3), [3, 5]);
    p.verify();
}

#[test]
fn readers_that_see_it_late_see_what_was_there_then() {
    let mut p = place(2, PlaceEviction::Oldest, 0);
    p.see_late(Span(10), Micros::ZERO);
    let seen = |p: &mut Place, now| [1, 3, 5].map(|hash| p.shows(hash, Micros(now)));
    fill(&mut p, &[1, 3], 100);
    assert_eq!(seen(&mut p, 109), [false; 3]);
    fill(&mut p, &[5], 200);
    assert_eq!([209, 210].map(|now| seen(&mut p, now)), [[true, true, false], [false, true, true]]);
    assert!(!p.holds(1, Micros(205)), "the place itself has the present");
    p.set_down(true, Micros(300));
    p.set_down(false, Micros(304));
    let at = [309, 310, 313, 314].map(|now| seen(&mut p, now)[2]);
    assert_eq!(at, [true, false, false, true]);
    p.empty(Micros(400));
    assert_eq!([409, 410].map(|now| seen(&mut p, now)), [[false, true, true], [false; 3]]);
}

#[test]
fn what_was_not_used_for_too_long_then_is_not_seen_late() {
    let mut p = place(0, PlaceEviction::Refuse, 0);
    p.settings.ttl = Span(50);
    p.see_late(Span(10), Micros::ZERO);
    fill(&mut p, &[1, 3], 0);
    p.promise(3, Micros(45));
    assert_eq!([60, 61].map(|now| p.shows(1, Micros(now))), [true, false]);
    // It goes when somebody looks for it, which makes no difference.
    assert!(!p.holds(1, Micros(55)));
    assert_eq!([60, 61, 64, 65].map(|now| p.shows(1, Micros(now))), [true, false, false, false]);
    assert!(p.shows(3, Micros(105)) && !p.shows(3, Micros(106)));
}

#[test]
fn a_pinned_block_goes_when_nothing_else_can() {
    let mut p = place(3, PlaceEviction::Oldest, 0);
    fill(&mut p, &[1, 3, 5], 0);
    p.pin(1, Micros(100));
    p.pin(3, Micros(50));
    fill(&mut p, &[7], 40);
    assert_eq!(there(&mut p, &[1, 3, 5, 7], 40), [1, 3, 7], "the oldest two are pinned");
    // Of two that are pinned the one used longest ago; what is read does not go at all.
    p.pin(7, Micros(100));
    p.begin_read(&[1]);
    fill(&mut p, &[9], 45);
    assert_eq!(there(&mut p, &[1, 3, 7, 9], 45), [1, 7, 9]);
    p.end_read(&[1], Micros(46));
    fill(&mut p, &[11], 100);
    assert_eq!(there(&mut p, &[1, 7, 9, 11], 100), [7, 9, 11], "its time is over");
}

#[test]
fn a_watermark_takes_pinned_blocks_after_all_others() {
    let mut p = place(4, PlaceEviction::Watermark { high: 1.0, share: 0.7 }, 0);
    fill(&mut p, &[1, 3, 5], 0);
    for hash in [1, 3] {
        p.pin(hash, Micros(100));
    }
    // The fourth leaves the whole capacity in use: two go, and the one that comes is not there yet.
    assert!(p.put(7, Micros(10)));
    assert_eq!(there(&mut p, &[1, 3, 5], 10), [3], "5, and the older of the pinned ones");
    assert_eq!(p.counts().evicted, 2);
}
