//! Roles that a router alone tells: it names the servers of prefill and those of decode by labels or addresses, and the servers say
//! nothing of them.

use crate::import::configuration::mapping::{Mapping, Standing};
use crate::import::configuration::read_sources::ReadSources;
use crate::import::configuration::server_identity::{NamedBy, RouterRole, ServerIdentity, labels_of};
use crate::import::configuration::sets::{Field, PoolOf, Set, name_with_role};
use base::Diagnostic;
use serde_json::{Value, json};

/// A `Service` object: the name by which servers are reached, and the labels that they have.
struct Service {
    name: String,
    labels: Vec<(String, String)>,
}

/// Whether a router's name of servers is about one.
fn is_named(by: &NamedBy, server: &ServerIdentity, services: &[Service]) -> bool {
    match by {
        NamedBy::Labels(all) => all.iter().all(|label| server.labels.contains(label)),
        NamedBy::Address { host, port } => {
            let first = host.split('.').next().unwrap_or_default();
            let by_service = |service: &Service| {
                service.name == first && service.labels.iter().all(|one| server.labels.contains(one))
            };
            match &server.host {
                Some(own) => own == first || services.iter().any(by_service),
                // A command runs on some machine: its port tells it.
                None => server.port.is_some() && server.port == *port,
            }
        }
    }
}

fn services(sources: &[Value]) -> Vec<Service> {
    let all = sources.iter().filter(|source| source.get("kind").is_some_and(|kind| kind == "Service"));
    let service = |source: &Value| {
        let name = source.pointer("/metadata/name")?.as_str()?.to_owned();
        let labels = labels_of(source.pointer("/spec/selector"));
        (!labels.is_empty()).then_some(Service { name, labels })
    };
    all.filter_map(service).collect()
}

/// The roles that were found: the role of a router, and the number of the server that it names.
pub(crate) struct FoundRoles(Vec<(usize, usize)>);

/// Finds the servers that routers name. Commands get names with their roles, so that they are pools of their own.
pub(crate) fn find(read: &mut ReadSources, sources: &[Value]) -> FoundRoles {
    let services = services(sources);
    let mut found = Vec::new();
    for (i, role) in read.roles.iter().enumerate() {
        let named = |server: &ServerIdentity| is_named(&role.by, server, &services);
        found.extend(read.servers.iter().enumerate().filter(|(_, one)| named(one)).map(|(k, _)| (i, k)));
    }
    for &(i, k) in &found {
        let (role, server) = (read.roles[i].role, &read.servers[k]);
        let (document, of) = (server.document, server.of.clone());
        let renamed = of.name.as_deref().filter(|name| of.unnamed && !name.ends_with(role));
        let Some(name) = renamed.and_then(|name| name_with_role(name, Some(role))) else { continue };
        for set in read.sets.iter_mut().filter(|set| set.document == document) {
            match &mut set.field {
                Field::Pool(own, _) if *own == of => own.name = Some(name.clone()),
                _ => {}
            }
        }
    }
    FoundRoles(found)
}

/// What a key of a router says of roles.
struct RoleRow {
    document: usize,
    key: String,
    role: &'static str,
    /// The pools that it names.
    pools: Vec<String>,
    /// What it names, where no server is that.
    missing: Vec<String>,
}

/// Gives the pools of the servers that were found their roles; keys that name no server say so.
pub(crate) fn give(read: &mut ReadSources, found: &FoundRoles) {
    let mut rows: Vec<RoleRow> = Vec::new();
    for i in 0..read.roles.len() {
        let RouterRole { document, key, role, by } = read.roles[i].clone();
        let own = rows.iter().position(|row| row.document == document && row.key == key);
        let at = own.unwrap_or(rows.len());
        if own.is_none() {
            rows.push(RoleRow { document, key: key.clone(), role, pools: Vec::new(), missing: Vec::new() });
        }
        let servers: Vec<usize> = found.0.iter().filter(|(of, _)| *of == i).map(|(_, k)| *k).collect();
        if servers.is_empty() {
            rows[at].missing.push(by.shown());
        }
        for k in servers {
            let Some(of) = pool_now(read, &read.servers[k]) else { continue };
            let name = of.name.clone().unwrap_or_default();
            if rows[at].pools.contains(&name) {
                continue;
            }
            rows[at].pools.push(name);
            let set = Set::said(&key, Field::Pool(of, "role".to_owned()), json!(role));
            read.sets.push(Set { document, ..set });
        }
    }
    if rows.is_empty() {
        return;
    }
    let says_role = |set: &Set| matches!(&set.field, Field::Pool(_, field) if field == "role");
    if !read.sets.iter().any(says_role) {
        let (document, key) = (rows[0].document, rows[0].key.clone());
        let fix =
            "give the commands or objects of the servers beside the router, or write cluster.pools[].role";
        let found =
            "a router that sends prefills and answers to different servers, of which none is given here";
        read.problems.push((
            document as u32,
            Diagnostic::warning(key, found, "pools with the roles prefill and decode", fix),
        ));
    }
    for RoleRow { document, key, role, pools, missing } in rows {
        let is_row = |m: &&mut Mapping| m.document as usize == document && m.key == key;
        let Some(row) = read.mappings.iter_mut().find(is_row) else { continue };
        let lacking = format!("no server given here has {}", missing.join(" or "));
        if pools.is_empty() {
            row.standing = Standing::Ignored;
            row.becomes = format!("no counterpart: {lacking}");
            continue;
        }
        let noun = if pools.len() == 1 { "the pool" } else { "the pools" };
        row.standing = if missing.is_empty() { Standing::Exact } else { Standing::Near };
        row.becomes = format!("role {role} of {noun} {}", pools.join(", "));
        "cluster.pools[].role".clone_into(&mut row.field);
        role.clone_into(&mut row.value);
        if !missing.is_empty() {
            row.becomes = format!("{}; {lacking}", row.becomes);
        }
    }
}

/// The pool of a server after servers were told apart.
fn pool_now(read: &ReadSources, server: &ServerIdentity) -> Option<PoolOf> {
    let old = server.of.name.as_deref()?;
    let pools =
        read.sets.iter().filter(|set| set.document == server.document).filter_map(|set| match &set.field {
            Field::Pool(of, _) if of.name.is_some() => Some(of),
            Field::Pool(..) | Field::Scenario(_) => None,
        });
    let named = |of: &&PoolOf| {
        of.name.as_deref().is_some_and(|name| name == old || name.starts_with(&format!("{old}-")))
    };
    let mut all: Vec<&PoolOf> = pools.filter(named).collect();
    all.sort_by_key(|of| of.name.as_deref().map(str::len));
    // A pool of a command was renamed; that of an object may have its namespace behind its name.
    all.iter().find(|of| of.name.as_deref() == Some(old)).or_else(|| all.first()).map(|of| (*of).clone())
}
