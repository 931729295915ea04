//! The laws: their names, the clusters that they could fit, and their assumptions.

use super::observed::Observed;
use super::server::Fleet;
use serde::{Deserialize, Serialize};

/// A law of a textbook queue, or of the batch server.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// One server, classes of requests served in an order (Cobham).
    Priority,
    /// Users that wait for their answer and think before they ask again.
    ClosedLoop,
    /// One server with a limited number of places.
    Mm1k,
    /// Each request joins the shortest queue.
    ShortestQueue,
    /// Each request joins the shortest of some queues drawn at random.
    PowerOfD,
    /// Requests are sent to the servers in turn.
    RoundRobin,
    /// Several servers, one queue, constant service.
    Mdc,
    /// Several servers, one queue, exponential service.
    Mmc,
    /// One server, constant service.
    Md1,
    /// One server, exponential service.
    Mm1,
    /// One server, any service (Pollaczek and Khinchine).
    Mg1,
    /// A batch whose steps take a fixed time and a part for each request.
    BatchServer,
    /// The same with a limit of the batch, and a queue before it.
    LimitedBatch,
    /// A server that all requests share equally.
    ProcessorSharing,
    /// The batch by its means only.
    ClosedForm,
    /// Number inside = rate × time inside (Little): two of the run's own figures give the third.
    Little,
}

/// What a law assumes.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AssumptionKind {
    /// Arrivals are Poisson.
    PoissonArrivals,
    /// The rate of arrivals stays the same.
    SteadyRate,
    /// Requests do not wait for answers.
    OpenArrivals,
    /// Every user waits for the answer before the next request.
    ClosedUsers,
    /// The load is below 1.
    StableLoad,
    /// Each replica serves one request at a time.
    OneAtATime,
    /// All replicas are alike.
    AlikeReplicas,
    /// The number of replicas stays the same.
    FixedReplicas,
    /// The scenario is not edited during the run.
    NoEdits,
    /// One replica, or a random split of the requests over several.
    RandomSplit,
    /// The router is the one of the law.
    RouterOfLaw,
    /// The router sees the state of the replicas as it is.
    FreshSignals,
    /// There are many servers.
    ManyServers,
    /// One queue for all servers.
    OneQueue,
    /// Requests are served in order of arrival, or in an order that does not depend on their length.
    ServedInOrder,
    /// Requests are served by class.
    ServedByClass,
    /// No request is refused or times out.
    NobodyLost,
    /// A number of places is set.
    LimitedPlaces,
    /// All services are equal.
    ConstantService,
    /// Services are exponential.
    ExponentialService,
    /// Prompts are computed in one step each.
    WholePrompts,
    /// Prompts are short beside a step.
    ShortPrompts,
    /// Answers take many steps.
    ManySteps,
    /// The batch is never full.
    BatchNotFull,
    /// The time of a step is a straight line in the number of requests.
    StraightSteps,
    /// A step is scheduled when the one before it has ended.
    StepsInSequence,
    /// A step has no fixed part.
    NoFixedPart,
    /// Nothing is found in the prefix cache.
    NoReuse,
    /// No request is preempted.
    NoPreemption,
    /// What arrives leaves again.
    InBalance,
}

use AssumptionKind as A;

/// Assumptions of every law.
const ALWAYS: &[A] = &[
    A::SteadyRate,
    A::AlikeReplicas,
    A::FixedReplicas,
    A::NoEdits,
    A::NoReuse,
    A::NoPreemption,
    A::StepsInSequence,
];
/// Assumptions of every law of a server for one request at a time.
const SINGLE: &[A] = &[A::OneAtATime];
/// Assumptions of every law of a batch.
const BATCH: &[A] = &[
    A::PoissonArrivals,
    A::OpenArrivals,
    A::StableLoad,
    A::RandomSplit,
    A::NobodyLost,
    A::WholePrompts,
    A::ManySteps,
    A::StraightSteps,
];
/// Assumptions of every law of an unlimited open queue.
const OPEN: &[A] = &[A::PoissonArrivals, A::OpenArrivals, A::StableLoad, A::NobodyLost];

impl Law {
    /// All of them. Among laws with equally many violated assumptions the first is chosen.
    pub const ALL: [Self; 16] = [
        Self::Priority,
        Self::ClosedLoop,
        Self::Mm1k,
        Self::ShortestQueue,
        Self::PowerOfD,
        Self::RoundRobin,
        Self::Mdc,
        Self::Mmc,
        Self::Md1,
        Self::Mm1,
        Self::Mg1,
        Self::BatchServer,
        Self::ProcessorSharing,
        Self::ClosedForm,
        Self::LimitedBatch,
        Self::Little,
    ];

    /// Its name in commands and documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Priority => "priority",
            Self::ClosedLoop => "closed-loop",
            Self::Mm1k => "mm1k",
            Self::ShortestQueue => "shortest-queue",
            Self::PowerOfD => "power-of-d",
            Self::RoundRobin => "round-robin",
            Self::Mdc => "mdc",
            Self::Mmc => "mmc",
            Self::Md1 => "md1",
            Self::Mm1 => "mm1",
            Self::Mg1 => "mg1",
            Self::BatchServer => "batch-server",
            Self::LimitedBatch => "limited-batch",
            Self::ProcessorSharing => "processor-sharing",
            Self::ClosedForm => "closed-form",
            Self::Little => "little",
        }
    }

    /// Its title.
    pub fn title(self) -> &'static str {
        match self {
            Self::Priority => "M/G/1 with priorities",
            Self::ClosedLoop => "Closed loop",
            Self::Mm1k => "M/M/1/K",
            Self::ShortestQueue => "Shortest queue",
            Self::PowerOfD => "Power of d",
            Self::RoundRobin => "Round robin",
            Self::Mdc => "M/D/c",
            Self::Mmc => "M/M/c",
            Self::Md1 => "M/D/1",
            Self::Mm1 => "M/M/1",
            Self::Mg1 => "M/G/1",
            Self::BatchServer => "Batch server",
            Self::LimitedBatch => "Limited batch",
            Self::ProcessorSharing => "M/G/1-PS",
            Self::ClosedForm => "Closed form",
            Self::Little => "Little's law",
        }
    }

    /// The law of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|law| law.name() == name)
    }

    /// Its assumptions, the most important first.
    pub(super) fn assumes(self) -> Vec<AssumptionKind> {
        let own: &[&[A]] = match self {
            Self::Priority => &[SINGLE, &[A::ServedByClass, A::RandomSplit], OPEN],
            Self::ClosedLoop => {
                &[SINGLE, &[A::ClosedUsers, A::ServedInOrder, A::ExponentialService, A::RandomSplit]]
            }
            Self::Mm1k => &[
                SINGLE,
                &[A::LimitedPlaces, A::ServedInOrder, A::ExponentialService, A::RandomSplit],
                &[A::PoissonArrivals, A::OpenArrivals],
            ],
            Self::ShortestQueue => {
                &[SINGLE, &[A::RouterOfLaw, A::FreshSignals, A::ServedInOrder, A::ExponentialService], OPEN]
            }
            Self::PowerOfD => &[
                SINGLE,
                &[A::RouterOfLaw, A::ManyServers, A::FreshSignals, A::ServedInOrder, A::ExponentialService],
                OPEN,
            ],
            Self::RoundRobin => &[SINGLE, &[A::RouterOfLaw, A::ServedInOrder, A::ExponentialService], OPEN],
            Self::Mdc => &[&[A::OneQueue, A::ServedInOrder, A::ConstantService], OPEN],
            Self::Mmc => &[&[A::OneQueue, A::ServedInOrder, A::ExponentialService], OPEN],
            Self::Md1 => &[SINGLE, &[A::ServedInOrder, A::ConstantService, A::RandomSplit], OPEN],
            Self::Mm1 => &[SINGLE, &[A::ServedInOrder, A::ExponentialService, A::RandomSplit], OPEN],
            Self::Mg1 => &[SINGLE, &[A::ServedInOrder, A::RandomSplit], OPEN],
            Self::LimitedBatch => &[&[A::ServedInOrder, A::ShortPrompts], BATCH],
            Self::BatchServer | Self::ClosedForm => &[&[A::ShortPrompts, A::BatchNotFull], BATCH],
            Self::ProcessorSharing => &[&[A::NoFixedPart, A::ShortPrompts, A::BatchNotFull], BATCH],
            Self::Little => return vec![A::InBalance],
        };
        own.iter().copied().chain([ALWAYS]).flatten().copied().collect()
    }

    /// Whether the cluster is of the law's kind. Such a law may be chosen, but for Little's, which explains no figure by others
    /// of a model.
    pub(super) fn fits(self, fleet: &Fleet, seen: &Observed) -> bool {
        use document::RoutingPolicy as R;
        let single = fleet.max_batch == 1;
        let one_queue = fleet.one_queue().is_some();
        let open_single = single && !one_queue && !seen.closed;
        let several = open_single && fleet.replicas > 1;
        match self {
            Self::Priority => open_single && fleet.by_class().is_some(),
            Self::ClosedLoop => single && seen.closed,
            Self::Mm1k => open_single && fleet.places().is_some(),
            Self::ShortestQueue => several && matches!(fleet.routing, R::LeastLoaded),
            Self::PowerOfD => several && matches!(fleet.routing, R::PowerOfD(_)),
            Self::RoundRobin => several && matches!(fleet.routing, R::RoundRobin),
            Self::Mdc | Self::Mmc => one_queue && !seen.closed,
            Self::Md1 | Self::Mm1 | Self::Mg1 => open_single,
            Self::LimitedBatch => !single,
            Self::BatchServer | Self::ClosedForm => !single && !fleet.has_no_fixed_part(),
            Self::ProcessorSharing => !single && fleet.has_no_fixed_part(),
            Self::Little => true,
        }
    }
}
