//! A request in the plain engine.

/// A request and everything measured about it.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) id: String,
    pub(crate) arrival: u64,
    pub(crate) n_in: usize,
    pub(crate) n_out: usize,
    /// Names of the prefixes of prompt and output together, in whole blocks of the replica's pool; empty until routed.
    pub(crate) prefixes: Vec<u32>,
    pub(crate) state: &'static str,
    pub(crate) replica: Option<usize>,
    /// Tokens to compute before the next output token.
    pub(crate) prefill: usize,
    /// Tokens whose KV is stored, steps that have not ended left out.
    pub(crate) stored: usize,
    /// Tokens of this request in the current step, or `None` if it got no share of the budget.
    pub(super) granted: Option<usize>,
    /// What `stored` will be when the current step has ended.
    pub(super) reach: usize,
    pub(crate) generated: usize,
    pub(super) last_token: u64,
    pub(super) seen_first: bool,
    pub(crate) ttft: Option<u64>,
    pub(crate) itl: Vec<u64>,
    pub(crate) e2e: Option<u64>,
    pub(crate) finished: Option<u64>,
    pub(crate) first_scheduled: Option<u64>,
    pub(crate) scheduled: Option<(u64, u64)>,
    pub(crate) finish_step: u64,
    pub(crate) preemptions: u64,
    pub(crate) drop_reason: Option<&'static str>,
}

impl Request {
    pub(crate) fn new(id: &str, arrival: u64, (n_in, n_out): (usize, usize)) -> Self {
        Self {
            id: id.to_owned(),
            arrival,
            n_in,
            n_out,
            prefixes: Vec::new(),
            state: "queued",
            replica: None,
            prefill: n_in,
            stored: 0,
            granted: None,
            reach: 0,
            generated: 0,
            last_token: 0,
            seen_first: false,
            ttft: None,
            itl: Vec::new(),
            e2e: None,
            finished: None,
            first_scheduled: None,
            scheduled: None,
            finish_step: 0,
            preemptions: 0,
            drop_reason: None,
        }
    }

    /// Tokens computed in the current step.
    pub(super) fn share(&self) -> usize {
        self.granted.unwrap_or(0)
    }
}
