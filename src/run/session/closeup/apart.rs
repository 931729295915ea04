//! What sets the requests of a selection apart from the rest: which properties they have more or less often, and where their TTFT went.

use super::distribution::{percent, percentiles};
use super::{Apart, RequestFilter, SelectionSide, SelectionSummary};
use crate::session::Session;
use base::small::decimal::fixed;
use base::{RequestId, number_text};
use engine::Record;

/// Cached shares of a prompt, in percent, that divide requests into two groups.
const SHARES: [u32; 4] = [25, 50, 75, 90];
/// Lengths of prompts, in tokens, that divide requests into two groups.
const LENGTHS: [u32; 9] = [256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536];
/// Differences below this, in percentage points, are not listed.
const LEAST_POINTS: f64 = 1.0;

/// Counts of one side.
#[derive(Default)]
struct Side {
    count: u64,
    ttft: Vec<u64>,
    slowest: Option<(u64, u32)>,
    waited_us: u64,
    prefill_us: u64,
    by_replica: Vec<u64>,
    by_class: Vec<u64>,
    by_client: Vec<u64>,
    /// Requests whose prompt was cached to at least each of [`SHARES`].
    cached: [u64; 4],
    /// Requests of which the router's picture at their decision is kept, and those that it believed cached to at least each share.
    seen: (u64, [u64; 4]),
    /// Requests with a prompt longer than each of [`LENGTHS`].
    longer: [u64; 9],
    preempted: u64,
}

fn count_at(list: &mut Vec<u64>, place: u32) {
    let place = place as usize;
    if list.len() <= place {
        list.resize(place + 1, 0);
    }
    list[place] += 1;
}

/// Counts a share of a prompt among those that it reaches.
fn count_share(counts: &mut [u64; 4], share: f64) {
    for (count, least) in counts.iter_mut().zip(SHARES) {
        *count += u64::from(100.0 * share >= f64::from(least));
    }
}

impl Side {
    fn add(&mut self, session: &Session, id: RequestId, r: &Record, believed: Option<f64>) {
        self.count += 1;
        if let Some(ttft) = r.ttft.get() {
            self.ttft.push(ttft.0);
            // Of equal ones the first.
            if self.slowest.is_none_or(|(us, _)| us < ttft.0) {
                self.slowest = Some((ttft.0, id.0));
            }
            let [waited, prefill] = session.ttft_parts(id, r);
            self.waited_us += waited;
            self.prefill_us += prefill;
        }
        if let Some(replica) = r.replica() {
            count_at(&mut self.by_replica, replica.0);
        }
        count_at(&mut self.by_class, r.class);
        count_at(&mut self.by_client, r.client);
        if r.first_scheduled.is_known() {
            count_share(&mut self.cached, f64::from(r.cached_tokens) / f64::from(r.prompt_tokens.max(1)));
        }
        if let Some(share) = believed {
            self.seen.0 += 1;
            count_share(&mut self.seen.1, share);
        }
        for (count, length) in self.longer.iter_mut().zip(LENGTHS) {
            *count += u64::from(r.prompt_tokens > length);
        }
        self.preempted += u64::from(r.preemptions > 0);
    }

    fn figures(&mut self) -> SelectionSide {
        let sum = self.waited_us + self.prefill_us;
        SelectionSide {
            count: self.count,
            ttft: percentiles(&mut self.ttft),
            slowest_us: self.slowest.map(|(us, _)| us),
            queue_percent: percent(self.waited_us, sum),
            prefill_percent: percent(self.prefill_us, sum),
        }
    }
}

/// A property in words, as a row of a table and as the end of a sentence about its requests, with the shares of both sides.
struct Property {
    what: String,
    said: String,
    shares: [f64; 2],
}

impl Property {
    fn points(&self) -> f64 {
        self.shares[0] - self.shares[1]
    }

    fn is_further(&self, than: &Self) -> bool {
        self.points().abs() > than.points().abs()
    }
}

/// Both sides.
struct Sides<'a> {
    these: &'a Side,
    rest: &'a Side,
}

impl Sides<'_> {
    /// A property that these of all requests have.
    fn of_all(&self, has: impl Fn(&Side) -> u64, [what, said]: [String; 2]) -> Property {
        let share = |side: &Side| percent(has(side), side.count).unwrap_or(0.0);
        Property { what, said, shares: [share(self.these), share(self.rest)] }
    }

    /// The place in a list whose shares differ most.
    fn of_list(
        &self,
        list: impl Fn(&Side) -> &Vec<u64>,
        words: impl Fn(usize) -> [String; 2],
    ) -> Option<Property> {
        let places = list(self.these).len().max(list(self.rest).len());
        let of = |place: usize| self.of_all(|side| list(side).get(place).copied().unwrap_or(0), words(place));
        furthest((0..places).map(of))
    }

    /// The property of each kind whose shares differ most, the furthest first.
    fn properties(&self, session: &Session) -> Vec<Property> {
        let source = session.engine().source();
        let name = |names: &[String], place: usize| names.get(place).cloned().unwrap_or_default();
        let of = |kind: &str, name: String| [format!("{kind} {name}"), format!("are of {kind} {name}")];
        let shares = |k: usize| SHARES[k];
        let cached = (0..SHARES.len()).map(|k| {
            let words = [
                format!("found cached ≥ {} %", shares(k)),
                format!("found {} % or more of the prompt cached", shares(k)),
            ];
            self.of_all(move |side| side.cached[k], words)
        });
        let longer = (0..LENGTHS.len()).map(|k| {
            let tokens = number_text::count(LENGTHS[k].into());
            let words = [format!("prompt > {tokens}"), format!("have a prompt of more than {tokens} tokens")];
            self.of_all(move |side| side.longer[k], words)
        });
        let preempted = ["preempted", "were preempted"].map(str::to_owned);
        let found = [
            self.of_list(|side| &side.by_replica, |r| [format!("on r{r}"), format!("are on r{r}")]),
            self.seen(),
            furthest(cached),
            self.of_list(|side| &side.by_class, |c| of("class", name(source.classes(), c))),
            self.of_list(|side| &side.by_client, |c| of("client", name(source.clients(), c))),
            furthest(longer),
            Some(self.of_all(|side| side.preempted, preempted)),
        ];
        let mut found: Vec<Property> = found.into_iter().flatten().collect();
        found.retain(|p| p.points().abs() >= LEAST_POINTS);
        found.sort_by(|a, b| b.points().abs().total_cmp(&a.points().abs()));
        found
    }

    /// What the router believed cached, of the requests whose decision is kept.
    fn seen(&self) -> Option<Property> {
        let (known, rest) = (self.these.seen.0, self.rest.seen.0);
        let of = |k: usize| {
            let share = |side: &Side| percent(side.seen.1[k], side.seen.0).unwrap_or(0.0);
            let words = [
                format!("seen cached ≥ {} %", SHARES[k]),
                format!("went where the router saw {} % or more of the prompt cached", SHARES[k]),
            ];
            let [what, said] = words;
            Property { what, said, shares: [share(self.these), share(self.rest)] }
        };
        furthest((0..SHARES.len()).map(of)).filter(|_| known > 0 && rest > 0)
    }
}

/// The one whose shares differ most; of equal ones the first.
fn furthest(all: impl Iterator<Item = Property>) -> Option<Property> {
    all.fold(None, |best: Option<Property>, next| match best {
        Some(best) if !next.is_further(&best) => Some(best),
        Some(_) | None => Some(next),
    })
}

fn whole(share: f64) -> String {
    format!("{}\u{a0}%", fixed(share, 0))
}

/// What sets a selection apart, in one or two sentences.
fn sentence(these: &SelectionSide, rest: &SelectionSide, apart: &[Property]) -> String {
    if these.count == 0 {
        return "No request is selected.".to_owned();
    }
    if rest.count == 0 {
        return "These are all requests of the measurement window.".to_owned();
    }
    let furthest = match apart.first() {
        Some(p) => {
            format!("{} of them {}, against {} of the rest.", whole(p.shares[0]), p.said, whole(p.shares[1]))
        }
        None => "No property sets them apart from the rest.".to_owned(),
    };
    let waited = these.queue_percent.zip(rest.queue_percent).map_or_else(String::new, |(queue, other)| {
        format!(
            " Waiting took {} of their TTFT up to the first token, against {}.",
            whole(queue),
            whole(other)
        )
    });
    furthest + &waited
}

impl Session {
    /// What sets the requests of a filter apart.
    pub fn selection_summary(&self, filter: &RequestFilter) -> SelectionSummary {
        let (mut these, mut rest) = (Side::default(), Side::default());
        let believed = self.recorder.decisions.believed_cached();
        for (i, r) in (0..).zip(self.engine.records()) {
            let id = RequestId(i);
            let inside = self.is_in(filter, id, &r);
            if inside || self.recorder.warmup().counts(id, r.arrival) {
                let share = believed.get(&i).copied();
                if inside { &mut these } else { &mut rest }.add(self, id, &r, share);
            }
        }
        let (figures, others) = (these.figures(), rest.figures());
        let apart = if these.count > 0 && rest.count > 0 {
            Sides { these: &these, rest: &rest }.properties(self)
        } else {
            Vec::new()
        };
        SelectionSummary {
            sentence: sentence(&figures, &others, &apart),
            these: figures,
            rest: others,
            apart: apart
                .into_iter()
                .map(|p| Apart { what: p.what, these: p.shares[0], rest: p.shares[1] })
                .collect(),
            slowest: these.slowest.map(|(_, request)| request),
        }
    }
}
