//! Text that prompts have in common.

use crate::limits;
use crate::table::fields::fields;

/// Text that prompts have in common.
#[apply(field_schema!)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PrefixGroups {
    /// How many different prefixes there are; each request starts with one of them. 0 means none.
    pub groups: u32,
    /// Length of each prefix in tokens.
    pub tokens: u32,
    /// How unequal they are: prefix k has weight 1 / k to the power of this. 0 means all equally likely, 1 is common, 2 leaves nearly all requests to a few prefixes.
    pub zipf: f64,
    /// Name of a set of prefixes: clients that name the same set draw from the same texts, as tenants of one application do. Empty means texts of this client alone.
    pub shared: String,
}

impl PrefixGroups {
    /// `groups` prefixes of `tokens` tokens each: of one client alone, all equally likely.
    pub fn new(groups: u32, tokens: u32) -> Self {
        Self { groups, tokens, ..Self::default() }
    }
}

fields! {
    struct PrefixGroups {
        groups: "Prefix groups" in [0, limits::PREFIX_GROUPS] or "use 0 for no shared prefix" => Arrivals;
        tokens: "Prefix length" of "tokens" in [0, limits::REQUEST_TOKENS]
            or "use 0 for no shared prefix" => Arrivals;
        zipf [omit]: "Zipf exponent" in [0.0, limits::ZIPF_EXPONENT] or "0 is uniform, 1 is common" and { "x-rare": true } => Arrivals;
        shared [omit]: "Shared set" and { "x-rare": true } => Arrivals;
    }
}

/// How the lengths of on and off periods vary.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnOffPeriods {
    /// Exponential, each on its own. A run begins on or off by chance, in proportion to the means, so that the expected rate is the same at every instant.
    #[default]
    Exponential,
    /// All as long as given. A run begins with an on period.
    Fixed,
}

fields! {
    names OnOffPeriods { Exponential "exponential" Fixed "fixed" }
}
