//! Types of the scenario within data that serde reads and writes: the JSON of other members, and the bytes of
//! snapshots.
//!
//! Settings that the state of a run contains derive serde's traits for snapshots, whose bytes have no names. Derived
//! JSON has the names of the table, and every field; without those at their default it comes by `Write`.

use crate::read::Named;
use crate::{At, Problems, Read};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error, VariantAccess, Visitor};
use serde_json::Value;
use std::fmt;
use std::marker::PhantomData;

/// Types that serde writes and reads as their tree: within JSON alone, as bytes of snapshots do not say what they are.
macro_rules! as_tree {
    ($($type:ident)*) => {$(
        impl ::serde::Serialize for $crate::$type {
            fn serialize<S: ::serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                $crate::Write::write(self).serialize(to)
            }
        }
        impl<'de> ::serde::Deserialize<'de> for $crate::$type {
            fn deserialize<D: ::serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                $crate::by_serde::from_tree(from)
            }
        }
    )*};
}

as_tree! {
    AdmissionPolicy Architecture Arrivals CalibratedCoefficients Change Client Cluster Fault Hardware LatencyModel Pool
    PriorityPolicy RoutingPolicy Scaling ScalingPolicy Scenario Slo TimedEdit TraceSettings Weighted Workload
}

/// Reads a tree; the error is the first of its problems.
fn from_tree<'de, T: Read, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    let tree = Value::deserialize(from)?;
    let mut problems = Problems::of("settings");
    let read = T::read(&tree, &At::ROOT, &mut problems);
    match problems.finish().first() {
        Some(problem) => Err(D::Error::custom(problem)),
        None => read.ok_or_else(|| D::Error::custom("no settings")),
    }
}

/// Reads a choice without settings: its name, or its number where bytes have no names.
pub fn named<'de, T: Named, D: Deserializer<'de>>(of: &'static str, from: D) -> Result<T, D::Error> {
    from.deserialize_enum(of, T::NAMES, OneOf(PhantomData))
}

struct OneOf<T>(PhantomData<T>);

impl<'de, T: Named> Visitor<'de> for OneOf<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a choice")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<T, A::Error> {
        let (index, content) = data.variant_seed(Index(T::NAMES))?;
        content.unit_variant()?;
        Ok(T::ALL[index])
    }
}

/// Reads the number of a name.
struct Index(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for Index {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<usize, D::Error> {
        from.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Index {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a choice")
    }

    fn visit_u64<E: Error>(self, index: u64) -> Result<usize, E> {
        let known = usize::try_from(index).ok().filter(|index| *index < self.0.len());
        known.ok_or_else(|| E::unknown_variant(&index.to_string(), self.0))
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<usize, E> {
        let known = self.0.iter().position(|known| *known == name);
        known.ok_or_else(|| E::unknown_variant(name, self.0))
    }
}
