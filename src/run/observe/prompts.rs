//! The latest prompts of a watched run, as texts without tokens. Copies share all but the newest ones.

use base::{Content, RequestId};
use std::collections::VecDeque;
use std::rc::Rc;

/// Prompts of a piece.
const PIECE: usize = 256;
/// Most pieces that are kept, beside the newest prompts.
const PIECES: usize = 64;
/// Most parts of texts in them.
const PARTS: usize = 200_000;

/// A prompt.
#[derive(Clone, Debug)]
pub(crate) struct Prompt {
    pub(crate) request: RequestId,
    pub(crate) text: Content,
}

/// The latest prompts, in order of arrival.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prompts {
    pieces: VecDeque<Rc<[Prompt]>>,
    newest: Vec<Prompt>,
}

impl Prompts {
    pub(super) fn add(&mut self, request: RequestId, text: &Content) {
        self.newest.push(Prompt { request, text: text.clone() });
        if self.newest.len() < PIECE {
            return;
        }
        self.pieces.push_back(std::mem::take(&mut self.newest).into());
        while self.pieces.len() > PIECES || (self.pieces.len() > 1 && self.parts() > PARTS) {
            self.pieces.pop_front();
        }
    }

    fn parts(&self) -> usize {
        self.pieces.iter().flat_map(|piece| piece.iter()).map(|prompt| prompt.text.pieces().len()).sum()
    }

    /// All of them, in order of arrival.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Prompt> {
        self.pieces.iter().flat_map(|piece| piece.iter()).chain(&self.newest)
    }

    /// Approximate number of bytes that every copy owns.
    pub(super) fn bytes_alive(&self) -> u64 {
        bytes(&self.newest) + 16 * self.pieces.len() as u64
    }

    /// Bytes that are not shared with `later`, which continued from a copy.
    pub(super) fn bytes_beside(&self, later: Option<&Self>) -> u64 {
        let is_shared = |piece: &Rc<[Prompt]>| {
            later.is_some_and(|l| l.pieces.iter().any(|other| Rc::ptr_eq(piece, other)))
        };
        self.pieces.iter().filter(|piece| !is_shared(piece)).map(|piece| bytes(piece)).sum()
    }
}

fn bytes(prompts: &[Prompt]) -> u64 {
    let of = |prompt: &Prompt| size_of::<Prompt>() + size_of_val(prompt.text.pieces());
    prompts.iter().map(of).sum::<usize>() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_prompts_stay_and_copies_share_them() {
        let mut prompts = Prompts::default();
        let all = (PIECES + 2) * PIECE + 5;
        let mut copy = None;
        for number in 0..all as u32 {
            prompts.add(RequestId(number), &Content::single(u64::from(number) + 1, 0, 8));
            if number as usize + 1 == all - 5 {
                copy = Some(prompts.clone());
            }
        }
        let numbers: Vec<u32> = prompts.all().map(|p| p.request.0).collect();
        let first = (all - 5 - PIECES * PIECE) as u32;
        assert_eq!(numbers, (first..all as u32).collect::<Vec<u32>>());
        let copy = copy.unwrap();
        assert_eq!(copy.bytes_beside(Some(&prompts)), 0);
        assert!(copy.bytes_beside(None) > 0);
    }
}
