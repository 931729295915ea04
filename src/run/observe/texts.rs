//! The latest prompts of a watched run with their answers, as texts without tokens. Copies share all but the newest ones.

use base::{Content, Piece, RequestId};
use std::collections::VecDeque;
use std::rc::Rc;

/// Texts of a piece.
const PIECE: usize = 256;
/// Most pieces that are kept, beside the newest texts.
const PIECES: usize = 64;
/// Most parts of texts in them.
const PARTS: usize = 200_000;

/// A prompt and its answer.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) request: RequestId,
    pub(crate) whole: Content,
    /// Tokens of the prompt.
    pub(crate) prompt: u32,
}

/// The latest texts, in order of arrival.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    pieces: VecDeque<Rc<[Text]>>,
    newest: Vec<Text>,
}

impl Texts {
    pub(super) fn add(&mut self, request: RequestId, prompt: &Content, answer: Piece) {
        let mut whole = prompt.clone();
        whole.push(answer);
        self.newest.push(Text { request, whole, prompt: prompt.len() });
        if self.newest.len() < PIECE {
            return;
        }
        self.pieces.push_back(std::mem::take(&mut self.newest).into());
        while self.pieces.len() > PIECES || (self.pieces.len() > 1 && self.parts() > PARTS) {
            self.pieces.pop_front();
        }
    }

    fn parts(&self) -> usize {
        self.pieces.iter().flat_map(|piece| piece.iter()).map(|text| text.whole.pieces().len()).sum()
    }

    /// The text of a request, if it is one of the latest.
    pub(crate) fn of(&self, request: RequestId) -> Option<&Text> {
        self.all().find(|text| text.request == request)
    }

    /// All of them, in order of arrival.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Text> {
        self.pieces.iter().flat_map(|piece| piece.iter()).chain(&self.newest)
    }

    /// Approximate number of bytes that every copy owns.
    pub(super) fn bytes_alive(&self) -> u64 {
        bytes(&self.newest) + 16 * self.pieces.len() as u64
    }

    /// Bytes that are not shared with `later`, which continued from a copy.
    pub(super) fn bytes_beside(&self, later: Option<&Self>) -> u64 {
        let is_shared =
            |piece: &Rc<[Text]>| later.is_some_and(|l| l.pieces.iter().any(|other| Rc::ptr_eq(piece, other)));
        self.pieces.iter().filter(|piece| !is_shared(piece)).map(|piece| bytes(piece)).sum()
    }
}

fn bytes(texts: &[Text]) -> u64 {
    let of = |text: &Text| size_of::<Text>() + size_of_val(text.whole.pieces());
    texts.iter().map(of).sum::<usize>() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_texts_stay_and_copies_share_them() {
        let mut texts = Texts::default();
        let all = (PIECES + 2) * PIECE + 5;
        let mut copy = None;
        for number in 0..all as u32 {
            let source = u64::from(number) + 1;
            texts.add(RequestId(number), &Content::single(source, 0, 8), Piece { source, start: 8, len: 2 });
            if number as usize + 1 == all - 5 {
                copy = Some(texts.clone());
            }
        }
        let numbers: Vec<u32> = texts.all().map(|p| p.request.0).collect();
        let first = (all - 5 - PIECES * PIECE) as u32;
        assert_eq!(numbers, (first..all as u32).collect::<Vec<u32>>());
        let copy = copy.unwrap();
        assert_eq!(copy.bytes_beside(Some(&texts)), 0);
        assert!(copy.bytes_beside(None) > 0);
    }
}
