//! What the run shows at an instant, in words: a statement for a reader who sees the page for the first time.
//!
//! A statement is about the frame beside it and says nothing that the frame does not show; where nothing stands out, it has its
//! first part alone.

use super::{AnomalyKind, Frame, LifePhase, Mark, ReplicaFrame, Statement};
use document::{Cluster, Role, RoutingPolicy};
use engine::FaultKind;

/// A replica falls behind if this many of its requests wait, and twice as many as at any other.
const FALLEN_BEHIND: u32 = 4;

/// Requests of the window from which on the objective of TTFT is judged.
const ENOUGH: u64 = 100;

/// The statement about a frame of a run of `cluster`.
pub(super) fn in_words(frame: &Frame, cluster: &Cluster) -> Statement {
    let sight = Sight::of(frame);
    if !frame.trouble.is_empty() {
        return Statement::default();
    }
    if sight.serving.is_empty() {
        return Statement { cluster: "no replica serves".to_owned(), seen: none_serves(frame, &sight) };
    }
    Statement { cluster: dealt(cluster, &sight), seen: sight.seen(frame) }
}

/// The replicas of a frame by what they do.
struct Sight<'a> {
    /// Those that get requests.
    serving: Vec<&'a ReplicaFrame>,
    /// Those in each phase of life.
    phases: Phases,
}

/// Replicas that do not get requests, by their phase of life.
#[derive(Default)]
struct Phases {
    down: Vec<u32>,
    ejected: Vec<u32>,
    starting: Vec<u32>,
    draining: Vec<u32>,
}

impl<'a> Sight<'a> {
    fn of(frame: &'a Frame) -> Self {
        let mut sight = Self { serving: Vec::new(), phases: Phases::default() };
        for replica in &frame.replicas {
            let of_phase = match replica.life.map(|life| life.phase) {
                Some(LifePhase::Down) => &mut sight.phases.down,
                Some(LifePhase::Ejected) => &mut sight.phases.ejected,
                Some(LifePhase::Starting) => &mut sight.phases.starting,
                Some(LifePhase::Draining) => &mut sight.phases.draining,
                None | Some(_) => {
                    if replica.serving {
                        sight.serving.push(replica);
                    }
                    continue;
                }
            };
            of_phase.push(replica.id);
        }
        sight
    }

    /// What stands out most; empty if nothing does.
    fn seen(&self, frame: &Frame) -> String {
        if frame.finished {
            return "the run is over".to_owned();
        }
        if frame.counts.arrived == 0 {
            return "no request has arrived yet".to_owned();
        }
        let broken = || named(&self.phases.down, "down").or_else(|| named(&self.phases.ejected, "ejected"));
        broken()
            .or_else(|| self.behind())
            .or_else(|| self.faulty())
            .or_else(|| self.going_round(frame))
            .or_else(|| self.queues(frame))
            .or_else(|| self.changing())
            .or_else(|| in_time(frame))
            .unwrap_or_default()
    }

    /// A replica with far more waiting requests than any other.
    fn behind(&self) -> Option<String> {
        let last = self.serving.iter().max_by_key(|replica| replica.waiting)?;
        let others = self.serving.iter().filter(|replica| replica.id != last.id);
        let most = others.map(|replica| replica.waiting).max()?;
        let slow = last.faults.iter().any(|fault| fault.kind == FaultKind::Slow.name());
        let word = if slow { "slow " } else { "" };
        (last.waiting >= FALLEN_BEHIND && last.waiting >= 2 * most)
            .then(|| format!("{word}r{} falls behind", last.id))
    }

    /// Replicas with the worst fault that any has.
    fn faulty(&self) -> Option<String> {
        FaultKind::WORST_FIRST.iter().find_map(|kind| {
            let has = |replica: &&&ReplicaFrame| replica.faults.iter().any(|fault| fault.kind == kind.name());
            let ids: Vec<u32> = self.serving.iter().filter(has).map(|replica| replica.id).collect();
            named(&ids, kind.words().state)
        })
    }

    /// A replica that preempts requests and finishes none.
    fn going_round(&self, frame: &Frame) -> Option<String> {
        let lasts = frame
            .anomalies
            .iter()
            .find(|mark| mark.kind == AnomalyKind::Livelock && mark.end_us.is_none())?;
        let serves = self.serving.iter().any(|replica| replica.id == lasts.replica);
        serves.then(|| format!("r{} preempts requests and finishes none", lasts.replica))
    }

    /// Queues at every replica, or at the gateway.
    fn queues(&self, frame: &Frame) -> Option<String> {
        let at_gateway: u32 =
            frame.gateway.iter().flat_map(|gateway| &gateway.bands).map(|band| band.waiting).sum();
        if self.serving.iter().all(|replica| replica.waiting > 1) {
            let who = if self.serving.len() == 1 { "it has" } else { "all of them have" };
            return Some(format!("{who} a queue"));
        }
        (at_gateway > 1).then(|| "requests queue at the gateway".to_owned())
    }

    /// Replicas that come and go.
    fn changing(&self) -> Option<String> {
        named(&self.phases.starting, "starting").or_else(|| named(&self.phases.draining, "draining"))
    }
}

/// What waits while no replica serves.
fn none_serves(frame: &Frame, sight: &Sight) -> String {
    let counts = &frame.counts;
    if counts.held + counts.waiting > 0 {
        return "requests wait".to_owned();
    }
    let phases = &sight.phases;
    named(&phases.starting, "starting").or_else(|| named(&phases.down, "down")).unwrap_or_default()
}

/// How first tokens of the window compare with their objective.
fn in_time(frame: &Frame) -> Option<String> {
    let key = &frame.key;
    if key.slo_ttft_us <= 0.0 || key.ttft.count < ENOUGH {
        return None;
    }
    let text = match key.ttft_mark {
        Mark::None => "first tokens come in time",
        Mark::Risk => return None,
        Mark::Miss => "the slowest first tokens come too late",
    };
    Some(text.to_owned())
}

/// How requests get to the replicas that serve.
fn dealt(cluster: &Cluster, sight: &Sight) -> String {
    if cluster.pools.iter().any(|pool| pool.role != Role::Mixed) {
        return by_role(cluster, sight);
    }
    let count = sight.serving.len();
    if count == 1 {
        return format!("r{} gets every request", sight.serving[0].id);
    }
    let n = counted(count);
    let fresh = cluster.snapshot_refresh_us == 0;
    let load = |best: &str| {
        if fresh {
            format!("requests go to the {best} of {n} replicas")
        } else {
            format!("requests go to the one of {n} replicas that looked {best}")
        }
    };
    match &cluster.routing {
        RoutingPolicy::RoundRobin => format!("{n} replicas take turns"),
        RoutingPolicy::Random => at_random(&n),
        RoutingPolicy::PowerOfD(settings) if settings.d <= 1 => at_random(&n),
        RoutingPolicy::LeastLoaded => load("least loaded"),
        RoutingPolicy::AlwaysBusiest => load("most loaded"),
        RoutingPolicy::PowerOfD(settings) if settings.d as usize >= count => load("least loaded"),
        RoutingPolicy::PowerOfD(settings) => {
            format!(
                "requests go to the least loaded of {} replicas drawn from {n}",
                counted(settings.d as usize)
            )
        }
        RoutingPolicy::LeastKv => format!("requests go to the one of {n} replicas with the least KV in use"),
        RoutingPolicy::PrefixAware(_)
        | RoutingPolicy::PrefixOverlap(_)
        | RoutingPolicy::KvCost(_)
        | RoutingPolicy::CacheAware(_) => {
            format!("the router weighs cached prefixes against load on {n} replicas")
        }
        RoutingPolicy::SessionAffinity(_) => format!("sessions keep to one of {n} replicas"),
        RoutingPolicy::CostEscalation(_) => {
            format!("requests go to the one of {n} replicas with the lowest cost")
        }
        RoutingPolicy::Weighted(_) => format!("the router scores {n} replicas for each request"),
    }
}

fn at_random(n: &str) -> String {
    format!("requests go to {n} replicas at random")
}

/// How many replicas that serve have each role.
fn by_role(cluster: &Cluster, sight: &Sight) -> String {
    let with = |role: Role| {
        let has = |replica: &&&ReplicaFrame| {
            cluster.pools.iter().any(|pool| pool.name == replica.pool && pool.role == role)
        };
        sight.serving.iter().filter(has).count()
    };
    let does = |role: Role, one: &str, more: &str| match with(role) {
        0 => None,
        1 => Some(format!("one replica {one}")),
        n => Some(format!("{} replicas {more}", counted(n))),
    };
    let parts = [
        does(Role::Prefill, "prefills", "prefill"),
        does(Role::Decode, "decodes", "decode"),
        does(Role::Mixed, "does both", "do both"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match parts.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => parts.concat(),
    }
}

/// `r0 is STATE`, `r0 and r3 are STATE`, `three replicas are STATE`; none without replicas.
fn named(ids: &[u32], state: &str) -> Option<String> {
    match ids {
        [] => None,
        [one] => Some(format!("r{one} is {state}")),
        [one, other] => Some(format!("r{one} and r{other} are {state}")),
        more => Some(format!("{} replicas are {state}", counted(more.len()))),
    }
}

/// A number of things in a sentence: a word up to twelve.
fn counted(n: usize) -> String {
    const WORDS: [&str; 13] = [
        "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    WORDS.get(n).map_or_else(|| n.to_string(), |&word| word.to_owned())
}
