//! Faults: what breaks during a run. A fault is an edit: it stands in `edits` with its instant, so that it can be moved, switched
//! off and sent in a link.

pub(crate) mod random_faults;

use crate::limits;
use crate::table::fields::fields;
use base::small::decimal::plain;

/// Something that breaks.
#[apply(choice_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// A replica crashes: its step, its requests and its cache are lost.
    Crash(Crash),
    /// A replica is restarted on purpose: it gets no new requests, goes on with those that it has, and comes back with an empty cache.
    Restart(Restart),
    /// A replica is slow: steps that begin meanwhile take longer.
    Slow(Slow),
    /// A replica is stuck: its running step ends later, and none begins. Requests that come to it wait.
    Stuck(Stuck),
    /// The gateway sees a replica, or all of them, late: queues, batches and caches as they were a while ago.
    Signals(LateSignals),
    /// The gateway cannot reach a replica: new requests for it break, and what it sees of it stays as it is. What runs goes on.
    Unreachable(Unreachable),
    /// The network ports of a replica carry less: transfers of KV from it and to it take longer.
    TransferLink(TransferLink),
    /// A store of KV is down: nothing is found in it, reads of it fail, and what is being written to it is lost.
    KvStore(KvStoreDown),
}

fields! {
    choice Fault [] {
        Crash "crash"
        Restart "restart"
        Slow "slow"
        Stuck "stuck"
        Signals "signals"
        Unreachable "unreachable"
        TransferLink "transfer-link"
        KvStore "kv-store"
    }
}

/// Which replica of a pool a fault is about.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pick {
    /// The lowest number of those that serve.
    #[default]
    Lowest,
    /// Any of those that serve, drawn at random.
    Random,
}

fields! {
    names Pick { Lowest "lowest" Random "random" }
}

/// The replica that a fault is about: one by its number, or one of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim<'a> {
    /// That number.
    Replica(u32),
    /// One of the pool of this name.
    Pool(&'a str, Pick),
    /// All there are.
    All,
    /// No replica: the store of this name.
    Store(&'a str),
}

/// The crash of a replica.
#[apply(field_schema!)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Crash {
    /// Number of the replica: those of the first pool come first, those started later last. Name either the replica or a pool.
    pub replica: Option<u32>,
    /// Name of the pool that loses a replica.
    pub pool: Option<String>,
    /// Which replica of the pool.
    pub pick: Pick,
    /// Time from the crash until the replica serves again, with an empty cache: 28 s hot to 480 s cold. 0 means never.
    pub restart_s: f64,
}

fields! {
    struct Crash {
        replica [omit]: "Replica" => Fault;
        pool [omit]: "Pool" => Fault;
        pick: "Which" => Fault;
        restart_s: "Back after" of "s" in [0.0, limits::HORIZON_S] or "0 means never" => Fault;
    }
}

/// A planned restart of a replica, as an upgrade does it.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct Restart {
    /// Number of the replica: those of the first pool come first, those started later last. Name either the replica or a pool.
    pub replica: Option<u32>,
    /// Name of the pool of which a replica is restarted.
    pub pool: Option<String>,
    /// Which replica of the pool.
    pub pick: Pick,
    /// Longest time for the requests that it has. What is left then breaks, as in a crash. 0 means as long as they take. 30 is what Kubernetes gives.
    pub drain_s: f64,
    /// Time from there until the replica serves again, with an empty cache: 28 s hot to 480 s cold. 0 means never.
    pub restart_s: f64,
}

fields! {
    struct Restart {
        replica [omit]: "Replica" => Fault;
        pool [omit]: "Pool" => Fault;
        pick: "Which" => Fault;
        drain_s: "Drains for" of "s" in [0.0, limits::HORIZON_S] or "0 means as long as its requests take" => Fault;
        restart_s: "Back after" of "s" in [0.0, limits::HORIZON_S] or "0 means never" => Fault;
    }
}

impl Default for Restart {
    fn default() -> Self {
        Self { replica: None, pool: None, pick: Pick::Lowest, drain_s: 30.0, restart_s: 0.0 }
    }
}

/// A replica that is slow for a while.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct Slow {
    /// Number of the replica: those of the first pool come first, those started later last. Name either the replica or a pool.
    pub replica: Option<u32>,
    /// Name of the pool that has the slow replica.
    pub pool: Option<String>,
    /// Which replica of the pool.
    pub pick: Pick,
    /// How many times as long a step takes. Factors of faults at the same time multiply.
    pub factor: f64,
    /// How long it lasts. 0 means until the end of the run.
    pub for_s: f64,
}

fields! {
    struct Slow {
        replica [omit]: "Replica" => Fault;
        pool [omit]: "Pool" => Fault;
        pick: "Which" => Fault;
        factor: "Factor" of "×" in [1.0, limits::SLOW_FACTOR] or "2 is half as fast" => Fault;
        for_s: "For" of "s" in [0.0, limits::HORIZON_S] or "0 means until the end of the run" => Fault;
    }
}

impl Default for Slow {
    fn default() -> Self {
        Self { replica: None, pool: None, pick: Pick::Lowest, factor: 2.0, for_s: 0.0 }
    }
}

/// A replica that is stuck for a while.
#[apply(field_schema!)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stuck {
    /// Number of the replica: those of the first pool come first, those started later last. Name either the replica or a pool.
    pub replica: Option<u32>,
    /// Name of the pool that has the stuck replica.
    pub pool: Option<String>,
    /// Which replica of the pool.
    pub pick: Pick,
    /// How long it lasts. 0 means until the end of the run.
    pub for_s: f64,
}

fields! {
    struct Stuck {
        replica [omit]: "Replica" => Fault;
        pool [omit]: "Pool" => Fault;
        pick: "Which" => Fault;
        for_s: "For" of "s" in [0.0, limits::HORIZON_S] or "0 means until the end of the run" => Fault;
    }
}

/// Signals of a replica that reach the gateway late for a while.
#[apply(field_schema!)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LateSignals {
    /// Number of the replica: those of the first pool come first, those started later last. Without a replica and a pool the signals of all replicas are late.
    pub replica: Option<u32>,
    /// Name of the pool that has the replica.
    pub pool: Option<String>,
    /// Which replica of the pool.
    pub pick: Pick,
    /// How much older the gateway's picture is. 0 means without end: it stays as it is. Requests in flight are counted at the gateway and are always current.
    pub delay_us: u64,
    /// How long it lasts. 0 means until the end of the run.
    pub for_s: f64,
}

fields! {
    struct LateSignals {
        replica [omit]: "Replica" => Fault;
        pool [omit]: "Pool" => Fault;
        pick: "Which" => Fault;
        delay_us: "Late by" of "µs" in [0, limits::LATENCY_US]
            or "it is in microseconds; 0 means that nothing new comes" and { "x-form": ["ms", 1000] } => Fault;
        for_s: "For" of "s" in [0.0, limits::HORIZON_S] or "0 means until the end of the run" => Fault;
    }
}

/// A replica that the gateway cannot reach for a while.
#[apply(field_schema!)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unreachable {
    /// Number of the replica: those of the first pool come first, those started later last. Name either the replica or a pool.
    pub replica: Option<u32>,
    /// Name of the pool that has the replica.
    pub pool: Option<String>,
    /// Which replica of the pool.
    pub pick: Pick,
    /// How long it lasts. 0 means until the end of the run.
    pub for_s: f64,
}

fields! {
    struct Unreachable {
        replica [omit]: "Replica" => Fault;
        pool [omit]: "Pool" => Fault;
        pick: "Which" => Fault;
        for_s: "For" of "s" in [0.0, limits::HORIZON_S] or "0 means until the end of the run" => Fault;
    }
}

/// Network ports of a replica that carry less for a while.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct TransferLink {
    /// Number of the replica: those of the first pool come first, those started later last. Name either the replica or a pool.
    pub replica: Option<u32>,
    /// Name of the pool that has the replica.
    pub pool: Option<String>,
    /// Which replica of the pool.
    pub pick: Pick,
    /// Share of their bytes per second that its ports carry. With 0 transfers stand still. Shares of faults at the same time multiply.
    pub share: f64,
    /// How long it lasts. 0 means until the end of the run.
    pub for_s: f64,
}

fields! {
    struct TransferLink {
        replica [omit]: "Replica" => Fault;
        pool [omit]: "Pool" => Fault;
        pick: "Which" => Fault;
        share: "Share" in [0.0, 1.0] or "0.5 is half as fast, 0 carries nothing" => Fault;
        for_s: "For" of "s" in [0.0, limits::HORIZON_S] or "0 means until the end of the run" => Fault;
    }
}

impl Default for TransferLink {
    fn default() -> Self {
        Self { replica: None, pool: None, pick: Pick::Lowest, share: 0.5, for_s: 0.0 }
    }
}

/// A store of KV that is down for a while.
#[apply(field_schema!)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KvStoreDown {
    /// Name of the store, one of `cluster.kv_stores`.
    pub name: String,
    /// How long it lasts. 0 means until the end of the run.
    pub for_s: f64,
}

fields! {
    struct KvStoreDown {
        name: "Store" => Fault;
        for_s: "For" of "s" in [0.0, limits::HORIZON_S] or "0 means until the end of the run" => Fault;
    }
}

impl Fault {
    /// Its name in documents, reports and on the timeline.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Crash(_) => "crash",
            Self::Restart(_) => "restart",
            Self::Slow(_) => "slow",
            Self::Stuck(_) => "stuck",
            Self::Signals(_) => "signals",
            Self::Unreachable(_) => "unreachable",
            Self::TransferLink(_) => "transfer-link",
            Self::KvStore(_) => "kv-store",
        }
    }

    /// Which replica it names: its number, its pool and which of that pool.
    fn named(&self) -> (Option<u32>, Option<&str>, Pick) {
        match self {
            Self::Crash(s) => (s.replica, s.pool.as_deref(), s.pick),
            Self::Restart(s) => (s.replica, s.pool.as_deref(), s.pick),
            Self::Slow(s) => (s.replica, s.pool.as_deref(), s.pick),
            Self::Stuck(s) => (s.replica, s.pool.as_deref(), s.pick),
            Self::Signals(s) => (s.replica, s.pool.as_deref(), s.pick),
            Self::Unreachable(s) => (s.replica, s.pool.as_deref(), s.pick),
            Self::TransferLink(s) => (s.replica, s.pool.as_deref(), s.pick),
            Self::KvStore(_) => (None, None, Pick::Lowest),
        }
    }

    /// The replica that it is about; `None` if it names none, or two ways.
    pub fn aim(&self) -> Option<Aim<'_>> {
        if let Self::KvStore(s) = self {
            return Some(Aim::Store(&s.name));
        }
        match self.named() {
            (Some(replica), None, _) => Some(Aim::Replica(replica)),
            (None, Some(pool), pick) => Some(Aim::Pool(pool, pick)),
            (None, None, _) if matches!(self, Self::Signals(_)) => Some(Aim::All),
            (Some(_), Some(_), _) | (None, None, _) => None,
        }
    }

    /// How long it lasts, in seconds; 0 means until the end of the run.
    pub fn lasts_s(&self) -> f64 {
        match self {
            Self::Crash(s) => s.restart_s,
            Self::Restart(s) => s.restart_s,
            Self::Slow(s) => s.for_s,
            Self::Stuck(s) => s.for_s,
            Self::Signals(s) => s.for_s,
            Self::Unreachable(s) => s.for_s,
            Self::TransferLink(s) => s.for_s,
            Self::KvStore(s) => s.for_s,
        }
    }

    /// The setting that says how long it lasts.
    pub(crate) fn lasts_s_mut(&mut self) -> &mut f64 {
        match self {
            Self::Crash(s) => &mut s.restart_s,
            Self::Restart(s) => &mut s.restart_s,
            Self::Slow(s) => &mut s.for_s,
            Self::Stuck(s) => &mut s.for_s,
            Self::Signals(s) => &mut s.for_s,
            Self::Unreachable(s) => &mut s.for_s,
            Self::TransferLink(s) => &mut s.for_s,
            Self::KvStore(s) => &mut s.for_s,
        }
    }

    /// It in a few words, such as `crash r1, back after 30 s`.
    pub fn label(&self) -> String {
        let aim = match self.aim() {
            Some(Aim::Replica(number)) => format!(" r{number}"),
            Some(Aim::Pool(pool, Pick::Lowest)) => format!(" {pool}"),
            Some(Aim::Pool(pool, Pick::Random)) => format!(" any of {pool}"),
            Some(Aim::All) => " of all replicas".to_owned(),
            Some(Aim::Store(name)) => format!(" {name}"),
            None => String::new(),
        };
        let times = match self {
            Self::Slow(s) => format!(" ×{}", plain(s.factor)),
            Self::TransferLink(s) => format!(" ×{}", plain(s.share)),
            Self::Signals(s) if s.delay_us == 0 => " frozen".to_owned(),
            Self::Signals(s) => format!(" {} ms late", plain(s.delay_us as f64 / 1000.0)),
            Self::Crash(_) | Self::Restart(_) | Self::Stuck(_) | Self::Unreachable(_) | Self::KvStore(_) => {
                String::new()
            }
        };
        let more = match self {
            Self::Crash(s) if s.restart_s > 0.0 => format!(", back after {} s", plain(s.restart_s)),
            Self::Restart(s) if s.restart_s > 0.0 => format!(", back after {} s", plain(s.restart_s)),
            Self::Slow(_)
            | Self::Stuck(_)
            | Self::Signals(_)
            | Self::Unreachable(_)
            | Self::TransferLink(_)
            | Self::KvStore(_)
                if self.lasts_s() > 0.0 =>
            {
                format!(" for {} s", plain(self.lasts_s()))
            }
            Self::Crash(_)
            | Self::Restart(_)
            | Self::Slow(_)
            | Self::Stuck(_)
            | Self::Signals(_)
            | Self::Unreachable(_)
            | Self::TransferLink(_)
            | Self::KvStore(_) => String::new(),
        };
        format!("{}{aim}{times}{more}", self.name())
    }
}
