//! Files of a crate use each other one way: no circle of imports.
//!
//! A file uses another when an import or a path of it names something that is defined there; methods have no path and are not
//! seen. To show what lies below (`pub use`) is no use of it, and
//! a name that comes by way of such a line is that of the file that defines it. Start at [`breaches`].

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{Item, UseTree, Visibility};

use super::files::Files;
use super::syntax;

/// Each circle, as the files that it goes through.
pub(super) fn breaches(files: &Files) -> Vec<String> {
    let mut crates: BTreeMap<&str, Vec<(&str, syn::File)>> = BTreeMap::new();
    let mut found = Vec::new();
    for file in files.rust().filter(|file| syntax::is_source(&file.path)) {
        let Some((name, within)) = file.path.split_once("/src/") else { continue };
        match syntax::parse(file) {
            Ok(parsed) => crates.entry(name).or_default().push((within, parsed)),
            Err(message) => found.push(message),
        }
    }
    for (name, files) in crates {
        let arrows = arrows(&files);
        let circles = circles(&arrows);
        found.extend(circles.iter().map(|circle| format!("{name}/src: {}", circle.join(" -> "))));
    }
    found
}

/// A module: where it stands in the crate, what it defines, and what it shows of others.
#[derive(Default)]
struct Module {
    file: String,
    defines: BTreeSet<String>,
    /// Names that it shows, with the path that each stands for; "*" for all of a module.
    shows: Vec<(String, Vec<String>)>,
    children: BTreeSet<String>,
}

/// Modules by their path in the crate, joined with `::`; the root is "".
type Modules = BTreeMap<String, Module>;

/// Files that use each other, by name.
fn arrows(files: &[(&str, syn::File)]) -> BTreeMap<String, BTreeSet<String>> {
    let mut modules = Modules::new();
    for (within, parsed) in files {
        let path = module_path(within);
        modules.insert(path.join("::"), module(within, &path, parsed));
    }
    let mut arrows = BTreeMap::new();
    for (within, parsed) in files {
        let mut names = Names { at: module_path(within), paths: Vec::new() };
        names.visit_file(parsed);
        let used = names.paths.iter().filter_map(|path| defined_in(&modules, path, 0));
        let others: BTreeSet<String> = used.filter(|file| file != within).collect();
        arrows.insert(within.to_string(), others);
    }
    arrows
}

/// `a/mod.rs` and `a.rs` are module a, `lib.rs` and `main.rs` the root.
fn module_path(within: &str) -> Vec<String> {
    let stem = within.trim_end_matches(".rs").trim_end_matches("/mod");
    match stem {
        "lib" | "main" => Vec::new(),
        // A command of its own.
        _ if stem.starts_with("bin/") => vec![format!("<{stem}>")],
        _ => stem.split('/').map(str::to_string).collect(),
    }
}

fn module(within: &str, path: &[String], parsed: &syn::File) -> Module {
    let children = parsed.items.iter().filter_map(|item| match item {
        Item::Mod(item) if item.content.is_none() => Some(item.ident.to_string()),
        _ => None,
    });
    let mut module = Module { file: within.to_string(), children: children.collect(), ..Module::default() };
    for item in &parsed.items {
        match item {
            Item::Use(item) if !matches!(item.vis, Visibility::Inherited) => {
                for (name, target) in leaves(&item.tree) {
                    module.shows.push((name, absolute(path, &module.children, &target)));
                }
            }
            Item::Macro(item) => {
                module.defines.extend(item.ident.iter().map(ToString::to_string));
            }
            other => module.defines.extend(name_of(other)),
        }
    }
    module
}

fn name_of(item: &Item) -> Option<String> {
    Some(
        match item {
            Item::Const(item) => &item.ident,
            Item::Enum(item) => &item.ident,
            Item::Fn(item) => &item.sig.ident,
            Item::Static(item) => &item.ident,
            Item::Struct(item) => &item.ident,
            Item::Trait(item) => &item.ident,
            Item::Type(item) => &item.ident,
            Item::Union(item) => &item.ident,
            _ => return None,
        }
        .to_string(),
    )
}

/// Each name that a `use` brings, with its whole path.
fn leaves(tree: &UseTree) -> Vec<(String, Vec<String>)> {
    match tree {
        UseTree::Path(path) => {
            let before = |(name, mut rest): (String, Vec<String>)| {
                rest.insert(0, path.ident.to_string());
                (name, rest)
            };
            leaves(&path.tree).into_iter().map(before).collect()
        }
        UseTree::Name(name) if name.ident == "self" => vec![("self".into(), Vec::new())],
        UseTree::Name(name) => vec![(name.ident.to_string(), vec![name.ident.to_string()])],
        UseTree::Rename(name) => vec![(name.rename.to_string(), vec![name.ident.to_string()])],
        UseTree::Glob(_) => vec![("*".into(), vec!["*".into()])],
        UseTree::Group(group) => group.items.iter().flat_map(leaves).collect(),
    }
}

/// A path from the root of the crate; one that leads to another crate begins with a name that no module has.
fn absolute(at: &[String], children: &BTreeSet<String>, path: &[String]) -> Vec<String> {
    let mut at = at.to_vec();
    let mut rest = path;
    match path.first().map(String::as_str) {
        Some("crate") => {
            at.clear();
            rest = &path[1..];
        }
        Some("self") => rest = &path[1..],
        Some("super") => {
            while rest.first().is_some_and(|name| name == "super") {
                at.pop();
                rest = &rest[1..];
            }
        }
        Some(first) if children.contains(first) => {}
        _ => return vec!["<outside>".into()],
    }
    at.extend(rest.iter().cloned());
    at
}

/// The file that defines what a path names.
fn defined_in(modules: &Modules, path: &[String], depth: usize) -> Option<String> {
    if depth > 8 {
        return None;
    }
    // The longest part of the path that is a module.
    let of = (0..=path.len()).rev().find(|length| modules.contains_key(&path[..*length].join("::")))?;
    let module = &modules[&path[..of].join("::")];
    let Some(name) = path.get(of) else { return Some(module.file.clone()) };
    if module.defines.contains(name) || name == "*" {
        return Some(module.file.clone());
    }
    let follow = |target: &[String], rest: &[String]| {
        let whole: Vec<String> = target.iter().chain(rest).cloned().collect();
        defined_in(modules, &whole, depth + 1)
    };
    for (shown, target) in &module.shows {
        if shown == name {
            return follow(target, &path[of + 1..]);
        }
    }
    for (_, target) in module.shows.iter().filter(|(shown, _)| shown == "*") {
        let inside = &target[..target.len() - 1];
        if modules.get(&inside.join("::")).is_some_and(|module| module.defines.contains(name)) {
            return follow(inside, &path[of..]);
        }
    }
    // A macro's name, or one that a macro makes.
    Some(module.file.clone()).filter(|_| of > 0)
}

/// Paths that a file names, from the root of the crate.
struct Names {
    at: Vec<String>,
    paths: Vec<Vec<String>>,
}

impl Names {
    fn take(&mut self, path: &[String]) {
        let first = path.first().map(String::as_str);
        if matches!(first, Some("crate" | "self" | "super")) {
            self.paths.push(absolute(&self.at, &BTreeSet::new(), path));
        } else if first.is_some() {
            // Perhaps a module below this one.
            let below: Vec<String> = self.at.iter().chain(path).cloned().collect();
            self.paths.push(below);
        }
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if syntax::is_test(&item.attrs) {
            return;
        }
        if item.content.is_some() {
            self.at.push(item.ident.to_string());
            visit::visit_item_mod(self, item);
            self.at.pop();
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        // What is shown is not used; an import is.
        if matches!(item.vis, Visibility::Inherited) && !syntax::is_test(&item.attrs) {
            for (_, path) in leaves(&item.tree) {
                self.take(&path);
            }
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if names.len() > 1 {
            self.take(&names);
        }
        visit::visit_path(self, path);
    }
}

/// Files that can be reached from each other, a group each, in the order of an import that leads round.
fn circles(arrows: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let reach: BTreeMap<&String, BTreeSet<&String>> = arrows.keys().map(|file| (file, reached(arrows, file))).collect();
    let mut told = BTreeSet::new();
    let mut circles = Vec::new();
    for file in arrows.keys() {
        if !reach[file].contains(file) || told.contains(file) {
            continue;
        }
        told.extend(reach[file].iter().copied().filter(|other| reach[*other].contains(file)));
        circles.push(way_round(arrows, file));
    }
    circles
}

fn reached<'a>(arrows: &'a BTreeMap<String, BTreeSet<String>>, from: &String) -> BTreeSet<&'a String> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&String> = arrows[from].iter().collect();
    while let Some(file) = open.pop() {
        if reached.insert(file) {
            open.extend(arrows.get(file).into_iter().flatten());
        }
    }
    reached
}

/// The shortest way from a file back to itself.
fn way_round(arrows: &BTreeMap<String, BTreeSet<String>>, from: &String) -> Vec<String> {
    let mut ways: Vec<Vec<&String>> = vec![vec![from]];
    let mut seen = BTreeSet::new();
    loop {
        let mut longer = Vec::new();
        for way in ways {
            let last = way[way.len() - 1];
            for next in arrows.get(last).into_iter().flatten() {
                let mut on = way.clone();
                on.push(next);
                if next == from {
                    return on.into_iter().cloned().collect();
                }
                if seen.insert(next) {
                    longer.push(on);
                }
            }
        }
        ways = longer;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walls::files::File;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        breaches(&Files(files.iter().map(|(path, text)| File::new(format!("crates/x/src/{path}"), *text)).collect()))
    }

    #[test]
    fn two_files_that_import_each_other_are_a_circle_and_one_way_is_none() {
        let lib = ("lib.rs", "mod a;\nmod b;\n");
        let b = ("b.rs", "pub struct B;\n");
        assert!(found(&[lib, ("a.rs", "use crate::b::B;\npub struct A(B);\n"), b]).is_empty());
        let round = found(&[
            lib,
            ("a.rs", "use crate::b::B;\npub struct A(B);\n"),
            ("b.rs", "pub struct B;\nfn f() -> crate::a::A { todo!() }\n"),
        ]);
        assert_eq!(round, ["crates/x/src: a.rs -> b.rs -> a.rs"]);
    }

    #[test]
    fn a_file_that_shows_what_lies_below_does_not_use_it() {
        let shown = [
            ("lib.rs", "mod a;\n"),
            ("a/mod.rs", "mod b;\npub use b::B;\npub struct A;\n"),
            ("a/b.rs", "use super::A;\npub struct B(A);\n"),
        ];
        assert!(found(&shown).is_empty());
        let mut used = shown;
        used[1].1 = "mod b;\npub use b::B;\npub struct A;\nfn f() { b::g(); }\n";
        assert_eq!(found(&used), ["crates/x/src: a/b.rs -> a/mod.rs -> a/b.rs"]);
    }

    #[test]
    fn a_name_that_is_shown_is_that_of_the_file_that_defines_it() {
        let files = [
            ("lib.rs", "mod a;\nmod b;\npub use a::A;\n"),
            ("a.rs", "pub struct A;\n"),
            ("b.rs", "use crate::A;\npub struct B(A);\n"),
        ];
        assert!(found(&files).is_empty());
    }
}
