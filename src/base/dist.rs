//! Probability distributions over lengths and gaps, drawn through `rand_distr` without `std`, so that every draw uses libm.
