//! The layer fence: design rule 1 of STYLE.md. Which member of the workspace uses which stands in the manifests, and the compiler holds
//! them to it; here are the order of the members, and the order of the rooms inside one.

use super::source::{behind, code_only};
use super::{files, report, root};
use std::fs;

/// The rooms of members that have several, each with its layer: a room uses only lower ones of its member. What is in no room of
/// these is in the member's own. The shells in `src/wasm` do not use each other: each is a module of its own.
const ROOMS: &[(&str, u32)] = &[
    ("base", 0),
    ("base/stats", 1),
    ("engine/perf", 0),
    ("engine/workload", 0),
    ("engine/kv", 0),
    ("engine/policy", 1),
    ("engine", 2),
    ("run/observe", 0),
    ("run/session", 1),
    ("tools/golden", 0),
    ("tools/glossary", 0),
    ("tools/validate", 0),
    ("wasm/boundary", 0),
    ("wasm/desks", 1),
    ("wasm/page", 1),
];

/// What the shells do not use, although their package has it: they compute nothing.
const NOT_FOR_SHELLS: &[&str] = &["engine::", "run::observe::"];

fn layer(room: &str) -> Option<u32> {
    ROOMS.iter().find(|(name, _)| *name == room).map(|&(_, layer)| layer)
}

/// The room that a name at the root of a member belongs to.
fn room_at(member: &str, name: &str) -> String {
    let room = format!("{member}/{name}");
    if layer(&room).is_some() { room } else { member.to_owned() }
}

/// The member and the room of a file of `src`.
fn place_of(path: &str) -> Option<(String, String)> {
    let parts: Vec<&str> = path.trim_end_matches(".rs").split('/').skip(1).collect();
    match parts[..] {
        [member, name, ..] => Some((member.to_owned(), room_at(member, name))),
        _ => None,
    }
}

/// Why a file of `room` must not use `used`, if so.
fn forbidden(room: &str, used: &str) -> Option<String> {
    let (own, other) = (layer(room)?, layer(used)?);
    (room != used && other >= own).then(|| format!("{room} (layer {own}) uses {used} (layer {other})"))
}

/// The rooms that the code of a file reaches in its own member, each with its line.
fn rooms_used(code: &str, member: &str) -> Vec<(String, usize)> {
    let code = if member == "wasm" {
        // What a shell reaches through `super::` is a room too.
        &code
            .replace("super::super::", "crate::")
            .replace("crate::wasm::", "super::")
            .replace("super::", "crate::")
    } else {
        code
    };
    let from_root = behind("crate::", code);
    // Two modules up may be the root, if a room stands there.
    let is_room = |(name, _): &(String, usize)| layer(&format!("{member}/{name}")).is_some();
    let from_above = behind("super::super::", code).into_iter().filter(is_room);
    from_root.into_iter().chain(from_above).map(|(name, line)| (room_at(member, &name), line)).collect()
}

#[test]
fn a_room_uses_only_lower_rooms_of_its_member() {
    let mut problems = Vec::new();
    for (path, text) in files("src", &[".rs"]) {
        let Some((member, room)) = place_of(&path) else { continue };
        // A member's list of its rooms names them all.
        if path == format!("src/{member}/lib.rs") || path == format!("src/{member}/mod.rs") {
            continue;
        }
        let code = code_only(&text);
        for (used, line) in rooms_used(&code, &member) {
            problems.extend(forbidden(&room, &used).map(|why| format!("{path}:{line}: {why}")));
        }
        for name in NOT_FOR_SHELLS.iter().filter(|name| member == "wasm" && code.contains(**name)) {
            problems.push(format!("{path}: a shell uses {name}"));
        }
    }
    report("a room uses only lower rooms", &problems);
}

/// The members of the workspace in `src`, in the order of the manifest.
fn members() -> Vec<String> {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("a manifest");
    let list =
        manifest.split("\nmembers = [").nth(1).and_then(|rest| rest.split(']').next()).expect("members");
    let quoted = list.split('"').skip(1).step_by(2);
    quoted.filter_map(|path| path.strip_prefix("src/")).map(str::to_owned).collect()
}

#[test]
fn a_member_uses_only_members_above_it() {
    let (all, mut problems) = (members(), Vec::new());
    for (at, member) in all.iter().enumerate() {
        let manifest =
            fs::read_to_string(root().join(format!("src/{member}/Cargo.toml"))).expect("a manifest");
        for line in manifest.lines() {
            let name = line.split(['.', ' ']).next().unwrap_or_default();
            let place = all.iter().position(|other| other == name);
            if line.contains("workspace") && place.is_some_and(|place| place >= at) {
                problems.push(format!("src/{member}/Cargo.toml: {name} is not above {member} in Cargo.toml"));
            }
        }
    }
    assert!(all.len() > 5, "{all:?}");
    report("a member uses only members above it", &problems);
}

/// Tests of the fence itself: it must catch each violation.
#[test]
fn the_layer_fence_catches_every_way_around_it() {
    let caught = |path: &str, text: &str| {
        let (member, room) = place_of(path).expect("a file of a member");
        let used = rooms_used(&code_only(text), &member);
        used.iter().filter(|(used, _)| forbidden(&room, used).is_some()).count()
    };
    assert_eq!(caught("src/engine/kv/tier.rs", "use crate::Cluster;"), 1);
    assert_eq!(caught("src/engine/kv/tier.rs", "use crate::{clock::Clock, kv::{Pool, x}, policy};"), 2);
    assert_eq!(caught("src/engine/policy/view.rs", "fn f(x: &crate::request::Record) {}"), 1);
    assert_eq!(caught("src/engine/policy/view.rs", "use crate::perf::StepModel; use base::Micros;"), 0);
    assert_eq!(caught("src/run/observe/meters.rs", "use crate::session::Session; use engine::Fact;"), 1);
    assert_eq!(caught("src/base/numbers/math.rs", "use super::super::stats::Curve; use crate::stats::x;"), 2);
    assert_eq!(caught("src/tools/golden/mod.rs", "use crate::validate::replay;"), 1);
    assert_eq!(
        caught("src/wasm/page.rs", "use crate::wasm::desks::LinkDesk; use super::desks::{Run, x};"),
        2
    );
    assert_eq!(
        caught("src/wasm/page.rs", "use crate::wasm::boundary::value; use super::boundary::written;"),
        0
    );
    assert_eq!(caught("src/wasm/boundary.rs", "use crate::wasm::page::Sim;"), 1);
    let harmless = "use crate::{kv::BlockPool}; // crate::wasm::x\nlet s = \"crate::clock::x\";";
    assert_eq!(caught("src/engine/clock/event.rs", harmless), 0);
}
