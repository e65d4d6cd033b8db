//! The five threads of a Tensix core, and where a core sits.

/// One of the five RISC-V threads of a Tensix core. A compute kernel runs on the last three.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Thread {
    /// Data movement 0, RISCV_0: by default the writer.
    Brisc = 0,
    /// Data movement 1, RISCV_1: by default the reader.
    Ncrisc = 1,
    /// Compute thread 0, TRISC0: feeds the unpackers.
    Unpack = 2,
    /// Compute thread 1, TRISC1: issues to the matrix and vector units.
    Math = 3,
    /// Compute thread 2, TRISC2: drives the packers.
    Pack = 4,
}

impl Thread {
    /// All threads, in the order that breaks ties.
    pub const ALL: [Thread; 5] = [Thread::Brisc, Thread::Ncrisc, Thread::Unpack, Thread::Math, Thread::Pack];

    /// The name that reports print, as tt-metal's tools spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Thread::Brisc => "BRISC",
            Thread::Ncrisc => "NCRISC",
            Thread::Unpack => "UNPACK",
            Thread::Math => "MATH",
            Thread::Pack => "PACK",
        }
    }

    /// True for BRISC and NCRISC.
    pub const fn is_data_movement(self) -> bool {
        matches!(self, Thread::Brisc | Thread::Ncrisc)
    }
}

impl std::fmt::Display for Thread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A core by its logical coordinates, x to the right, y down.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CoreCoord {
    /// Column.
    pub x: u32,
    /// Row.
    pub y: u32,
}

impl std::fmt::Display for CoreCoord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({},{})", self.x, self.y)
    }
}

/// A rectangle of cores, both corners included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CoreRange {
    /// Upper left corner.
    pub start: CoreCoord,
    /// Lower right corner.
    pub end: CoreCoord,
}

impl CoreRange {
    /// The range that holds one core.
    pub const fn single(core: CoreCoord) -> CoreRange {
        CoreRange { start: core, end: core }
    }

    /// True if `core` lies in the rectangle.
    pub const fn contains(&self, core: CoreCoord) -> bool {
        core.x >= self.start.x && core.x <= self.end.x && core.y >= self.start.y && core.y <= self.end.y
    }

    /// The cores of the rectangle, column by column.
    pub fn cores(&self) -> impl Iterator<Item = CoreCoord> + use<> {
        let CoreRange { start, end } = *self;
        (start.x..=end.x).flat_map(move |x| (start.y..=end.y).map(move |y| CoreCoord { x, y }))
    }
}
