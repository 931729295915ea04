//! What becomes of the KV of a session while it pauses between two turns.

use crate::limits;
use crate::table::fields::fields;
use serde::{Deserialize, Serialize};

/// What becomes of the KV of a session while it pauses between two turns.
#[apply(field_schema!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SessionKv {
    /// Whether a turn that completes takes the directives off the session's blocks that are not in its own context, which then go first: thinking that is stripped, contexts that were edited.
    pub supersede: bool,
    /// After how long a pause the session's free blocks that lie below too go first. Left out: never.
    pub demote_after_s: Option<f64>,
    /// What of its context comes back to the GPU, or to CPU memory, before its next turn.
    pub prefetch: Option<SessionPrefetch>,
}

fields! {
    struct SessionKv {
        supersede [omit]: "Supersede" => Arrivals;
        demote_after_s [omit]: "Demote after" of "s" in [0.0, limits::THINK_S] or "leave it out for never" first 30.0 => Arrivals;
        prefetch [omit]: "Prefetch" => Arrivals;
    }
}

/// When the context of a session comes back before its next turn, and where to.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionPrefetch {
    /// When it is asked for.
    pub when: PrefetchWhen,
    /// How long before the expected turn.
    pub lead_s: f64,
    /// Expected gap between two turns, for `fixed`.
    pub gap_s: f64,
    /// Weight of the latest gap in the mean, for `ewma`.
    pub weight: f64,
    /// Where to.
    pub to: PrefetchTo,
    /// Free blocks that a prefetch leaves.
    pub reserve_blocks: u32,
    /// For how long what is there afterwards is kept with priority 70. 0 means that it is not.
    pub hold_s: f64,
}

fields! {
    struct SessionPrefetch {
        when: "When" => Arrivals;
        lead_s: "Lead" of "s" in [0.0, limits::THINK_S] or "it is how long before the turn" => Arrivals;
        gap_s [omit]: "Gap" of "s" in [0.0, limits::THINK_S] or "it is the gap that is expected" => Arrivals;
        weight [omit]: "Weight" in [limits::EWMA_WEIGHT_MIN, 1.0] or "0.5 is usual" => Arrivals;
        to: "To" => Arrivals;
        reserve_blocks [omit]: "Leaves free" of "blocks" in [0, limits::KV_BLOCKS] or "use 0 to take all free blocks" => Arrivals;
        hold_s [omit]: "Keeps for" of "s" in [0.0, limits::THINK_S] or "use 0 for no directive" => Arrivals;
    }
}

impl Default for SessionPrefetch {
    fn default() -> Self {
        Self {
            when: PrefetchWhen::Known,
            lead_s: 0.0,
            gap_s: 0.0,
            weight: 0.5,
            to: PrefetchTo::Gpu,
            reserve_blocks: 0,
            hold_s: 0.0,
        }
    }
}

/// When a prefetch is asked for.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PrefetchWhen {
    /// The lead before the turn, which is known: an oracle.
    #[default]
    Known,
    /// The lead before a gap that is always taken to be the same.
    Fixed,
    /// The lead before the mean of the session's gaps; after its first turn none is known.
    Ewma,
    /// At once, as the turn ends.
    Pause,
}

fields! {
    names PrefetchWhen { Known "known" Fixed "fixed" Ewma "ewma" Pause "pause" }
}

/// Where a prefetch brings blocks to.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PrefetchTo {
    /// From CPU memory to the GPU.
    #[default]
    Gpu,
    /// From the tiers below to CPU memory.
    Cpu,
}

fields! {
    names PrefetchTo { Gpu "gpu" Cpu "cpu" }
}
