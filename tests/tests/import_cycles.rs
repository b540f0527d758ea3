//! Modules of one folder form no cycle of imports: who reads a crate can start at the bottom.
//!
//! A module is a file or a folder; everything inside a folder counts as the folder where it meets its siblings. What the
//! root of a folder re-exports counts as the module that it comes from.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::visit::Visit;

/// A path of modules from the root of the crate.
type Module = Vec<String>;

/// What the files of a crate say of each other.
#[derive(Default)]
struct Crate {
    /// The paths that each module names, resolved to start at the root of the crate.
    names: BTreeMap<Module, BTreeSet<Module>>,
    /// What `pub use` in a module makes of its own: the name, and the path that stands behind it.
    exports: BTreeMap<Module, BTreeMap<String, Module>>,
}

/// Reads the imports and the paths of one file.
struct Reader<'a> {
    module: Module,
    file: &'a mut Crate,
}

impl Reader<'_> {
    /// The path from the root of the crate, if the path is one of this crate.
    fn resolve(&self, path: &[String]) -> Option<Module> {
        let mut at = match path.first()?.as_str() {
            "crate" => Vec::new(),
            "self" => self.module.clone(),
            "super" => self.module[..self.module.len().checked_sub(1)?].to_vec(),
            _ => return None,
        };
        for name in &path[1..] {
            match name.as_str() {
                "super" => drop(at.pop()),
                name => at.push(name.to_owned()),
            }
        }
        Some(at)
    }

    fn name(&mut self, path: &[String]) {
        if let Some(path) = self.resolve(path) {
            self.file.names.entry(self.module.clone()).or_default().insert(path);
        }
    }

    fn imported(&mut self, tree: &syn::UseTree, before: &mut Vec<String>, exported: bool) {
        match tree {
            syn::UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.imported(&path.tree, before, exported);
                before.pop();
            }
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.imported(tree, before, exported));
            }
            syn::UseTree::Glob(_) => self.name(before),
            syn::UseTree::Name(syn::UseName { ident }) => self.leaf(before, ident, ident, exported),
            syn::UseTree::Rename(syn::UseRename { ident, rename, .. }) => {
                self.leaf(before, ident, rename, exported);
            }
        }
    }

    fn leaf(&mut self, before: &[String], ident: &syn::Ident, alias: &syn::Ident, exported: bool) {
        let mut path = before.to_vec();
        if ident != "self" {
            path.push(ident.to_string());
        }
        if exported {
            // `pub use child::Thing` is relative to the module.
            let from_here = || [self.module.clone(), path.clone()].concat();
            let behind = self.resolve(&path).unwrap_or_else(from_here);
            self.file.exports.entry(self.module.clone()).or_default().insert(alias.to_string(), behind);
        } else {
            self.name(&path);
        }
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

impl<'a> Visit<'a> for Reader<'_> {
    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        if !is_test(&item.attrs) {
            let exported = !matches!(item.vis, syn::Visibility::Inherited);
            self.imported(&item.tree, &mut Vec::new(), exported);
        }
    }

    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        if !is_test(&item.attrs) {
            syn::visit::visit_item_mod(self, item);
        }
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.name(&names);
        syn::visit::visit_path(self, path);
    }
}

fn read(folder: &Path, module: &Module, found: &mut Crate) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("sources").flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let mut inner = module.clone();
        if !["lib", "main", "mod"].contains(&stem.as_str()) {
            inner.push(stem.clone());
        }
        if path.is_dir() {
            read(&path, &inner, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && stem != "tests" {
            let text = std::fs::read_to_string(&path).expect("a source");
            let file = syn::parse_file(&text).expect("Rust");
            Reader { module: inner, file: found }.visit_file(&file);
        }
    }
}

impl Crate {
    /// The path behind re-exports.
    fn behind(&self, path: &Module) -> Module {
        for length in 0..path.len() {
            let Some(exported) = self.exports.get(&path[..length]) else { continue };
            if let Some(behind) = exported.get(&path[length])
                && !path.starts_with(behind)
            {
                return self.behind(&[behind.clone(), path[length + 1..].to_vec()].concat());
            }
        }
        path.clone()
    }

    /// For each folder, which of its modules names which of their siblings.
    fn arrows(&self) -> BTreeMap<Module, BTreeMap<String, BTreeSet<String>>> {
        let mut all: BTreeMap<Module, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
        let modules: BTreeSet<&Module> = self.names.keys().chain(self.exports.keys()).collect();
        let is_module = |path: &[String]| modules.iter().any(|module| module.starts_with(path));
        for (module, names) in &self.names {
            for path in names {
                let path = self.behind(path);
                let common = module.iter().zip(&path).take_while(|(one, other)| one == other).count();
                if common < module.len() && common < path.len() && is_module(&path[..=common]) {
                    let folder = all.entry(module[..common].to_vec()).or_default();
                    folder.entry(module[common].clone()).or_default().insert(path[common].clone());
                }
            }
        }
        all
    }
}

/// A shortest way from `start` back to it.
fn cycle(arrows: &BTreeMap<String, BTreeSet<String>>, start: &str) -> Option<Vec<String>> {
    let mut ways = vec![vec![start.to_owned()]];
    let mut seen = BTreeSet::new();
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in ways {
            for next in way.last().and_then(|last| arrows.get(last)).into_iter().flatten() {
                let way = [way.clone(), vec![next.clone()]].concat();
                if next == start {
                    return Some(way);
                }
                if seen.insert(next.clone()) {
                    longer.push(way);
                }
            }
        }
        ways = longer;
    }
    None
}

#[test]
fn no_modules_import_each_other_in_a_circle() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace").join("crates");
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(&crates).expect("crates").flatten().map(|entry| entry.path()).collect();
    names.sort();
    let mut found = BTreeSet::new();
    for folder in names {
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let mut read_crate = Crate::default();
        read(&folder.join("src"), &Vec::new(), &mut read_crate);
        assert!(!read_crate.names.is_empty() || name.len() > 3, "{name} has no modules");
        for (inside, arrows) in read_crate.arrows() {
            for module in arrows.keys() {
                let Some(way) = cycle(&arrows, module) else { continue };
                // Each cycle once, from its least module.
                if way.iter().min() == Some(module) {
                    found.insert(format!("{name} {}: {}", inside.join("/"), way.join(" → ")));
                }
            }
        }
    }
    let found: Vec<String> = found.into_iter().collect();
    assert!(found.is_empty(), "cycles of imports:\n{}", found.join("\n"));
}

#[test]
fn a_planted_cycle_is_found() {
    let arrows = |list: &[(&str, &str)]| {
        let mut arrows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (from, to) in list {
            arrows.entry((*from).into()).or_default().insert((*to).into());
        }
        arrows
    };
    assert_eq!(cycle(&arrows(&[("a", "b"), ("b", "c")]), "a"), None);
    let way = cycle(&arrows(&[("a", "b"), ("b", "c"), ("c", "a")]), "a").expect("a cycle");
    assert_eq!(way, ["a", "b", "c", "a"]);
}
