//! The smallest share of KV blocks in use wins, the lowest replica number among equals. Cached blocks without a user
//! count as free. The rule is RouteSim's.

use super::{Choice, Fleet, Router, Scores};
use crate::policy::RequestView;
use serde::{Deserialize, Serialize};

/// The smallest share of KV blocks in use wins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeastKv;

impl Router for LeastKv {
    fn pick(&mut self, _: &RequestView<'_>, fleet: &Fleet<'_>, _: &mut Scores) -> Choice {
        let mut best = (f64::INFINITY, 0);
        for (position, view) in fleet.replicas.iter().enumerate() {
            if view.kv_use() < best.0 {
                best = (view.kv_use(), position);
            }
        }
        Ok(best.1)
    }
}
