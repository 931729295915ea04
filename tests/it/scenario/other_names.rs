//! Short forms, names of other programs, and what a scenario says of them.

use super::diagnostics::{client, says};
use tokenyard::scenario::parse;

#[test]
fn uniform_lengths_and_lists_have_ranges_and_the_fewest_tokens_are_1_where_nothing_is_said() {
    says(
        &client(r#""prompt_tokens": {"uniform": {"min_tokens": 90, "max_tokens": 10}}"#),
        "error: workload.clients[0].prompt_tokens.uniform.min_tokens: 90, which is above max_tokens (10); allowed: at most max_tokens; swap the two",
    );
    says(
        &client(r#""prompt_tokens": {"list": {"lengths_tokens": []}}"#),
        "error: workload.clients[0].prompt_tokens.list.lengths_tokens: no lengths; allowed: at least one length; add the lengths: [128, 512, 2048]",
    );
    says(
        &client(r#""prompt_tokens": {"list": {"lengths_tokens": [7, 0]}}"#),
        "error: workload.clients[0].prompt_tokens.list.lengths_tokens[1]: 0; allowed: 1 to 1,048,576; a request has at least one token",
    );
    let many = vec!["7"; 4097].join(",");
    says(
        &client(&format!(r#""prompt_tokens": {{"list": {{"lengths_tokens": [{many}]}}}}"#)),
        "error: workload.clients[0].prompt_tokens.list.lengths_tokens: 4,097 lengths; allowed: at most 4,096; shorten the list",
    );
    for (short, long) in [
        (r#"{"uniform": {"max_tokens": 9}}"#, r#"{"uniform": {"min_tokens": 1, "max_tokens": 9}}"#),
        (
            r#"{"lognormal": {"median_tokens": 50, "sigma": 1, "max_tokens": 99}}"#,
            r#"{"lognormal": {"median_tokens": 50, "sigma": 1, "min_tokens": 1, "max_tokens": 99}}"#,
        ),
    ] {
        let [short, long] =
            [short, long].map(|lengths| parse(&client(&format!("\"prompt_tokens\": {lengths}"))));
        assert_eq!(short.expect("valid"), long.expect("valid"));
    }
}
