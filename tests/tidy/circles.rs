//! Circles of files: which file of a member uses which, and where the way leads back.
//!
//! A file uses another if its code names what the other defines: by `use`, or by a path in the code. A name that is re-exported counts
//! for the file that defines it, not for the files that hand it on; a parent that only lists and re-exports its children uses none of
//! them. So two children that meet through their parent use each other, and a child that needs a type defined in its parent is a
//! circle with it only if the parent names something of the child too. A block of methods continues its type in another file and is
//! no use of it: the type's field and its methods may stand in one file, the type itself in another. Tests do not count, and methods
//! that are called cannot be seen: only names are.

use super::source::code_only;
use super::{files, report};
use std::collections::{BTreeMap, BTreeSet};

/// One name that a file brings in, and whether it hands it on to others.
struct Import {
    name: String,
    path: Vec<String>,
    public: bool,
}

/// A file of a member: its code without imports and tests, and what it brings in.
struct Module {
    file: String,
    code: String,
    imports: Vec<Import>,
}

/// The files of a member by their paths from its root.
type Modules = BTreeMap<Vec<String>, Module>;

/// Letters of a name.
fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The module that a file of `member` is, as a path from the root; none for tests.
fn module_of(file: &str, member: &str) -> Option<Vec<String>> {
    let inside = file.strip_prefix(&format!("src/{member}/"))?.strip_suffix(".rs")?;
    let mut path: Vec<String> = inside.split('/').map(str::to_owned).collect();
    if path.iter().any(|part| part == "tests" || part.ends_with("_tests")) {
        return None;
    }
    path.pop_if(|last| last == "mod" || last == "lib");
    Some(path)
}

/// The code without its inline modules of tests.
fn without_tests(code: &str) -> String {
    let Some(at) = code.find("#[cfg(test)]") else { return code.to_owned() };
    let (before, rest) = code.split_at(at);
    let end = end_of_block(rest);
    format!("{before}{}", without_tests(&rest[end..]))
}

/// Where the item that begins the text ends: behind its block, or behind its semicolon if it has none.
fn end_of_block(text: &str) -> usize {
    let mut depth = 0;
    let end = text.char_indices().find(|&(_, c)| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        depth == 0 && (c == '}' || c == ';')
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

/// The file with its imports taken out of its code.
fn module(file: &str, text: &str) -> Module {
    let mut rest = without_tests(&code_only(text));
    let (mut code, mut imports) = (String::new(), Vec::new());
    while let Some(at) = rest.match_indices("use ").map(|(at, _)| at).find(|&at| opens_line(&rest[..at])) {
        let line = rest[..at].rfind('\n').map_or(0, |before| before + 1);
        let public = rest[line..at].contains("pub");
        let end = rest[at..].find(';').map_or(rest.len(), |end| at + end);
        let tree = rest[at + 4..end].split_whitespace().collect::<Vec<_>>().join(" ");
        branches(&tree, &[], &mut |name, path| imports.push(Import { name, path, public }));
        code.push_str(&rest[..line]);
        rest = rest[end..].to_owned();
    }
    code.push_str(&rest);
    // A list of modules names none of their items.
    let listed = |line: &&str| {
        !(line.ends_with(';')
            && opens_line(line.split("mod ").next().unwrap_or_default())
            && line.contains("mod "))
    };
    let code = code.lines().filter(listed).collect::<Vec<_>>().join("\n");
    Module { file: file.to_owned(), code, imports }
}

/// Whether `before` ends with nothing but a visibility in its last line.
fn opens_line(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default().trim();
    line.is_empty() || line == "pub" || line.starts_with("pub(") && line.ends_with(')')
}

/// Gives every name of a tree of imports with its path; of `*`, the name is `*`.
fn branches(tree: &str, before: &[String], give: &mut dyn FnMut(String, Vec<String>)) {
    let tree = tree.trim();
    if let Some(inside) = tree.strip_prefix('{') {
        let inside = inside.strip_suffix('}').unwrap_or(inside);
        let (mut depth, mut start) = (0, 0);
        for (at, c) in inside.char_indices().chain([(inside.len(), ',')]) {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    branches(&inside[start..at], before, give);
                    start = at + 1;
                }
                _ => {}
            }
        }
        return;
    }
    if tree.is_empty() {
        return;
    }
    let mut path = before.to_vec();
    if let Some((head, rest)) = tree.split_once("::") {
        path.push(head.trim().to_owned());
        branches(rest, &path, give);
        return;
    }
    let (item, name) = tree.split_once(" as ").unwrap_or((tree, tree));
    if item != "self" {
        path.push(item.trim().to_owned());
    }
    let name = if name == "self" { path.last().cloned().unwrap_or_default() } else { name.trim().to_owned() };
    give(name, path);
}

/// What a path leads to.
enum Target {
    /// An item that this module defines.
    Item(Vec<String>),
    /// A module itself.
    Module(Vec<String>),
}

/// What `path`, written in the module `at`, leads to; nothing for paths into other packages.
fn resolve(modules: &Modules, at: &[String], path: &[String], depth: usize) -> Option<Target> {
    let (mut here, mut rest) = (at.to_vec(), path);
    if depth > 16 {
        return None;
    }
    match path.first()?.as_str() {
        "crate" => (here, rest) = (Vec::new(), &path[1..]),
        "self" => rest = &path[1..],
        "super" => {
            while rest.first().is_some_and(|part| part == "super") {
                here.pop()?;
                rest = &rest[1..];
            }
        }
        first => {
            let child = [at, &[first.to_owned()]].concat();
            let imported = modules.get(at)?.imports.iter().any(|import| import.name == first);
            if !modules.contains_key(&child) && !imported {
                return None;
            }
        }
    }
    for (number, part) in rest.iter().enumerate() {
        let child = [&here[..], std::slice::from_ref(part)].concat();
        if modules.contains_key(&child) {
            here = child;
            continue;
        }
        let rest = &rest[number + 1..];
        let imports = &modules.get(&here)?.imports;
        if let Some(import) = imports.iter().find(|import| import.name == *part) {
            let on = resolve(modules, &here, &import.path, depth + 1)?;
            return match on {
                Target::Module(found) if !rest.is_empty() => {
                    let inside = [&["self".to_owned()], rest].concat();
                    resolve(modules, &found, &inside, depth + 1)
                }
                _ => Some(on),
            };
        }
        let mut globs = imports.iter().filter(|import| import.name == "*");
        let from_glob = globs.find_map(|glob| {
            let Some(Target::Module(found)) =
                resolve(modules, &here, &glob.path[..glob.path.len() - 1], depth + 1)
            else {
                return None;
            };
            defines(&modules[&found].code, part).then_some(found)
        });
        // A block of another name in this file, such as a module of constants, has it.
        let named = |at: &Vec<String>| paths(&modules[at].code).iter().any(|path| path.contains(part));
        return from_glob.or_else(|| Some(here).filter(named)).map(Target::Item);
    }
    Some(Target::Module(here))
}

/// Whether the code defines an item of this name.
fn defines(code: &str, name: &str) -> bool {
    ["fn", "struct", "enum", "trait", "type", "const", "static", "mod", "union"].iter().any(|kind| {
        let text = format!("{kind} {name}");
        code.match_indices(&text).any(|(at, _)| !code[at + text.len()..].starts_with(in_word))
    })
}

/// The paths in the code that may lead to other modules: words joined by `::`.
fn paths(code: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find(in_word) {
        rest = &rest[at..];
        let mut path = Vec::new();
        loop {
            let end = rest.find(|c| !in_word(c)).unwrap_or(rest.len());
            path.push(rest[..end].to_owned());
            rest = &rest[end..];
            match rest.strip_prefix("::") {
                Some(next) if next.starts_with(in_word) => rest = next,
                _ => break,
            }
        }
        found.push(path);
    }
    found
}

/// The types that blocks of inherent methods are for.
fn heads_of_impls(code: &str) -> Vec<&str> {
    let blocks = code.match_indices("impl").filter(|&(at, _)| opens_line(&code[..at]));
    let heads = blocks.filter_map(|(at, _)| {
        let rest = &code[at + 4..];
        let generics = if rest.starts_with('<') { rest.find("> ")? + 1 } else { 0 };
        let head = rest[generics..].strip_prefix(' ')?;
        let end = head.find(|c| !in_word(c)).unwrap_or(head.len());
        let block = head[..head.find('{')?].contains(" for ");
        (!block).then_some(&head[..end])
    });
    heads.collect()
}

/// The modules that a module uses, each with the names of theirs in it.
type Uses = BTreeMap<Vec<String>, BTreeSet<String>>;

/// Which module uses which.
type Graph = BTreeMap<Vec<String>, Uses>;

/// What a module uses.
fn uses(modules: &Modules, at: &[String]) -> Uses {
    let module = &modules[at];
    let paths = paths(&module.code);
    let named = |import: &&Import| {
        let count = paths.iter().filter(|path| path[0] == import.name).count();
        let continued = heads_of_impls(&module.code).iter().filter(|name| **name == import.name).count();
        if import.public { count > continued } else { count == 0 || count > continued }
    };
    let imported = module.imports.iter().filter(named).map(|import| &import.path);
    let inline = paths.iter().filter(|path| path.len() > 1);
    let mut found = Uses::new();
    for path in imported.chain(inline) {
        if let Some(Target::Item(to)) =
            resolve(modules, at, path, 0).filter(|to| !matches!(to, Target::Item(to) if to == at))
        {
            found.entry(to).or_default().insert(path[1..].join("::"));
        }
    }
    found
}

/// The circles of a graph, the largest first: files that reach each other.
fn circles(graph: &Graph) -> Vec<Vec<&Vec<String>>> {
    let reached = |from: &Vec<String>| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(at) = open.pop() {
            open.extend(graph[&at].keys().filter(|next| seen.insert((*next).clone())).cloned());
        }
        seen
    };
    let reach: BTreeMap<&Vec<String>, BTreeSet<Vec<String>>> =
        graph.keys().map(|at| (at, reached(at))).collect();
    let (mut found, mut placed) = (Vec::new(), BTreeSet::new());
    for at in graph.keys().filter(|at| reach[at].contains(*at)) {
        if placed.contains(at) {
            continue;
        }
        let circle: Vec<_> =
            graph.keys().filter(|to| reach[at].contains(*to) && reach[to].contains(at)).collect();
        placed.extend(circle.iter().copied());
        found.push(circle);
    }
    found.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    found
}

/// The modules of one member among the sources.
fn modules_of(sources: &[(String, String)], member: &str) -> Modules {
    let own = sources.iter().filter_map(|(file, text)| Some((module_of(file, member)?, module(file, text))));
    own.collect()
}

/// Who uses whom in a circle, and by which names.
fn described(modules: &Modules, graph: &Graph, circle: &[&Vec<String>]) -> Vec<String> {
    let uses = circle.iter().flat_map(|&at| {
        let inside = graph[at].iter().filter(|(to, _)| circle.contains(to));
        inside.map(move |(to, names)| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            format!("    {} uses {} ({})", modules[at].file, modules[to].file, names.join(", "))
        })
    });
    uses.collect()
}

#[test]
fn no_files_use_each_other_in_a_circle() {
    let sources = files("src", &[".rs"]);
    let folders = sources.iter().filter_map(|(path, _)| path.split('/').nth(1));
    let members: BTreeSet<&str> = folders.filter(|name| !name.contains('.')).collect();
    let mut problems = Vec::new();
    for member in members {
        let modules = modules_of(&sources, member);
        let graph: Graph = modules.keys().map(|at| (at.clone(), uses(&modules, at))).collect();
        let found = circles(&graph);
        problems.extend(found.iter().flat_map(|circle| described(&modules, &graph, circle)));
    }
    report("no files use each other in a circle", &problems);
}

#[test]
fn a_circle_is_found_through_a_parent_and_not_where_a_type_is_continued() {
    let found = |texts: &[(&str, &str)]| {
        let file = |(name, text): &(&str, &str)| (format!("src/engine/{name}.rs"), (*text).to_owned());
        let sources: Vec<(String, String)> = texts.iter().map(file).collect();
        let modules = modules_of(&sources, "engine");
        let graph: Graph = modules.keys().map(|at| (at.clone(), uses(&modules, at))).collect();
        circles(&graph).len()
    };
    let parent = ("kv/mod", "mod pool;\nmod tier;\npub use pool::Pool;\npub use tier::Tier;");
    let tier = ("kv/tier", "use super::Pool;\npub struct Tier(Pool);");
    assert_eq!(found(&[parent, tier, ("kv/pool", "pub struct Pool;")]), 0);
    assert_eq!(found(&[parent, tier, ("kv/pool", "use crate::kv::Tier;\npub struct Pool(Tier);")]), 1);
    assert_eq!(found(&[parent, tier, ("kv/pool", "pub struct Pool;\nfn f(_: super::tier::Tier) {}")]), 1);
    let continued = "use super::Pool;\npub struct Tier;\nimpl Pool {\n    fn f(&self) {}\n}";
    assert_eq!(
        found(&[parent, ("kv/tier", continued), ("kv/pool", "use super::Tier;\npub struct Pool(Tier);")]),
        0
    );
    let needs = ("kv/tier", "use super::Settings;\npub struct Tier(Settings);");
    let calls = "mod tier;\npub struct Settings;\nfn f(_: tier::Tier) {}";
    assert_eq!(found(&[("kv/mod", calls), needs]), 1);
    assert_eq!(found(&[("kv/mod", "mod tier;\npub struct Settings;"), needs]), 0);
    let test = "pub struct Pool;\n#[cfg(test)]\nmod tests {\n    use super::super::Tier;\n}";
    assert_eq!(found(&[parent, tier, ("kv/pool", test)]), 0);
}
