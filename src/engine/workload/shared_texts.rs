//! Texts with which prompts of several requests begin, by name: what a cache can hold for requests that are not there.

use super::Source;
use super::client::ClientSource;
use super::conversations::session_of;
use base::Content;
use std::collections::BTreeSet;

/// A text that several prompts begin with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedText {
    /// Number of the client in [`Source::clients`].
    pub client: u32,
    /// Its name.
    pub name: String,
    /// The text.
    pub text: Content,
    /// The session, if it is a conversation.
    pub session: Option<u32>,
}

impl Source {
    /// The shared prefixes of clients, at most `most` of each, in order. Those of adapters are left out; one that several
    /// clients share is listed with the first.
    pub fn prefixes(&self, most: u32) -> Vec<SharedText> {
        let of = |c: &ClientSource| {
            let groups = c.groups();
            let name = self.clients()[c.shown() as usize].clone();
            let prefix = move |(group, text)| SharedText {
                client: c.shown(),
                name: if groups == 1 {
                    format!("{name} prefix")
                } else {
                    format!("{name} prefix {}", group + 1)
                },
                text,
                session: None,
            };
            c.prefixes(most).map(prefix).collect::<Vec<_>>()
        };
        let mut seen = BTreeSet::new();
        let mut first = |c: &ClientSource, shared: &SharedText| {
            !c.shares_prefixes()
                || shared.text.pieces().first().is_none_or(|p| seen.insert((p.source, p.len)))
        };
        let mut all = Vec::new();
        for c in self.client_sources() {
            all.extend(of(c).into_iter().filter(|shared| first(c, shared)));
        }
        all
    }

    /// The conversations that go on, as far as they are by now, at most `most`; those with prompts of one round only are left
    /// out.
    pub fn open_conversations(&self, most: usize) -> Vec<SharedText> {
        let of = |c: &ClientSource| {
            let name = self.clients()[c.shown() as usize].clone();
            let text = move |(conversation, text)| SharedText {
                client: c.shown(),
                name: format!("conversation {} of {name}", conversation + 1),
                text,
                session: Some(session_of(c.number(), conversation)),
            };
            c.open_conversations().into_iter().map(text).collect::<Vec<_>>()
        };
        self.client_sources().iter().flat_map(of).take(most).collect()
    }
}
