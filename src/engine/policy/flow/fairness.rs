//! Fairness: which flow of a band goes next.

use base::lookup::LookupMap;
use base::{Micros, math};
use document::ProgramAware;
use serde::{Deserialize, Serialize};

/// A flow with a request that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Its number.
    pub id: u32,
    /// When its next request came to the gateway's queue.
    pub since: Micros,
}

/// Round robin: the flow after `latest`, which went last, in order of number; the first after the last one.
pub fn next_in_turn(latest: Option<u32>, flows: impl Iterator<Item = u32>) -> Option<u32> {
    let mut first = None;
    for id in flows {
        if latest.is_none_or(|latest| id > latest) {
            return Some(id);
        }
        first = first.or(Some(id));
    }
    first
}

/// The service that each flow has attained, and how it fades.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Accounts {
    accounts: Vec<Account>,
    /// By flow: its place in `accounts`.
    places: LookupMap<u32, u32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Account {
    service: f64,
    /// Since when it fades while the flow has nothing to do.
    anchor: Micros,
    /// Requests that wait at the gateway or are in flight.
    busy: u32,
}

/// An account unused for this long is forgotten: an hour, as in llm-d's router.
const FORGOTTEN_AFTER_S: f64 = 3600.0;

impl Accounts {
    /// Approximate size of a copy in bytes.
    pub fn bytes(&self) -> u64 {
        48 * self.accounts.len() as u64
    }

    fn account(&mut self, flow: u32) -> &mut Account {
        let place = self.places.get(flow).unwrap_or_else(|| {
            let place = self.accounts.len() as u32;
            self.accounts.push(Account::default());
            self.places.insert(flow, place);
            place
        });
        &mut self.accounts[place as usize]
    }

    fn service(&self, flow: u32) -> f64 {
        self.places.get(flow).map_or(0.0, |place| self.accounts[place as usize].service)
    }

    /// A request of the flow joins the gateway's queue: what the flow attained fades by the time without anything to do.
    pub fn came(&mut self, s: &ProgramAware, flow: u32, now: Micros) {
        let account = self.account(flow);
        if account.busy == 0 {
            let idle_s = now.since(account.anchor).as_secs();
            if idle_s > FORGOTTEN_AFTER_S {
                account.service = 0.0;
            } else if s.half_life_s > 0.0 {
                account.service *= math::pow(0.5, idle_s / s.half_life_s);
            }
            account.anchor = now;
        }
        account.busy += 1;
    }

    /// A request of the flow has left, after that many prompt and output tokens if it completed.
    pub fn left(&mut self, s: &ProgramAware, flow: u32, served: Option<[u32; 2]>, now: Micros) {
        let account = self.account(flow);
        account.busy = account.busy.saturating_sub(1);
        if let Some([prompt, output]) = served {
            account.service += f64::from(prompt) + s.output_weight * f64::from(output);
            account.anchor = now;
        }
    }

    /// The flow with the least service, weighed against the wait of its next request; the first of equals.
    pub fn least_served(
        &self,
        s: &ProgramAware,
        now: Micros,
        flows: impl Iterator<Item = Flow> + Clone,
    ) -> Option<u32> {
        let wait = |flow: &Flow| (now.since(flow.since).0 / 1000) as f64;
        let range = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
        };
        let services = range(&mut flows.clone().map(|flow| self.service(flow.id)));
        let waits = range(&mut flows.clone().map(|flow| wait(&flow)));
        let mut best: Option<(f64, u32)> = None;
        for flow in flows {
            let little = 1.0 - placed(self.service(flow.id), services);
            let score = s.service_weight * little + s.wait_weight * placed(wait(&flow), waits);
            if best.is_none_or(|(most, _)| score > most) {
                best = Some((score, flow.id));
            }
        }
        best.map(|(_, id)| id)
    }
}

/// Where a value lies between the least, 0, and the most, 1; half way if they are equal.
fn placed(x: f64, (low, high): (f64, f64)) -> f64 {
    if high > low { (x - low) / (high - low) } else { 0.5 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_take_turns_in_order_of_number() {
        let turn = |latest, flows: &[u32]| next_in_turn(latest, flows.iter().copied());
        assert_eq!(turn(None, &[2, 5, 9]), Some(2));
        assert_eq!(turn(Some(2), &[2, 5, 9]), Some(5));
        // A flow that is gone keeps its place in the round.
        assert_eq!(turn(Some(3), &[2, 5, 9]), Some(5));
        assert_eq!(turn(Some(9), &[2, 5, 9]), Some(2));
        assert_eq!(turn(Some(9), &[]), None);
    }

    #[test]
    fn the_flow_with_least_service_goes_first_and_service_fades_while_it_has_nothing_to_do() {
        let s = ProgramAware::default();
        let at = |s: u64| Micros(s * 1_000_000);
        let mut accounts = Accounts::default();
        for flow in [1, 2] {
            accounts.came(&s, flow, at(0));
        }
        // Flow 1 attains 1,000 + 2 · 500 = 2,000, flow 2 attains 100 + 2 · 50 = 200.
        accounts.left(&s, 1, Some([1000, 500]), at(0));
        accounts.left(&s, 2, Some([100, 50]), at(0));
        let waiting = |a, b| [Flow { id: 1, since: at(a) }, Flow { id: 2, since: at(b) }].into_iter();
        // Equal waits: 0.8 · 0 + 0.2 · 0.5 = 0.1 against 0.8 + 0.1 = 0.9.
        assert_eq!(accounts.least_served(&s, at(10), waiting(5, 5)), Some(2));
        // The wait of flow 1 is worth 0.2 at most.
        assert_eq!(accounts.least_served(&s, at(10), waiting(0, 10)), Some(2));
        // Without weight of service the wait decides.
        let by_wait = ProgramAware { service_weight: 0.0, ..s.clone() };
        assert_eq!(accounts.least_served(&by_wait, at(10), waiting(0, 10)), Some(1));
        // Four half-lives take flow 1 from 2,000 to 125, which is less than the 200 of flow 2, which stayed busy.
        accounts.came(&s, 2, at(0));
        accounts.came(&s, 1, at(240));
        assert_eq!(accounts.least_served(&s, at(240), waiting(240, 240)), Some(1));
        // After more than an hour it is forgotten.
        accounts.left(&s, 1, None, at(240));
        accounts.came(&s, 1, at(4000));
        assert_eq!(accounts.account(1).service.to_bits(), 0.0_f64.to_bits());
    }

    #[test]
    fn equal_flows_go_in_order_of_number() {
        let accounts = Accounts::default();
        let flows = [7, 9].map(|id| Flow { id, since: Micros::ZERO }).into_iter();
        assert_eq!(accounts.least_served(&ProgramAware::default(), Micros(5), flows), Some(7));
    }
}
