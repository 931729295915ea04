//! Tiers of a replica, worked out by hand.

use super::*;

fn tiers(capacity: u32, written: Written, below: &[Written]) -> Tiers {
    let cpu = StoreSettings { capacity, written, tokens_per_us: 4.0, base: Span(10), ttl: Span::ZERO };
    Tiers::new(&TierSettings { cpu: Some(cpu), below: below.to_vec(), prompt_only: false, restricted: false })
}

fn fill(t: &mut Tiers, hashes: &[u64]) {
    for &hash in hashes {
        t.known(hash, Filled::Computed { end: 4, limit: u32::MAX });
    }
}

fn stored(t: &Tiers, hashes: &[u64]) -> Vec<u64> {
    t.verify(0, &[]);
    let cpu = t.cpu.as_ref().expect("there is one");
    hashes.iter().copied().filter(|h| cpu.lookup(&[*h]) == 1).collect()
}

fn cpu(t: &mut Tiers) -> &mut CpuTier {
    t.cpu.as_mut().expect("there is one")
}

fn load(t: &mut Tiers, hashes: &[u64], tokens: u64, now: Micros) -> Micros {
    cpu(t).hold(hashes);
    cpu(t).begin_load(hashes.len() as u64, tokens, now)
}

#[test]
fn the_block_used_longest_ago_makes_room() {
    let mut t = tiers(3, Written::WhenFull, &[]);
    fill(&mut t, &[1, 3, 5]);
    t.pinned(&[1, 3]);
    fill(&mut t, &[7]);
    assert_eq!(stored(&t, &[1, 3, 5, 7]), [1, 3, 7]);
    // Of one request's blocks the first outlives the others.
    fill(&mut t, &[9]);
    assert_eq!(stored(&t, &[1, 3, 7, 9]), [1, 7, 9]);
    let cpu = cpu(&mut t);
    assert_eq!((cpu.counts.offloads, cpu.counts.evictions, cpu.blocks()), (5, 2, (3, 3)));
    assert_eq!(cpu.take_news(), (5, 2));
    assert_eq!(cpu.take_news(), (0, 0));
}

#[test]
fn a_block_that_is_stored_is_not_written_again() {
    let mut t = tiers(2, Written::WhenFull, &[]);
    fill(&mut t, &[1, 3, 1, 5]);
    assert_eq!(stored(&t, &[1, 3, 5]), [1, 5]);
    assert_eq!(cpu(&mut t).counts.offloads, 3);
}

#[test]
fn blocks_are_written_by_the_rule_of_the_tier() {
    for (written, expected) in [
        (Written::WhenFull, vec![1, 3]),
        (Written::WhenEvicted, vec![5]),
        (Written::WhenReleased, vec![3]),
        (Written::WhenHit(2), vec![1]),
    ] {
        let mut t = tiers(4, written, &[]);
        fill(&mut t, &[1, 3]);
        t.pinned(&[1]);
        t.completed(&[3]);
        t.left_gpu(5);
        assert_eq!(stored(&t, &[1, 3, 5]), expected, "{written:?}");
    }
}

#[test]
fn blocks_beyond_the_limit_of_all_requests_do_not_leave_the_gpu() {
    let cpu = StoreSettings {
        capacity: 4,
        written: Written::WhenFull,
        tokens_per_us: 4.0,
        base: Span(10),
        ttl: Span::ZERO,
    };
    let mut t =
        Tiers::new(&TierSettings { cpu: Some(cpu), below: Vec::new(), prompt_only: true, restricted: true });
    t.known(1, Filled::Computed { end: 4, limit: 4 });
    t.known(3, Filled::Computed { end: 8, limit: 4 });
    assert_eq!(stored(&t, &[1, 3]), [1]);
    t.known(3, Filled::Computed { end: 8, limit: 8 });
    assert_eq!(stored(&t, &[1, 3]), [1, 3]);
}

#[test]
fn a_block_is_found_for_as_long_as_its_time_lasts_and_a_use_begins_it_anew() {
    let mut t = tiers(4, Written::WhenFull, &[]);
    cpu(&mut t).settings.ttl = Span(100);
    fill(&mut t, &[1, 3]);
    t.set_clock(Micros(60));
    t.pinned(&[1]);
    t.set_clock(Micros(101));
    assert_eq!((t.lookup(&[1]).blocks, t.lookup(&[3]).blocks), (1, 0));
    assert_eq!(cpu(&mut t).counts.expired, 1);
    assert_eq!(cpu(&mut t).blocks().0, 1);
}

#[test]
fn loads_take_turns_on_the_link() {
    let mut t = tiers(4, Written::WhenFull, &[]);
    fill(&mut t, &[1, 3]);
    // 10 us and 16 tokens at 4 tokens a microsecond, twice.
    assert_eq!(load(&mut t, &[1], 16, Micros(100)), Micros(114));
    assert_eq!(load(&mut t, &[3], 16, Micros(101)), Micros(128));
    let cpu = cpu(&mut t);
    assert_eq!(cpu.done_at(2, Micros(500)), Micros(511));
    assert_eq!((cpu.counts.loads, cpu.counts.hits, cpu.counts.load_time), (2, 2, Span(14 + 27)));
}

#[test]
fn a_block_that_is_being_loaded_stays_and_is_told_of() {
    let mut t = tiers(2, Written::WhenFull, &[]);
    fill(&mut t, &[1, 3]);
    load(&mut t, &[1], 4, Micros::ZERO);
    assert_eq!(t.lookup(&[1, 3]), Below { blocks: 1, arriving: true });
    fill(&mut t, &[5]);
    t.verify(1, &[]);
    assert_eq!((t.lookup(&[1]).blocks, t.lookup(&[3]).blocks, t.lookup(&[5]).blocks), (1, 0, 1));
    load(&mut t, &[5], 4, Micros::ZERO);
    fill(&mut t, &[7]);
    assert_eq!((t.lookup(&[7]).blocks, cpu(&mut t).counts.refused), (0, 1));
    cpu(&mut t).end_load(&[1, 5]);
    assert_eq!(stored(&t, &[1, 5]), [1, 5]);
}

#[test]
fn a_block_that_waits_to_be_written_below_keeps_its_place() {
    let mut t = tiers(2, Written::WhenFull, &[Written::WhenFull]);
    fill(&mut t, &[1, 3, 5]);
    t.verify(0, &[]);
    assert_eq!((t.lookup(&[5]).blocks, t.due(), t.waiting_to_write(0)), (0, vec![0], 2));
    assert_eq!(t.take_outbox(0), [1, 3]);
    t.unpost(0, 3);
    t.begin_write(0, vec![1]);
    fill(&mut t, &[7]);
    assert_eq!((t.lookup(&[1]).blocks, t.lookup(&[3]).blocks, t.lookup(&[7]).blocks), (1, 0, 1));
    t.verify(0, &[]);
    t.end_write(0);
    t.verify(0, &[]);
    assert_eq!(t.take_outbox(0), [7]);
}

#[test]
fn what_cpu_memory_forgets_is_written_back_without_a_place() {
    let mut t = tiers(1, Written::WhenFull, &[Written::WhenEvicted]);
    fill(&mut t, &[1, 3]);
    assert_eq!((t.lookup(&[1]).blocks, t.take_outbox(0)), (0, vec![1]));
    t.begin_write(0, vec![1]);
    t.end_write(0);
    t.verify(0, &[]);
}

#[test]
fn a_rule_that_changes_holds_for_what_is_put_into_the_outbox_from_then_on() {
    let mut t = tiers(2, Written::WhenFull, &[Written::WhenFull]);
    fill(&mut t, &[1]);
    let rule = |written| TierSettings {
        cpu: Some(t_settings(2, Written::WhenFull, Span::ZERO)),
        below: vec![written],
        prompt_only: false,
        restricted: false,
    };
    // What waited kept its place, and does not any more.
    t.adopt(&rule(Written::WhenEvicted), Vec::new);
    t.verify(0, &[]);
    fill(&mut t, &[3, 5]);
    assert_eq!(t.waiting_to_write(0), 1, "the first one was in the outbox already");
    fill(&mut t, &[7]);
    assert_eq!(t.waiting_to_write(0), 2);
    t.adopt(&rule(Written::WhenFull), Vec::new);
    t.verify(0, &[]);
    fill(&mut t, &[9]);
    t.verify(0, &[]);
    for hash in t.take_outbox(0) {
        t.unpost(0, hash);
    }
    t.verify(0, &[]);
}

#[test]
fn blocks_count_as_used_when_it_is_said_how_long_they_may_be_idle() {
    let mut t = tiers(4, Written::WhenFull, &[]);
    fill(&mut t, &[1, 3]);
    t.set_clock(Micros(1000));
    let below = TierSettings {
        cpu: Some(t_settings(4, Written::WhenEvicted, Span(50))),
        below: Vec::new(),
        prompt_only: true,
        restricted: true,
    };
    t.adopt(&below, || vec![1]);
    t.set_clock(Micros(1050));
    assert_eq!(t.lookup(&[1, 3]).blocks, 2);
    t.set_clock(Micros(1051));
    assert_eq!(t.lookup(&[1, 3]).blocks, 0);
    // What was there may still leave the GPU, what comes does as far as it may.
    t.left_gpu(1);
    t.known(5, Filled::Computed { end: 8, limit: 4 });
    t.left_gpu(5);
    t.known(7, Filled::Computed { end: 8, limit: 8 });
    t.left_gpu(7);
    assert_eq!([1, 5, 7].map(|hash| t.lookup(&[hash]).blocks), [1, 0, 1]);
}

fn t_settings(capacity: u32, written: Written, ttl: Span) -> StoreSettings {
    StoreSettings { capacity, written, tokens_per_us: 4.0, base: Span(10), ttl }
}
