//! Anomalies in words.

use super::kind::UrgentBy;
use super::{Anomaly, AnomalyKind};
use base::number_text::{count, duration};
use base::small::decimal::fixed;

impl Anomaly {
    /// What happened to a band of the gateway's queue.
    fn of_band(&self, lasting: &str) -> String {
        format!(
            "Requests waited in band {} of the gateway's queue {lasting} and none went on, while {} of other bands did; the first was #{}.",
            self.owner(),
            count(self.figure),
            self.proofs.first().map_or(0, |p| p.request.0)
        )
    }

    /// Prompts that were computed and found no room at their home.
    fn of_full_pool(&self, lasting: &str) -> String {
        format!(
            "Up to {} prompts that were computed waited for room on r{} {lasting}, while prefill replicas held their blocks; the first was #{}.",
            count(self.figure),
            self.replica,
            self.proofs.first().map_or(0, |p| p.request.0)
        )
    }

    /// Transfers that shared the ports of a replica.
    fn of_port(&self, lasting: &str) -> String {
        format!(
            "Transfers shared the ports {} r{} {lasting}, up to {} at once.",
            self.owner(),
            self.replica,
            count(self.figure)
        )
    }

    /// Retries that were a large part of the load.
    fn of_retries(&self, lasting: &str) -> String {
        format!(
            "At least a third of the attempts were retries {lasting}, {} of them; the first that are named begin at #{}.",
            count(self.figure),
            self.proofs.first().map_or(0, |p| p.request.0)
        )
    }

    /// Goodput that stayed down.
    fn of_recovery(&self, lasting: &str) -> String {
        format!(
            "Goodput was not back to 95 % of what it was before a fault ({}) {lasting}, counted from its end.",
            self.owner()
        )
    }

    /// A less urgent request that went first.
    fn of_inversion(&self) -> String {
        let (r, request) = (self.replica, |i: usize| self.proofs.get(i).map_or(0, |p| p.request.0));
        let waited = match self.end {
            Some(end) => format!("waited {}", duration(end.since(self.start).0)),
            None => "still waits".to_owned(),
        };
        let first = request(1);
        let who = match self.figure {
            0 | 1 => format!("#{first}"),
            n => format!("{n} requests from #{first} on"),
        };
        format!(
            "#{} {waited} while {who}, less urgent by {}, went first on r{r}.",
            request(0),
            self.measure.unwrap_or(UrgentBy::None).words(),
        )
    }

    /// What happened, in one sentence.
    pub fn sentence(&self) -> String {
        let r = self.replica;
        let request = |i: usize| self.proofs.get(i).map_or(0, |p| p.request.0);
        let lasting = match self.end {
            Some(end) => format!("for {}", duration(end.since(self.start).0)),
            None => "and still does".to_owned(),
        };
        match self.kind {
            AnomalyKind::PriorityInversion => self.of_inversion(),
            AnomalyKind::HeadOfLineBlocking => format!(
                "#{} at the head of r{r}'s queue waited for KV blocks {lasting} while #{} behind it would have fitted.",
                request(0),
                request(1)
            ),
            AnomalyKind::KvThrashing => format!(
                "KV blocks on r{r} came back and were lost again, or went and came back, {} times, first those of #{}.",
                self.figure,
                request(0)
            ),
            AnomalyKind::Livelock => format!(
                "{} preemptions on r{r} {lasting}, and nothing finished between them; the thousandth was #{}'s.",
                count(self.figure),
                self.proofs.last().map_or(0, |p| p.request.0)
            ),
            AnomalyKind::LoadImbalance => format!(
                "Requests were spread unevenly {lasting}, most of them on r{r}: coefficient of variation up to {}.",
                fixed(self.figure as f64 / 1000.0, 2)
            ),
            AnomalyKind::Oscillation => format!(
                "The autoscaler of pool {} changed the number of replicas and soon took it back, {} in {}.",
                self.owner(),
                if self.figure == 1 { "once".to_owned() } else { format!("{} times", self.figure) },
                duration(self.end.map_or(0, |end| end.since(self.start).0)),
            ),
            AnomalyKind::CapacityNeverReached => {
                let what = match self.end {
                    Some(end) => format!(
                        "did not get {} of the replicas that it wanted within {}",
                        self.figure,
                        duration(end.since(self.start).0)
                    ),
                    None => format!("waits for {} replicas that find no room", self.figure),
                };
                format!("The autoscaler of pool {} {what}.", self.owner())
            }
            AnomalyKind::TunerLockedOut => format!(
                "The autoscaler of pool {} rejected all that it measured in {} cycles one after the other {lasting}, and learnt nothing from them.",
                self.owner(),
                self.figure
            ),
            AnomalyKind::StarvedBand => self.of_band(&lasting),
            AnomalyKind::DecodePoolFull => self.of_full_pool(&lasting),
            AnomalyKind::PortSaturated => self.of_port(&lasting),
            AnomalyKind::RetryStorm => self.of_retries(&lasting),
            AnomalyKind::UnavailablePool => {
                format!(
                    "No replica of pool {} served {lasting}: the last one, r{r}, went down.",
                    self.owner()
                )
            }
            AnomalyKind::SlowRecovery => self.of_recovery(&lasting),
        }
    }
}
