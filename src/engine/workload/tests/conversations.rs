//! Tests of conversations without a cluster: with an open clock, or with answers at instants set by the test.

use super::{moments, poisson, scenario, take};
use crate::workload::conversations::conversation_of;
use crate::workload::{RequestSpec, Source, digest_of};
use base::{Content, Micros};
use document::{
    Arrivals, Client, ContextGrowth, Conversation, ConversationClock, Lengths, PrefixGroups, Rounds,
    ThinkTime,
};
use std::collections::BTreeMap;

/// Conversations of four rounds, five seconds apart.
fn settings() -> Conversation {
    Conversation {
        rounds: Rounds::Constant { rounds: 4 },
        think_time: ThinkTime::Constant { think_s: 5.0 },
        ..Conversation::default()
    }
}

fn talker(conversation: Conversation) -> Client {
    Client { conversation: Some(conversation), ..poisson("a", 4.0) }
}

/// The rounds of each conversation, in order of arrival.
fn by_conversation(all: Vec<RequestSpec>) -> Vec<Vec<RequestSpec>> {
    let mut found: BTreeMap<u32, Vec<RequestSpec>> = BTreeMap::new();
    for spec in all {
        found.entry(spec.session).or_default().push(spec);
    }
    found.into_values().collect()
}

/// The conversations that had time to end: those of the first half.
fn whole(c: Client, n: usize) -> Vec<Vec<RequestSpec>> {
    let all = take(&scenario(vec![c]), n);
    let half = all[n / 2].arrival;
    by_conversation(all).into_iter().filter(|rounds| rounds[0].arrival < half).collect()
}

fn with_answer(spec: &RequestSpec) -> Content {
    let mut text = spec.prompt.clone();
    text.push(spec.output);
    text
}

#[test]
fn a_prompt_brings_along_every_earlier_prompt_and_answer_and_then_says_something_new() {
    let mut c = talker(settings());
    c.prefix = PrefixGroups::new(2, 100);
    let conversations = whole(c, 4000);
    assert!(conversations.len() > 300);
    for rounds in &conversations {
        assert_eq!(rounds.len(), 4);
        for pair in rounds.windows(2) {
            let before = with_answer(&pair[0]);
            assert!(pair[1].prompt_tokens > before.len(), "something new is said");
            // Every full block of the earlier round is a block of the later one.
            let blocks = before.len() / 16;
            assert_eq!(pair[1].prompt.chain(16, blocks), before.chain(16, blocks));
            assert_eq!(pair[1].prompt.shareable(), pair[1].prompt_tokens, "all of it may come again");
            assert_eq!(pair[1].prompt.pieces().len(), 2, "the prefix and one stretch of the conversation");
        }
    }
    // Two conversations share their prefix and nothing else.
    let mut second: Vec<u64> =
        conversations.iter().map(|rounds| rounds[0].prompt.pieces()[1].source).collect();
    second.sort_unstable();
    second.dedup();
    assert_eq!(second.len(), conversations.len());
}

#[test]
fn without_growth_a_prompt_is_what_is_new_and_no_text_comes_twice() {
    let mut c = talker(Conversation { context_growth: ContextGrowth::None, ..settings() });
    c.prompt_tokens = Lengths::Constant { tokens: 64 };
    for rounds in whole(c, 2000) {
        let mut seen = Vec::new();
        for spec in &rounds {
            assert_eq!((spec.prompt_tokens, spec.prompt.shareable()), (64, 0));
            seen.extend(with_answer(spec).chain(16, 1));
        }
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 4);
    }
}

#[test]
fn the_open_clock_adds_the_answer_at_a_microsecond_per_token_and_the_think_time() {
    for rounds in whole(talker(settings()), 2000) {
        for pair in rounds.windows(2) {
            let expected = pair[0].arrival.0 + u64::from(pair[0].output.len) + 5_000_000;
            assert_eq!(pair[1].arrival, Micros(expected));
        }
    }
}

#[test]
fn numbers_of_rounds_are_geometric_and_cut() {
    let (mean_rounds, max_rounds) = (4.0, 9);
    let rounds = Rounds::Geometric { mean_rounds, max_rounds };
    let think_time = ThinkTime::Constant { think_s: 0.0 };
    let mut c = talker(Conversation {
        rounds: rounds.clone(),
        think_time,
        max_context_tokens: 1 << 20,
        ..settings()
    });
    c.prompt_tokens = Lengths::Constant { tokens: 10 };
    let numbers: Vec<f64> = whole(c, 80_000).iter().map(|rounds| rounds.len() as f64).collect();
    let n = numbers.len() as f64;
    for k in 1..=9 {
        let found = numbers.iter().filter(|&&x| x >= f64::from(k)).count() as f64 / n;
        let share = (1..k).map(|_| 0.75).product::<f64>();
        assert!((found - share).abs() <= 4.0 * (share * (1.0 - share) / n).sqrt(), "{k} rounds: {found}");
    }
    let (mean, cv) = moments(&numbers);
    assert!((mean - rounds.mean()).abs() <= 4.0 * cv * mean / n.sqrt(), "{mean} for {}", rounds.mean());
    assert!(numbers.iter().all(|&x| x <= 9.0));
}

#[test]
fn think_times_have_their_distribution() {
    let cases = [
        (ThinkTime::Exponential { mean_s: 3.0 }, 3.0, 1.0),
        // Lognormal: mean = median e^(s²/2), cv² = e^(s²) - 1.
        (ThinkTime::Lognormal { median_s: 2.0, sigma: 0.5 }, 2.0 * 1.133_148, 0.532_94),
    ];
    for (think_time, mean, cv) in cases {
        let mut times = Vec::new();
        for rounds in whole(talker(Conversation { think_time: think_time.clone(), ..settings() }), 40_000) {
            times.extend(
                rounds
                    .windows(2)
                    .map(|w| w[1].arrival.since(w[0].arrival).as_secs() - f64::from(w[0].output.len) / 1e6),
            );
        }
        let n = (times.len() as f64).sqrt();
        let (found, variation) = moments(&times);
        assert!((found - mean).abs() <= 4.0 * cv * mean / n, "{think_time:?}: mean {found}");
        assert!((variation - cv).abs() <= 0.05 * cv, "{think_time:?}: cv {variation}");
    }
}

#[test]
fn what_is_said_does_not_depend_on_when() {
    let base = by_conversation(take(&scenario(vec![talker(settings()), poisson("b", 2.0)]), 3000));
    let slow = Conversation { think_time: ThinkTime::Exponential { mean_s: 60.0 }, ..settings() };
    let mut c = talker(slow);
    c.arrivals = Arrivals::Weibull { rate_per_s: 9.0, cv: 3.0 };
    let changed = by_conversation(take(&scenario(vec![c, poisson("b", 2.0)]), 3000));
    let mut compared = 0;
    for (x, y) in base.iter().zip(&changed).filter(|(x, _)| conversation_of(x[0].session).is_some()) {
        assert_eq!(x[0].session, y[0].session);
        for (a, b) in x.iter().zip(y) {
            assert_eq!((&a.prompt, a.output), (&b.prompt, b.output));
            compared += 1;
        }
    }
    assert!(compared > 500, "{compared}");
    let single = |all: &[Vec<RequestSpec>]| -> Vec<RequestSpec> {
        all.iter().flatten().filter(|r| r.client == 1).cloned().collect()
    };
    for (x, y) in single(&base).iter().zip(&single(&changed)) {
        assert_eq!((x.arrival, &x.prompt, x.output, x.session), (y.arrival, &y.prompt, y.output, 0));
    }
}

#[test]
fn a_conversation_ends_before_a_round_that_does_not_fit() {
    let max_context_tokens = 1500;
    let rounds = Rounds::Constant { rounds: 1000 };
    let mut c = talker(Conversation { rounds, max_context_tokens, ..settings() });
    c.prompt_tokens = Lengths::Constant { tokens: 150 };
    c.output_tokens = Lengths::Constant { tokens: 50 };
    c.prefix = PrefixGroups::new(1, 300);
    for rounds in whole(c.clone(), 2000) {
        let sizes: Vec<u32> = rounds.iter().map(|r| r.prompt_tokens + r.output.len).collect();
        assert_eq!(sizes, [500, 700, 900, 1100, 1300, 1500], "200 more each; 1,700 would be too long");
    }
    // The first round is sent whatever its size.
    c.prompt_tokens = Lengths::Constant { tokens: 3000 };
    assert!(whole(c, 500).iter().all(|rounds| rounds.len() == 1));
}

#[test]
fn the_closed_clock_waits_for_the_answer_and_forgets_who_gets_none() {
    let closed = Conversation { clock: ConversationClock::Closed, ..settings() };
    let s = scenario(vec![Client { arrivals: Arrivals::Constant { rate_per_s: 0.01 }, ..talker(closed) }]);
    let mut source = Source::new(&s, None);
    let first = source.take().unwrap();
    assert_eq!((first.arrival, source.peek()), (Micros(100_000_000), Some(Micros(200_000_000))));
    source.ended(first.session, Some(Micros(103_000_000)));
    let second = source.take().unwrap();
    assert_eq!((second.arrival, second.session), (Micros(108_000_000), first.session));
    assert_eq!(
        second.prompt.chain(16, first.prompt_tokens / 16),
        first.prompt.chain(16, first.prompt_tokens / 16)
    );
    source.ended(second.session, None);
    assert_eq!(source.peek(), Some(Micros(200_000_000)), "no answer, no third round");
    source.ended(second.session, Some(Micros(150_000_000)));
    source.ended(0, Some(Micros(150_000_000)));
    assert_eq!(source.peek(), Some(Micros(200_000_000)), "no request waits for these");
    // With immediate answers, the clock is the open one except for the microseconds of the answers.
    let open = scenario(vec![talker(settings())]);
    let closed = scenario(vec![talker(Conversation { clock: ConversationClock::Closed, ..settings() })]);
    assert_ne!(digest_of(&open, None, 500), digest_of(&closed, None, 500));
    let mut source = Source::new(&closed, None);
    let mut at_once = |_| {
        let spec = source.take().unwrap();
        source.ended(spec.session, Some(spec.arrival + base::Span(spec.output.len.into())));
        spec
    };
    assert_eq!((0..500).map(&mut at_once).collect::<Vec<_>>(), take(&open, 500));
}

#[test]
fn a_rate_of_zero_begins_no_conversations_and_ends_none() {
    let s = scenario(vec![talker(settings())]);
    let mut source = Source::new(&s, None);
    let begun = (0..20).map_while(|_| source.take()).filter(|r| r.prompt.pieces()[0].start == 0).count();
    source.set_rate(0, 0.0, source.peek().unwrap());
    let rest: Vec<RequestSpec> = std::iter::from_fn(|| source.take()).collect();
    let sessions = |all: &[RequestSpec]| by_conversation(all.to_vec()).len();
    assert!(begun > 0 && sessions(&rest) <= 20 && !rest.is_empty());
    let all = take(&s, 20).into_iter().chain(rest).collect();
    assert!(by_conversation(all).iter().all(|rounds| rounds.len() == 4));
}

#[test]
fn a_snapshot_midway_through_conversations_continues_as_the_straight_run() {
    for clock in [ConversationClock::Open, ConversationClock::Closed] {
        let rounds = Rounds::Geometric { mean_rounds: 3.0, max_rounds: 20 };
        let c = talker(Conversation { rounds, clock, ..settings() });
        let mut straight = Source::new(&scenario(vec![c, poisson("b", 2.0)]), None);
        for _ in 0..137 {
            let spec = straight.take().unwrap();
            if !spec.rank.is_multiple_of(3) {
                straight.ended(spec.session, Some(spec.arrival));
            }
        }
        let bytes = postcard::to_stdvec(&straight).unwrap();
        let mut packed: Source = postcard::from_bytes(&bytes).unwrap();
        let mut text: Source = serde_json::from_str(&serde_json::to_string(&straight).unwrap()).unwrap();
        assert_eq!((&packed, &text), (&straight, &straight));
        for _ in 0..300 {
            let next = straight.take();
            assert_eq!((packed.take(), text.take()), (next.clone(), next.clone()));
            for source in [&mut straight, &mut packed, &mut text] {
                source.ended(next.as_ref().unwrap().session, next.as_ref().map(|spec| spec.arrival));
            }
        }
    }
}
