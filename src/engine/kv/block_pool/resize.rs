//! Resizing a cache.

use super::{Block, BlockPool};

impl BlockPool {
    /// Changes the number of blocks. A number below the blocks in use takes effect as blocks become free.
    pub fn resize(&mut self, total: u32) {
        assert!(total > 0, "INV-4: a cache without blocks");
        self.version.number += 1;
        let target = self.total() - self.debt;
        if total >= target {
            let mut more = total - target;
            let spared = more.min(self.debt);
            self.debt -= spared;
            more -= spared;
            while more > 0 {
                let Some(b) = self.retired.pop() else { break };
                self.list(b);
                more -= 1;
            }
            self.limit += more;
            return;
        }
        let mut fewer = target - total;
        let unused = fewer.min(self.limit - self.touched);
        self.limit -= unused;
        fewer -= unused;
        while fewer > 0 {
            let Some(b) = self.take_listed(Block(0)) else { break };
            self.retired.push(b);
            fewer -= 1;
        }
        self.debt += fewer;
    }
}
