//! The order in which a replica admits waiting requests.

use crate::limits;
use crate::table::fields::fields;

/// Order of a replica's wait queue.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheduler {
    /// First come, first served; a preempted request goes first.
    #[default]
    Fcfs,
    /// Highest priority first; among equals, first come, first served.
    PriorityFcfs,
    /// Shortest prompt first.
    Sjf,
    /// Lowest priority first: a deliberately bad policy, to see what inversion does.
    ReversePriority,
}

fields! {
    names Scheduler { Fcfs "fcfs" PriorityFcfs "priority-fcfs" Sjf "sjf" ReversePriority "reverse-priority" }
}

/// Who makes room for a running request that finds no block: of the requests that the step has not served yet, itself included. Of equals the latest to join.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PreemptionVictim {
    /// The latest to join the batch.
    #[default]
    Latest,
    /// The least urgent by the priority of the pool, whatever orders the queue.
    LowestPriority,
    /// The one with the fewest tokens to compute again.
    CheapestToRecompute,
}

fields! {
    names PreemptionVictim {
        Latest "latest" LowestPriority "lowest-priority" CheapestToRecompute "cheapest-to-recompute"
    }
}

/// Priority of a waiting request; only priority schedulers read it.
#[apply(choice_schema!)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PriorityPolicy {
    /// The same for all requests.
    #[default]
    Constant,
    /// Grows with age: the longest waiting first.
    SloBased,
    /// Falls with age: the latest arrival first. A deliberately bad policy.
    InvertedSlo,
    /// By SLO class.
    SloClass(ClassScores),
    /// By tenant.
    TenantPriority(TenantScores),
    /// The earliest deadline first: arrival plus the time its SLO class allows.
    DeadlineAware(ClassDeadlines),
    /// The request's own, as its client says: `priority` of the client or of the request; larger goes first.
    Request,
}

fields! {
    choice PriorityPolicy [Constant "constant" SloBased "slo-based" InvertedSlo "inverted-slo" Request "request"] {
        SloClass "slo-class" TenantPriority "tenant-priority" DeadlineAware "deadline-aware"
    }
}

/// Priority of each SLO class; higher goes first.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassScores {
    /// Priority of class critical.
    pub critical: i32,
    /// Priority of class standard, and of requests without a class.
    pub standard: i32,
    /// Priority of class sheddable.
    pub sheddable: i32,
    /// Priority of class batch.
    pub batch: i32,
    /// Priority of class background.
    pub background: i32,
}

fields! {
    struct ClassScores {
        critical: "Critical" => QueueJoin;
        standard: "Standard" => QueueJoin;
        sheddable: "Sheddable" => QueueJoin;
        batch: "Batch" => QueueJoin;
        background: "Background" => QueueJoin;
    }
}

impl Default for ClassScores {
    fn default() -> Self {
        Self { critical: 100, standard: 50, sheddable: 30, batch: 10, background: 0 }
    }
}

impl ClassScores {
    /// The priority of a class by name.
    pub fn of(&self, class: &str) -> i32 {
        match class {
            "critical" => self.critical,
            "sheddable" => self.sheddable,
            "batch" => self.batch,
            "background" => self.background,
            _ => self.standard,
        }
    }
}

/// Time that each SLO class allows from arrival to first token, in milliseconds.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassDeadlines {
    /// Milliseconds for class critical.
    pub critical_ms: u32,
    /// Milliseconds for class standard, and for requests without a class.
    pub standard_ms: u32,
    /// Milliseconds for class sheddable.
    pub sheddable_ms: u32,
    /// Milliseconds for class batch.
    pub batch_ms: u32,
    /// Milliseconds for class background.
    pub background_ms: u32,
}

fields! {
    struct ClassDeadlines {
        critical_ms: "Critical" of "ms" => QueueJoin;
        standard_ms: "Standard" of "ms" => QueueJoin;
        sheddable_ms: "Sheddable" of "ms" => QueueJoin;
        batch_ms: "Batch" of "ms" => QueueJoin;
        background_ms: "Background" of "ms" => QueueJoin;
    }
}

impl Default for ClassDeadlines {
    fn default() -> Self {
        Self {
            critical_ms: 500,
            standard_ms: 1000,
            sheddable_ms: 5000,
            batch_ms: 60_000,
            background_ms: 600_000,
        }
    }
}

impl ClassDeadlines {
    /// The allowance of a class by name.
    pub fn of(&self, class: &str) -> u32 {
        match class {
            "critical" => self.critical_ms,
            "sheddable" => self.sheddable_ms,
            "batch" => self.batch_ms,
            "background" => self.background_ms,
            _ => self.standard_ms,
        }
    }
}

/// Priority of tenants; higher goes first.
#[apply(field_schema!)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TenantScores {
    /// Priority of tenants by name.
    pub tenants: Vec<TenantScore>,
    /// Priority of all other tenants.
    pub others: i32,
}

fields! {
    struct TenantScores {
        tenants: "Tenants" up_to [limits::CLIENTS, "tenants", "tenant"] => QueueJoin;
        others: "Others" => QueueJoin;
    }
}

/// Priority of one tenant.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TenantScore {
    /// Name of the tenant.
    pub tenant: String,
    /// Its priority; higher goes first.
    pub priority: i32,
}

fields! {
    entry TenantScore {
        tenant: "Tenant" => QueueJoin;
        priority: "Priority" => QueueJoin;
    }
}
