//! The words in which a table of a file is described.
//!
//! They must say only what can be said of a value by itself: that a name is one of a tensor is for readers. Start at [`Table`].

/// A table of a file.
pub struct Table {
    /// How it is written: `[[tensor]]`.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub text: &'static str,
    /// What may stand in it.
    pub fields: &'static [Field],
    /// Exactly one of the fields stands in it.
    pub one: bool,
}

/// A field of a table.
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it may be.
    pub value: Type,
    /// Whether it may be left out.
    pub left: Left,
    /// What it means, in a sentence or two.
    pub text: &'static str,
    /// A value, as TOML.
    pub example: &'static str,
}

/// What holds when a field is left out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// It must not be.
    Never,
    /// A value, or what then holds in words.
    Is(&'static str),
}

/// What a value may be. Wherever a value is described, text that is a parameter (`"${NAME}"`) may stand for it.
pub enum Type {
    /// Text that is not empty.
    Text,
    /// One of some words.
    Words(fn() -> Vec<&'static str>),
    /// Text of some pattern, a regular expression, and what that means.
    Pattern(&'static str, &'static str),
    /// A whole number, between bounds that are included.
    Integer(i64, i64),
    /// A finite number, 0 or above.
    Tolerance,
    /// A finite number.
    Number,
    /// True or false.
    Flag,
    /// A list of as many values as the bounds say, `None` for any number.
    List(&'static Type, usize, Option<usize>),
    /// A list with these values, in this order.
    Each(&'static [Type]),
    /// A table.
    Table(&'static Table),
    /// A list of tables.
    Tables(&'static Table),
    /// A table with names of the user's own.
    Named(&'static Type),
    /// Anything: what it must be is for where it is used.
    Any,
    /// A value that has a plainer name than its parts.
    Called(&'static str, &'static Type),
    /// One of several.
    Either(&'static [Type]),
}

impl Table {
    /// A table whose fields are told apart by `one`.
    pub(super) const fn new(name: &'static str, text: &'static str, fields: &'static [Field]) -> Table {
        Table { name, text, fields, one: false }
    }

    /// A table with exactly one of the fields.
    pub(super) const fn one(name: &'static str, text: &'static str, fields: &'static [Field]) -> Table {
        Table { name, text, fields, one: true }
    }

    /// The names of its fields, in order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.fields.iter().map(|field| field.name)
    }

    /// One of its fields.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

impl Field {
    pub(super) const fn new(
        name: &'static str,
        value: Type,
        left: Left,
        text: &'static str,
        example: &'static str,
    ) -> Field {
        Field { name, value, left, text, example }
    }
}

impl Type {
    /// In words, for a page.
    pub fn words(&self) -> String {
        let list = |parts: &[Type], between: &str| parts.iter().map(Type::words).collect::<Vec<_>>().join(between);
        match self {
            Type::Text => "text".into(),
            Type::Words(words) => words().iter().map(|word| format!("`\"{word}\"`")).collect::<Vec<_>>().join(", "),
            Type::Pattern(_, words) => (*words).into(),
            Type::Integer(least, greatest) if *greatest >= i64::from(u32::MAX) && (0..=1).contains(least) => {
                format!("integer, {least} or above")
            }
            Type::Integer(least, greatest) => format!("integer from {least} to {greatest}"),
            Type::Tolerance => "number, 0 or above".into(),
            Type::Number => "number".into(),
            Type::Flag => "`true`, `false`".into(),
            Type::Any => "anything".into(),
            Type::Called(words, _) => (*words).into(),
            Type::List(of, least, most) => {
                let how_many = match (least, most) {
                    (0, None) => String::new(),
                    (least, None) => format!("{least} or more, "),
                    (least, Some(most)) => format!("{least} to {most}, "),
                };
                format!("list of {how_many}each {}", of.words())
            }
            Type::Each(parts) => format!("[{}]", list(parts, ", ")),
            Type::Table(table) => format!("table, {}", table.name),
            Type::Tables(table) => format!("tables, {}", table.name),
            Type::Named(of) => format!("table of names, each {}", of.words()),
            Type::Either(parts) => list(parts, "; or "),
        }
    }

    /// The tables that it is made of.
    pub fn tables(&self) -> Vec<&'static Table> {
        match self {
            Type::Table(table) | Type::Tables(table) => vec![table],
            Type::List(of, ..) | Type::Named(of) | Type::Called(_, of) => of.tables(),
            Type::Each(parts) | Type::Either(parts) => parts.iter().flat_map(Type::tables).collect(),
            _ => Vec::new(),
        }
    }
}

/// A table and all that stand in it, each once, in the order in which fields name them.
pub fn with_its_tables(root: &'static Table) -> Vec<&'static Table> {
    let mut found = vec![root];
    let mut at = 0;
    while at < found.len() {
        for table in found[at].fields.iter().flat_map(|field| field.value.tables()) {
            if !found.iter().any(|known| std::ptr::eq(*known, table)) {
                found.push(table);
            }
        }
        at += 1;
    }
    found
}
