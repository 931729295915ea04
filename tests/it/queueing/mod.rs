//! The queueing model: the filter that learns its coefficients, and the range in which it can be trusted.

mod filter;
mod validity;
