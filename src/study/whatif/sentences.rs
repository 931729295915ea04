//! Sentences of an explanation: the size of the difference, and its causes.

use super::account::{AccountedTime, CAUSES, Cause};
use super::explanation::Explanation;
use super::saying::{Saying, Sentence, whole};
use base::small::sort::sort_pairs;

/// Most causes in a sentence, and the least share of the difference for a cause.
const SAID: (usize, f64) = (3, 0.1);
/// Least difference of shares to be mentioned.
const APART: f64 = 0.1;
/// Least ratio of prompt or answer lengths to be mentioned.
const LONGER: f64 = 1.25;

/// The sentences of an explanation: one or two, and those about tiers.
pub(super) fn sentences(e: &Explanation) -> Vec<Sentence> {
    let time = if e.time == AccountedTime::E2e { "E2E" } else { "TTFT" };
    let mut first = Saying::default();
    let mut head = e.slow_words.clone();
    head.replace_range(..1, &head[..1].to_uppercase());
    first.say(&head).say(" (").count(e.slow.requests, "/slow/requests").say(&format!(", {time} from "));
    first.ms(e.threshold_ms, "/threshold_ms").say(" on) took ").ms(e.slow.mean_ms, "/slow/mean_ms");
    first.say(" on average");
    if e.diff_ms <= 0.0 {
        first.say(", no longer than ");
    } else {
        first.say(", ").ms(e.diff_ms, "/diff_ms").say(" more than ");
    }
    first.say(&e.fast_words).say(" (").count(e.fast.requests, "/fast/requests").say(", ");
    first.ms(e.fast.mean_ms, "/fast/mean_ms").say(").");
    let mut all = vec![first.done()];
    all.extend(second_sentence(e));
    all.extend(lost(e));
    all.extend(e.tiers.iter().flat_map(|tiers| tiers.sentences("/tiers")));
    all
}

/// Requests that are not among them, as they were lost.
fn lost(e: &Explanation) -> Option<Sentence> {
    let mut said = Saying::default();
    let rest =
        if e.lost == 1 { " more was lost and has no time." } else { " more were lost and have no time." };
    said.count(e.lost, "/lost").say(rest);
    (e.lost > 0).then_some(said.done())
}

/// The causes of the difference: the largest ones, and whether slow requests found less in the cache.
fn second_sentence(e: &Explanation) -> Option<Sentence> {
    let mut order: Vec<(u64, u64)> = Vec::with_capacity(CAUSES);
    for (i, part) in (0..).zip(&e.causes) {
        if e.diff_ms > 0.0 && part.diff_ms > 0.0 && part.diff_share >= SAID.1 {
            order.push((u64::MAX - (part.diff_ms * 1000.0) as u64, i));
        }
    }
    sort_pairs(&mut order);
    order.truncate(SAID.0);
    let mut said = Saying::default();
    let last = order.len().checked_sub(1)?;
    for (n, (_, i)) in order.into_iter().enumerate() {
        let part = &e.causes[i as usize];
        let before = match n {
            0 => "Of the difference, ",
            _ if n == last => " and ",
            _ => ", ",
        };
        said.say(before).percent(part.diff_share, format!("/causes/{i}/diff_share")).say(" (");
        said.ms(part.diff_ms, format!("/causes/{i}/diff_ms"));
        said.say(if n == 0 { ") is " } else { ") " }).say(part.cause.in_words());
        let [own, theirs] = [e.slow.output_tokens, e.fast.output_tokens];
        if part.cause == Cause::Decoding && own >= theirs * LONGER {
            said.say(" (").quote(whole(own), "/slow/output_tokens").say(" tokens each, the others ");
            said.quote(whole(theirs), "/fast/output_tokens").say(")");
        }
        let [own, theirs] = [e.slow.prompt_tokens, e.fast.prompt_tokens];
        if part.cause == Cause::Prompt && own >= theirs * LONGER {
            said.say(" (").quote(whole(own), "/slow/prompt_tokens").say(" tokens each, the others ");
            said.quote(whole(theirs), "/fast/prompt_tokens").say(")");
        }
        if let Some(most) = part.clients.first().filter(|most| part.clients.len() > 1 && most.share >= 0.5) {
            said.say(&format!(", of which “{}” has ", most.client));
            said.percent(most.share, format!("/causes/{i}/clients/0/share"));
        }
    }
    if e.fast.cached_share - e.slow.cached_share >= APART {
        said.say("; they found ").percent(e.slow.cached_share, "/slow/cached_share");
        said.say(" of their prompt tokens in the cache, the others ");
        said.percent(e.fast.cached_share, "/fast/cached_share");
    }
    if e.slow.stale_share - e.fast.stale_share >= APART {
        said.say("; ").percent(e.slow.stale_share, "/slow/stale_share");
        said.say(" of them went to a replica with more load than the router saw, of the others ");
        said.percent(e.fast.stale_share, "/fast/stale_share");
    }
    if e.slow.retried_share - e.fast.retried_share >= APART {
        said.say("; ").percent(e.slow.retried_share, "/slow/retried_share");
        said.say(" of them needed another attempt, of the others ");
        said.percent(e.fast.retried_share, "/fast/retried_share");
    }
    said.say(".");
    Some(said.done())
}
