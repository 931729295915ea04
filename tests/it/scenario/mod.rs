//! Scenarios as documents: their schema, ranges, expressions, messages for mistakes; and the built-in ones.

mod diagnostics;
mod edits_refused;
mod expressions;
mod numbers_of_any_size;
mod other_names;
mod presets;
mod presets_of_caches;
mod presets_of_engines;
mod presets_of_experts;
mod presets_of_faults;
mod presets_of_gateways;
mod presets_of_roles;
mod presets_of_routers;
mod presets_of_scaling;
mod presets_slow_replica;
mod ranges;
mod roles;
mod schema;
