//! Functions are short: what does not fit a screen has parts that want a name.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Expr, Stmt};

use super::files::Files;
use super::syntax;

/// A function has fewer lines than this, its signature aside.
const LINES: usize = 80;

/// Functions that are too long, tests and tables apart.
pub(super) fn breaches(files: &Files) -> Vec<String> {
    let mut found = Vec::new();
    for file in files.rust().filter(|file| syntax::is_source(&file.path)) {
        match syntax::parse(file) {
            Ok(parsed) => {
                let mut functions = Functions { path: &file.path, found: &mut found };
                functions.visit_file(&parsed);
            }
            Err(message) => found.push(message),
        }
    }
    found
}

struct Functions<'a> {
    path: &'a str,
    found: &'a mut Vec<String>,
}

impl Functions<'_> {
    fn look(&mut self, name: &syn::Ident, block: &Block) {
        let span = block.span();
        let lines = span.end().line - span.start().line + 1;
        if lines >= LINES && !is_table(block) {
            self.found.push(format!(
                "{}:{}: fn {name} has {lines} lines; fewer than {LINES} are allowed",
                self.path,
                span.start().line
            ));
        }
    }
}

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !syntax::is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !syntax::is_test(&item.attrs) {
            self.look(&item.sig.ident, &item.block);
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.look(&item.sig.ident, block);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.look(&item.sig.ident, &item.block);
        visit::visit_impl_item_fn(self, item);
    }
}

/// A function that is one list, or one choice with an answer a line.
fn is_table(block: &Block) -> bool {
    let Some(Stmt::Expr(last, None)) = block.stmts.last() else { return false };
    let span = last.span();
    let own = block.span();
    let rest = (own.end().line - own.start().line) - (span.end().line - span.start().line);
    let is_list = match last {
        Expr::Match(choice) => choice.arms.iter().all(|arm| lines(arm) <= 3),
        Expr::Array(list) => list.elems.iter().all(|element| lines(element) <= 3),
        Expr::Macro(list) => list.mac.path.is_ident("vec") || list.mac.path.is_ident("json"),
        Expr::Struct(value) => value.fields.iter().all(|field| lines(field) <= 3),
        _ => false,
    };
    is_list && rest <= 10
}

fn lines(of: &impl Spanned) -> usize {
    of.span().end().line - of.span().start().line + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walls::files::File;

    fn found(text: &str) -> Vec<String> {
        breaches(&Files(vec![File::new("crates/a/src/b.rs", text)]))
    }

    #[test]
    fn a_function_of_eighty_lines_is_too_long_and_one_of_fewer_is_not() {
        let body = |lines: usize| format!("fn long() {{\n{}}}\n", "    step();\n".repeat(lines - 2));
        assert_eq!(found(&body(80)), ["crates/a/src/b.rs:1: fn long has 80 lines; fewer than 80 are allowed"]);
        assert!(found(&body(79)).is_empty());
    }

    #[test]
    fn tests_and_choices_with_an_answer_a_line_may_be_long() {
        let arms = (0..100).map(|n| format!("        {n} => {n} + 1,\n")).collect::<String>();
        assert!(
            found(&format!("fn table(n: u32) -> u32 {{\n    match n {{\n{arms}        _ => 0,\n    }}\n}}\n"))
                .is_empty()
        );
        let body = "    step();\n".repeat(100);
        assert!(found(&format!("#[cfg(test)]\nmod tests {{\n    fn long() {{\n{body}    }}\n}}\n")).is_empty());
    }
}
