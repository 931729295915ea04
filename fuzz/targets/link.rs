//! Links: opened as the page does, and what came of it is a scenario that runs and has a link of its own.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use miniz_oxide::deflate::compress_to_vec;
use tokenyard::scenario::link;
use tokenyard::session::{Audience, Session};

/// After `{` what the packed form holds, unpacked, which no mutation of packed bytes would find; anything else is the link itself.
pub(crate) fn link(data: &[u8]) {
    let text = match data {
        [b'{', ..] => format!("#v1.{}", URL_SAFE_NO_PAD.encode(compress_to_vec(data, 1))),
        _ => String::from_utf8_lossy(data).into_owned(),
    };
    let opened = Session::open_link(&text, Audience::Live);
    // Making a link compares with every preset: one input in eight does.
    if !data.len().is_multiple_of(8) {
        return;
    }
    if let Some(made) = link::make(&opened.link) {
        let again = Session::open_link(&made.link, Audience::Live);
        assert!(again.problems.is_empty(), "{} is a link, and has {:?}", made.link, again.problems);
        assert_eq!(again.link, opened.link, "{} is another scenario than it was made of", made.link);
    }
}
