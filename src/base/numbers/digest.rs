//! A 64-bit digest (FNV-1a) that shows equal results on two machines. Not for security.

use serde::{Deserialize, Serialize};

/// A digest that is being computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    /// Adds bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.0 = (self.0 ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// Adds one number, in little-endian order.
    pub fn u64(&mut self, x: u64) {
        self.bytes(&x.to_le_bytes());
    }

    /// The digest of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        let mut d = Self::default();
        d.bytes(bytes);
        d
    }

    /// Sixteen hexadecimal digits.
    pub fn hex(self) -> String {
        format!("{:016x}", self.0)
    }

    /// The number itself.
    pub fn value(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_the_published_vectors() {
        assert_eq!(Digest::of(b"").hex(), "cbf29ce484222325");
        assert_eq!(Digest::of(b"a").hex(), "af63dc4c8601ec8c");
        assert_eq!(Digest::of(b"foobar").hex(), "85944171f73967e8");
    }
}
