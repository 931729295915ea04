//! The tree of texts: what the texts on a replica have in common, in blocks. A run that two of them share is a node, and so is
//! the rest of each.

use base::Content;

/// A text with the blocks of it that others can share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'a> {
    pub(super) text: &'a Content,
    /// Tokens that others can share.
    pub(super) shareable: u32,
    /// Its blocks in all.
    pub(super) blocks: u32,
    /// Whether it is a prefix that the scenario names: it is a node, whatever the others have in common.
    pub(super) named: bool,
}

/// A run of blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// Index of the node that it follows.
    pub(super) parent: Option<usize>,
    /// Its first block, and the one after its last.
    pub(super) from: u32,
    pub(super) to: u32,
    /// Indices of the texts that have it.
    pub(super) texts: Vec<usize>,
    /// The text that ends with it, if it is the rest of one.
    pub(super) rest_of: Option<usize>,
    /// The text that is named after it.
    pub(super) named: Option<usize>,
    pub(super) children: Vec<usize>,
}

/// The tree over texts with blocks of `block` tokens.
#[derive(Debug)]
pub(super) struct Tree {
    block: u32,
    pub(super) nodes: Vec<Node>,
    /// Indices of the nodes that begin texts.
    pub(super) roots: Vec<usize>,
}

impl Tree {
    /// The tree of these texts, the named ones first.
    pub(super) fn of(texts: &[Text<'_>], block: u32) -> Self {
        let mut tree = Self { block, nodes: Vec::new(), roots: Vec::new() };
        for number in 0..texts.len() {
            tree.add(texts, number);
        }
        tree.name_runs(texts);
        tree
    }

    /// How many leading blocks two texts have in common.
    fn common(&self, a: Text<'_>, b: Text<'_>) -> u32 {
        let tokens = a.text.common(b.text).min(a.shareable).min(b.shareable);
        (tokens / self.block).min(a.blocks).min(b.blocks)
    }

    fn children(&self, of: Option<usize>) -> &[usize] {
        of.map_or(&self.roots, |of| &self.nodes[of].children)
    }

    fn add(&mut self, texts: &[Text<'_>], number: usize) {
        let (mut at, mut from) = (None, 0);
        loop {
            let child = self.children(at).iter().copied().find_map(|child| {
                let common = self.common(texts[self.nodes[child].texts[0]], texts[number]);
                (common > from).then_some((child, common))
            });
            let Some((child, common)) = child else { break };
            if self.nodes[child].rest_of.is_some() || common < self.nodes[child].to {
                at = Some(self.split(at, child, common));
                from = common;
                self.nodes[at.unwrap_or_default()].texts.push(number);
                break;
            }
            self.nodes[child].texts.push(number);
            (at, from) = (Some(child), self.nodes[child].to);
        }
        let rest = Node {
            parent: at,
            from,
            to: texts[number].blocks.max(from),
            texts: vec![number],
            rest_of: Some(number),
            named: None,
            children: Vec::new(),
        };
        self.nodes.push(rest);
        let place = self.nodes.len() - 1;
        match at {
            Some(at) => self.nodes[at].children.push(place),
            None => self.roots.push(place),
        }
    }

    /// Puts a node for the blocks up to `end` in front of `child`; returns its index.
    fn split(&mut self, parent: Option<usize>, child: usize, end: u32) -> usize {
        let place = self.nodes.len();
        let Node { from, ref texts, .. } = self.nodes[child];
        let texts = texts.clone();
        self.nodes.push(Node {
            parent,
            from,
            to: end,
            texts,
            rest_of: None,
            named: None,
            children: vec![child],
        });
        let siblings = match parent {
            Some(parent) => &mut self.nodes[parent].children,
            None => &mut self.roots,
        };
        for sibling in siblings {
            if *sibling == child {
                *sibling = place;
            }
        }
        (self.nodes[child].parent, self.nodes[child].from) = (Some(place), end);
        place
    }

    /// Named texts name the runs that they are: what is left of them is no node of its own.
    fn name_runs(&mut self, texts: &[Text<'_>]) {
        for place in 0..self.nodes.len() {
            let Some(number) = self.nodes[place].rest_of.filter(|&number| texts[number].named) else {
                continue;
            };
            match self.nodes[place].parent {
                Some(parent) if self.nodes[place].from == self.nodes[place].to => {
                    self.nodes[parent].named = Some(number);
                    self.nodes[parent].children.retain(|&child| child != place);
                }
                Some(_) | None => {
                    self.nodes[place].named = Some(number);
                    self.nodes[place].rest_of = None;
                }
            }
        }
    }

    /// The nodes below `node`, itself included, parents first.
    pub(super) fn below(&self, node: usize) -> Vec<usize> {
        let (mut all, mut open) = (Vec::new(), vec![node]);
        while let Some(next) = open.pop() {
            all.push(next);
            open.extend(self.nodes[next].children.iter().rev());
        }
        all
    }

    /// Whether several texts have it, or could have: it is named.
    pub(super) fn is_shared(&self, node: usize) -> bool {
        self.nodes[node].rest_of.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Piece;

    fn text(pieces: &[(u64, u32)]) -> Content {
        let mut text = Content::default();
        for &(source, len) in pieces {
            text.push(Piece { source, start: 0, len });
        }
        text
    }

    fn tree(texts: &[(Content, u32, bool)]) -> Tree {
        let text =
            |(text, blocks, named): &(Content, u32, bool)| (text.clone(), text.shareable(), *blocks, *named);
        let all: Vec<_> = texts.iter().map(text).collect();
        let texts: Vec<Text<'_>> = all
            .iter()
            .map(|(text, shareable, blocks, named)| Text {
                text,
                shareable: *shareable,
                blocks: *blocks,
                named: *named,
            })
            .collect();
        Tree::of(&texts, 16)
    }

    fn run(tree: &Tree, node: usize) -> (u32, u32, &[usize], Option<usize>) {
        let n = &tree.nodes[node];
        (n.from, n.to, &n.texts, n.rest_of)
    }

    #[test]
    fn what_two_texts_share_is_a_node_and_so_is_the_rest_of_each() {
        // 40 tokens in common: two blocks of 16.
        let texts = [(text(&[(1, 40), (3, 60)]), 7, false), (text(&[(1, 40), (5, 24)]), 4, false)];
        let t = tree(&texts);
        assert_eq!(t.roots.len(), 1);
        let root = t.roots[0];
        assert_eq!(run(&t, root), (0, 2, &[0, 1][..], None));
        let rest: Vec<_> = t.nodes[root].children.iter().map(|&child| run(&t, child)).collect();
        assert_eq!(rest, [(2, 7, &[0][..], Some(0)), (2, 4, &[1][..], Some(1))]);
    }

    #[test]
    fn a_third_text_splits_the_run_that_it_shares_in_part() {
        let texts = [
            (text(&[(1, 160)]), 10, false),
            (text(&[(1, 96), (3, 16)]), 7, false),
            (text(&[(1, 32), (5, 16)]), 3, false),
            (text(&[(7, 16)]), 1, false),
        ];
        let t = tree(&texts);
        let order: Vec<_> = t.roots.iter().flat_map(|&root| t.below(root)).map(|n| run(&t, n)).collect();
        let expected: [(u32, u32, &[usize], Option<usize>); 6] = [
            (0, 2, &[0, 1, 2], None),
            (2, 6, &[0, 1], None),
            (6, 10, &[0], Some(0)),
            (6, 7, &[1], Some(1)),
            (2, 3, &[2], Some(2)),
            (0, 1, &[3], Some(3)),
        ];
        assert_eq!(order, expected);
    }

    #[test]
    fn a_named_prefix_is_a_node_with_one_text_or_none() {
        let texts =
            [(text(&[(1, 64)]), 4, true), (text(&[(9, 32)]), 2, true), (text(&[(1, 64), (3, 20)]), 6, false)];
        let t = tree(&texts);
        assert_eq!(t.roots.len(), 2);
        let [a, b] = [t.roots[0], t.roots[1]];
        assert_eq!((run(&t, a), t.nodes[a].named), ((0, 4, &[0, 2][..], None), Some(0)));
        assert_eq!((run(&t, b), t.nodes[b].named), ((0, 2, &[1][..], None), Some(1)));
        assert_eq!(t.nodes[a].children.len(), 1);
        assert!(t.is_shared(b));
    }
}
