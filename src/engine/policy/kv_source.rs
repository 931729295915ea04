//! Which replica the blocks of a prompt are pulled from, as llm-d's `p2p-source-producer` chooses it: one of those with the longest
//! beginning of the prompt in CPU memory, or one block less, by the request's place on a circle; the more requests wait at one, the
//! smaller its part of the circle.

use base::ReplicaId;

/// What a replica can serve of a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Servable {
    /// The replica.
    pub replica: ReplicaId,
    /// Leading tokens of the prompt in its CPU memory.
    pub tokens: u64,
    /// Tokens of its blocks.
    pub block: u64,
    /// Requests in its queue.
    pub waiting: u32,
}

/// The replica to pull from, if any has anything; `all` are in order of number, and `draw` is the place of the request in 2^32nds.
pub fn choose(all: &[Servable], draw: u32) -> Option<Servable> {
    let most = all.iter().map(|s| s.tokens).max().filter(|most| *most > 0)?;
    let near = || all.iter().filter(|s| s.tokens > 0 && s.tokens + s.block >= most);
    let weight = |s: &Servable| 1.0 / (1.0 + f64::from(s.waiting));
    let total: f64 = near().map(weight).fold(0.0, |sum, weight| sum + weight);
    let mut at = f64::from(draw) / 4_294_967_296.0 * total;
    for s in near() {
        at -= weight(s);
        if at < 0.0 {
            return Some(*s);
        }
    }
    near().next_back().copied()
}

/// The place of a request on the circle, from its number. Texts of numbers that follow each other would lie side by side there, so
/// the number is mixed first.
pub fn draw_of(number: u32) -> u32 {
    let mut k = u64::from(number);
    for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
        k = (k ^ k >> 33).wrapping_mul(factor);
    }
    draw_of_text(&format!("{:016x}", k ^ k >> 33))
}

/// The place of a text: its FNV-1a hash.
pub fn draw_of_text(text: &str) -> u32 {
    text.bytes().fold(0x811C_9DC5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn servable(tokens: &[u64], waiting: &[u32]) -> Vec<Servable> {
        let one = |(i, (&tokens, &waiting)): (u32, (&u64, &u32))| Servable {
            replica: ReplicaId(i),
            tokens,
            block: 16,
            waiting,
        };
        (0..).zip(tokens.iter().zip(waiting)).map(one).collect()
    }

    fn chosen(tokens: &[u64], waiting: &[u32], draw: u32) -> Option<u32> {
        choose(&servable(tokens, waiting), draw).map(|s| s.replica.0)
    }

    #[test]
    fn only_those_with_the_longest_beginning_or_one_block_less_are_candidates() {
        let tokens = [64, 0, 32, 48];
        let by_draw = [0, 1 << 30, 1 << 31, u32::MAX].map(|draw| chosen(&tokens, &[0; 4], draw));
        assert_eq!(by_draw, [Some(0), Some(0), Some(3), Some(3)]);
        assert_eq!(chosen(&[0; 4], &[0; 4], 7), None);
        // One block is the most: who has none is no candidate.
        assert_eq!(chosen(&[0, 16], &[0; 2], 0), Some(1));
    }

    #[test]
    fn the_more_wait_at_a_replica_the_smaller_its_part() {
        let count = |waiting: &[u32]| {
            (0..4000).filter(|i| chosen(&[64, 64], waiting, draw_of(*i)) == Some(0)).count()
        };
        assert!((1900..2100).contains(&count(&[0, 0])), "{}", count(&[0, 0]));
        // 1/(1 + 3) of a sum of 1.25.
        assert!((700..900).contains(&count(&[3, 0])), "{}", count(&[3, 0]));
    }

    #[test]
    fn texts_have_the_hash_that_is_published_for_them() {
        assert_eq!(draw_of_text(""), 0x811c_9dc5);
        assert_eq!(draw_of_text("a"), 0xe40c_292c);
        assert_eq!(draw_of_text("foobar"), 0xbf9c_f968);
    }
}
