//! What Rust and C++ kernels must agree on is declared once: these macros make the Rust of it, and keep a description of which the
//! C++ header is written (`abi_table.rs` of tileproof-build).
//!
//! A description must hold all that the header says: nothing of it may be written by hand a second time. Start at `constants!`;
//! the declarations are in [`crate::abi`] and [`crate::op_word`].

/// A type that C++ spells in its own way.
pub trait Spelled {
    /// How.
    const CPP: &'static str;
}

/// Says how C++ spells types of the same layout.
macro_rules! spelled {
    ($($type:ty => $cpp:literal,)*) => {
        $(impl $crate::declare::Spelled for $type {
            const CPP: &'static str = $cpp;
        })*
    };
}

spelled! {
    () => "void",
    u8 => "uint8_t",
    u32 => "uint32_t",
    u64 => "uint64_t",
    usize => "size_t",
    *const u8 => "const char*",
    *mut u8 => "char*",
    *const u32 => "const uint32_t*",
    *mut u32 => "uint32_t*",
    *mut u64 => "uint64_t*",
    &[u32; 4] => "const uint32_t*",
}

/// Numbers that go by names, in a module of Rust and a namespace of C++.
pub struct Constants {
    /// Its name.
    pub group: &'static str,
    /// The type of all of them, as C++ spells it.
    pub cpp: &'static str,
    /// Names and numbers.
    pub values: &'static [(&'static str, u64)],
}

/// Modules of named numbers, and `CONSTANTS`, which describes them.
macro_rules! constants {
    ($(
        $(#[$about:meta])*
        pub mod $group:ident: $type:ident { $($(#[$doc:meta])* $name:ident = $value:expr,)* }
    )*) => {
        $(
            $(#[$about])*
            pub mod $group {
                $($(#[$doc])* pub const $name: $type = $value;)*
            }
        )*

        /// The modules of named numbers above.
        pub const CONSTANTS: &[$crate::declare::Constants] = &[$($crate::declare::Constants {
            group: stringify!($group),
            cpp: <$type as $crate::declare::Spelled>::CPP,
            values: &[$((stringify!($name), $group::$name as u64)),*],
        }),*];
    };
}

/// A field of a struct or of a word, or an argument: its name, and its type as C++ spells it.
pub type Named = (&'static str, &'static str);

/// A struct whose memory kernels see.
pub struct Record {
    /// Its name.
    pub name: &'static str,
    /// Fields in order.
    pub fields: &'static [Named],
    /// Its size.
    pub bytes: usize,
}

/// A struct with the layout of C, and `RECORD`, which describes it.
macro_rules! record {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[$doc:meta])* pub $field:ident: $type:ident,)* }) => {
        $(#[$about])*
        #[repr(C)]
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl $name {
            /// It, for C++.
            pub const RECORD: $crate::declare::Record = $crate::declare::Record {
                name: stringify!($name),
                fields: &[$((stringify!($field), <$type as $crate::declare::Spelled>::CPP)),*],
                bytes: size_of::<$name>(),
            };
        }
    };
}

/// Fields that share a `u64`, and `FIELDS`: each with the lowest of its bits.
macro_rules! word {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[$doc:meta])* $field:ident: $type:ident << $low:literal,)* }) => {
        $(#[$about])*
        #[repr(transparent)]
        pub struct $name(pub u64);

        impl $name {
            /// The fields in order, each with the lowest of its bits.
            pub const FIELDS: &[($crate::declare::Named, u32)] =
                &[$(((stringify!($field), <$type as $crate::declare::Spelled>::CPP), $low)),*];

            /// Puts a word together.
            pub const fn new($($field: $type),*) -> $name {
                $name($(($field as u64) << $low)|*)
            }

            $(
                $(#[$doc])*
                pub const fn $field(self) -> $type {
                    (self.0 >> $low) as $type
                }
            )*
        }

        spelled! { $name => "uint64_t", }
    };
}

pub(crate) use {constants, record, spelled, word};

/// A function of the table.
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// Arguments in order.
    pub arguments: &'static [Named],
    /// What it gives back, as C++ spells it.
    pub returns: &'static str,
}

/// Functions on one subject.
pub struct Group {
    /// What they are about.
    pub subject: &'static str,
    /// Functions in order.
    pub functions: &'static [Function],
}
