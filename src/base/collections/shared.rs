//! A value that is shared by copies of its owner until one of them changes it (copy on write).
//!
//! It holds the large data of a replica: a copy of a run costs a pointer for it, and the data is copied when one of
//! the runs changes it.

use serde::{Deserialize, Serialize};
use std::ops::Deref;
use std::rc::Rc;

/// A value that copies share. Read as the value itself; written and read like it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Shared<T>(Rc<T>);

impl<T: Clone> Shared<T> {
    /// A value that is not shared.
    #[must_use]
    pub fn new(value: T) -> Self {
        Self(Rc::new(value))
    }

    /// The value for changes, not shared from now on; a shared value is copied first. Call it once per operation, not
    /// in inner loops.
    #[inline]
    pub fn own(&mut self) -> &mut T {
        if Rc::strong_count(&self.0) > 1 {
            self.part();
        }
        Rc::get_mut(&mut self.0).expect("INV-6: a value that was copied is still shared")
    }

    #[cold]
    #[inline(never)]
    fn part(&mut self) {
        self.0 = Rc::new(T::clone(&self.0));
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_one_until_one_of_them_changes() {
        let mut a = Shared::new(vec![1, 2]);
        let b = a.clone();
        assert_eq!(a.as_ptr(), b.as_ptr());
        a.own().push(3);
        assert_eq!((a.as_slice(), b.as_slice()), (&[1, 2, 3][..], &[1, 2][..]));
        let place = a.as_ptr();
        a.own()[0] = 7;
        assert_eq!((a[0], a.as_ptr()), (7, place), "a value that is not shared is not copied");
        assert_eq!(postcard::to_stdvec(&a), postcard::to_stdvec(&vec![7, 2, 3]));
    }
}
