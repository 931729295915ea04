//! A value that copies of what it belongs to share until one of them changes it.
//!
//! What belongs to one replica and is large stands behind one: a copy of a run costs a pointer for it, and it is copied itself when either
//! of them goes on and changes it.

use serde::{Deserialize, Serialize};
use std::ops::Deref;
use std::rc::Rc;

/// A value that copies share. Read as the value itself; written and read like it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Shared<T>(Rc<T>);

impl<T: Clone> Shared<T> {
    /// A value that nobody else has.
    #[must_use]
    pub fn new(value: T) -> Self {
        Self(Rc::new(value))
    }

    /// The value, to change it: nobody else's from now on. Where copies share it, it is copied first. Called once for each thing that is
    /// done with the value, not in the loops inside.
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
        assert_eq!((a[0], a.as_ptr()), (7, place), "what nobody shares is not copied");
        assert_eq!(postcard::to_stdvec(&a), postcard::to_stdvec(&vec![7, 2, 3]));
    }
}
