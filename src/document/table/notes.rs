//! The schema's notes of each field besides its type: `x-label`, `x-unit`, `x-first` and so on, for forms.
//!
//! Only the command line, which writes the schema, has this.

use serde_json::Value;

/// The effect of an edit of a field during a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// A group of settings that each have their own effect.
    Parts,
    Pools,
    Clients,
    Replicas,
    Scaling,
    Starts,
    Drains,
    Replace,
    Steps,
    BatchSize,
    QueueOrder,
    QueueJoin,
    QueueBound,
    CacheSize,
    Price,
    Name,
    Admission,
    FlowControl,
    Roles,
    Handover,
    Ports,
    Transfers,
    Stores,
    FreeBlocks,
    Routing,
    Signals,
    Delays,
    Arrivals,
    Conversations,
    Rate,
    TraceSpeed,
    Objectives,
    Resilience,
    Fault,
    Restart,
    None,
}

impl Effect {
    /// Whether it applies to the current run, replaces replicas, or needs another run.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::Parts
            | Self::Pools
            | Self::Clients
            | Self::Replicas
            | Self::Scaling
            | Self::Starts
            | Self::Drains
            | Self::Steps
            | Self::BatchSize
            | Self::QueueOrder
            | Self::QueueJoin
            | Self::QueueBound
            | Self::CacheSize
            | Self::Price
            | Self::Name
            | Self::Admission
            | Self::FlowControl
            | Self::Roles
            | Self::Handover
            | Self::Ports
            | Self::Transfers
            | Self::Stores
            | Self::FreeBlocks
            | Self::Routing
            | Self::Signals
            | Self::Delays
            | Self::Arrivals
            | Self::Conversations
            | Self::Rate
            | Self::TraceSpeed
            | Self::Objectives
            | Self::Resilience
            | Self::Fault => "live",
            Self::Replace => "replace",
            Self::Restart => "restart",
            Self::None => "none",
        }
    }

    /// One sentence for users: what it does to requests under way.
    pub(crate) fn help(self) -> &'static str {
        match self {
            Self::Parts => "Each of its settings says what a change of it does.",
            Self::Pools => "A pool that is added starts empty; one without replicas finishes what it has.",
            Self::Clients => "A client that is added sends from then on; requests under way go on.",
            Self::Replicas => {
                "Removed replicas, the highest numbers first, finish their requests and get no new ones; added replicas start empty."
            }
            Self::Scaling => {
                "The policy begins again with what it has been set to: it forgets its past decisions and decides next after one period."
            }
            Self::Starts => {
                "Applies to replicas that start from then on; those under way start as they would have."
            }
            Self::Drains => "Applies to replicas that are removed from then on.",
            Self::Replace => {
                "The pool's replicas are replaced one after the other: the old finish what they have and get nothing new, the new start empty."
            }
            Self::Steps => "Takes effect from each replica's next step.",
            Self::BatchSize => {
                "Takes effect from each replica's next step; a larger batch shrinks as its requests finish."
            }
            Self::QueueOrder => {
                "Requests that wait are put in the new order at once, by the priorities they came with; those that run go on."
            }
            Self::QueueJoin => "Applies to requests that join a wait queue from then on.",
            Self::QueueBound => "Applies to the next request that is sent there; waiting requests stay.",
            Self::CacheSize => {
                "A smaller cache gives up free blocks at once, the longest unused first, and blocks in use as they become free."
            }
            Self::Price => "Requests do not notice: the costs of the whole run follow, and scores by price.",
            Self::Name => "Requests do not notice: only the name changes.",
            Self::Admission => {
                "Requests that are held back are asked about again at once; requests under way count against the new limit."
            }
            Self::FlowControl => {
                "Requests that wait at the gateway are queued again under the new settings, in order of arrival; without flow control they go on at once."
            }
            Self::Roles => {
                "Applies to requests that are routed from then on; those under way keep the replicas that they were given."
            }
            Self::Handover => {
                "Applies to requests that are routed from then on; those under way are handed over as they would have been."
            }
            Self::Ports => "Applies at once: transfers under way go on at the new speed.",
            Self::Stores => "Applies at once: flows go on at the new speed, and what no longer fits goes.",
            Self::FreeBlocks => "Applies at once: free blocks are put in the new order, by their release.",
            Self::Transfers => "Applies to transfers that start from then on.",
            Self::Routing => "Takes effect from the next request.",
            Self::Signals => "The picture that the router has stays until it is as old as that.",
            Self::Delays => {
                "Applies to requests that come to this point from then on; delays that are running end when they would have."
            }
            Self::Arrivals => {
                "Applies to requests that arrive from then on; those under way stay what they are."
            }
            Self::Conversations => "Conversations under way go on, with the new lengths and think times.",
            Self::Rate => {
                "Applies at once: the gap that is running shrinks or stretches with it, and requests under way go on."
            }
            Self::TraceSpeed => "Applies to what is left of the trace; requests under way go on.",
            Self::Objectives => {
                "Requests under way go on as they are, and are judged by it when they finish."
            }
            Self::Resilience => "Applies to attempts that break from then on.",
            Self::Fault => "A fault happens once, at its instant.",
            Self::Restart => "The run starts again with it and goes to the same instant.",
            Self::None => "Changes nothing in the run.",
        }
    }
}

/// Whether a document has to have a field.
pub(crate) enum Presence {
    /// It has to be there.
    Needed,
    /// It may be left out.
    Optional,
    /// The same, and then it has this value.
    Default(Value),
}

/// Whether a document has to have a field of a table, by the kind of the table and what it says of the field.
macro_rules! presence {
    (struct $type:ident $field:ident $($how:ident)?) => {
        $crate::table::notes::Presence::Default($crate::Write::write(&<$type>::default().$field))
            $(.$how())?
    };
    (entry $type:ident $field:ident) => {
        $crate::table::notes::Presence::Needed
    };
    (entry $type:ident $field:ident one) => {
        $crate::table::notes::Presence::Default(serde_json::json!(1))
    };
    (entry $type:ident $field:ident $how:ident) => {
        $crate::table::notes::Presence::Optional
    };
}
pub(crate) use presence;

impl Presence {
    /// Of a field that is not written where it has its default.
    pub(crate) fn omit(self) -> Self {
        match self {
            Self::Default(Value::Null) => Self::Optional,
            other => other,
        }
    }
}

/// The notes of one field.
pub(crate) struct Note {
    /// The variant of an enum that has the field.
    pub(crate) variant: Option<&'static str>,
    pub(crate) field: &'static str,
    pub(crate) presence: Presence,
    pub(crate) effect: Effect,
    /// The least and the largest number.
    pub(crate) range: Option<[Value; 2]>,
    /// Label, unit and so on, by their keys in the schema.
    pub(crate) said: Vec<(&'static str, Value)>,
    /// Further keys of the schema and their values.
    pub(crate) more: Value,
}

/// The note of a field, from what its table says.
macro_rules! note {
    ($variant:expr, $field:ident, $presence:expr, $label:literal, $effect:ident [$($unit:literal)?] [$($min:expr, $max:expr)?] [$($one:literal)?]
        [$({ $($more:tt)* })?] [$($first:expr)?]) => {
        $crate::table::notes::Note {
            variant: $variant,
            field: stringify!($field),
            presence: $presence,
            effect: $crate::table::notes::Effect::$effect,
            range: $crate::table::notes::note!(@range $($min, $max)?),
            said: vec![
                ("x-label", serde_json::json!($label)),
                $(("x-unit", serde_json::json!($unit)),)?
                $(("x-entry", serde_json::json!($one)),)?
                $(("x-first", $crate::Write::write(&$first)),)?
            ],
            more: $crate::table::notes::note!(@more $($($more)*)?),
        }
    };
    (@more) => {
        serde_json::Value::Null
    };
    (@more $($more:tt)*) => {
        serde_json::json!({ $($more)* })
    };
    (@range) => {
        None
    };
    (@range $min:expr, $max:expr) => {
        Some([serde_json::json!($min), serde_json::json!($max)])
    };
}
pub(crate) use note;
