//! The chips, each a value: its constants, the layout of its NoC, its arithmetic.
//!
//! What operations cost stands in a file a chip ([`cycles`]). Other figures are those of tt-metal's `dev_mem_map.h`, `noc_parameters.h` and allocator, and of the ISA
//! documentation; each names its source where it stands. Code asks the description of a chip for what it needs and never
//! which chip it is, so that one which nobody has described does not compile. Start at [`Chip`].

use tileproof_numerics::chip::{self, Arithmetic};
use tileproof_numerics::sfpu::SfpuOp;

use crate::cycles::{self, Cycles, Sourced};

/// What differs between chips and does not change while one runs.
#[derive(Clone, Copy, Debug)]
pub struct Chip {
    /// The name on the command line, in program files and in JSON.
    pub name: &'static str,
    /// The macro that says to a kernel which chip it is compiled for.
    pub kernel_macro: &'static str,
    /// Bytes of L1 a core (`MEM_L1_SIZE`).
    pub l1_bytes: u32,
    /// First L1 byte that circular buffers may take: end of the reserved map plus the 69 KiB ring of kernel
    /// configurations, as observed with ttnn 0.79.
    pub l1_unreserved_base: u32,
    /// First L1 byte of the kernel configuration ring, where runtime arguments and semaphores lie (`MEM_MAP_END`).
    pub kernel_config_base: u32,
    /// Circular buffers a core (`NUM_CIRCULAR_BUFFERS`).
    pub circular_buffers: u32,
    /// Columns and rows of the compute grid that a program may use.
    pub grid: (u32, u32),
    /// DRAM banks.
    pub dram_banks: u32,
    /// Bytes of a DRAM bank.
    pub dram_bank_bytes: u64,
    /// First DRAM byte of a bank that buffers may take.
    pub dram_unreserved_base: u32,
    /// Alignment of DRAM pages, and the congruence that DRAM reads need.
    pub dram_alignment: u32,
    /// The congruence that reads of the host's memory need (`NOC_PCIE_READ_ALIGNMENT_BYTES`).
    pub pcie_alignment: u32,
    /// Alignment of L1 pages.
    pub l1_alignment: u32,
    /// BRISC and NCRISC may look at L1 through a cache, which does not see what others write there, until it is told to forget
    /// (ISA documentation, `BlackholeA0/TensixTile/BabyRISCV/L1.md`; tt-metal `invalidate_l1_cache`).
    pub caches_l1: bool,
    /// The network on the chip.
    pub noc: NocLayout,
    /// Clock in MHz.
    pub clock_mhz: u32,
    /// What operations cost.
    pub cycles: &'static Cycles,
    /// The same, each constant with its source.
    pub cycles_sourced: &'static [Sourced],
    /// What differs in the arithmetic of the units.
    pub arithmetic: Arithmetic,
}

/// Where things lie on the NoC, and what it carries at a time.
#[derive(Clone, Copy, Debug)]
pub struct NocLayout {
    /// Longest packet in bytes (`NOC_MAX_BURST_SIZE`).
    pub max_burst: u32,
    /// A flag that is multicast right behind its data may overtake them: kernels flush in between on this chip alone (tt-metal,
    /// `reader_bmm_tile_layout_in0_sender_padding.cpp` and pull request 33958).
    pub flags_may_overtake: bool,
    /// Coordinates of logical core (0,0) (`VIRTUAL_TENSIX_START`).
    pub tensix_origin: (u32, u32),
    /// Columns within the compute grid that have other nodes: the first, and how many.
    pub gap: (u32, u32),
    /// The node of each DRAM bank.
    pub dram_nodes: &'static [(u32, u32)],
    /// Columns and rows of the torus.
    pub torus: (u32, u32),
    /// Where in the torus the columns and rows of the compute grid are.
    pub places: (&'static [u32], &'static [u32]),
}

impl NocLayout {
    /// Where in the torus a logical core is. Coordinates that kernels use may be others: those of [`NocLayout::of_core`].
    pub fn place_of_core(&self, x: u32, y: u32) -> (u32, u32) {
        (self.places.0[x as usize], self.places.1[y as usize])
    }

    /// Coordinates of a logical core.
    pub const fn of_core(&self, x: u32, y: u32) -> (u32, u32) {
        let column = self.tensix_origin.0 + x;
        (column + if column >= self.gap.0 { self.gap.1 } else { 0 }, self.tensix_origin.1 + y)
    }

    /// The logical core at these coordinates, as far as a grid goes.
    pub const fn core_at(&self, x: u32, y: u32) -> Option<(u32, u32)> {
        let (first, columns) = self.gap;
        let (ox, oy) = self.tensix_origin;
        let is_between = first <= x && x < first + columns;
        let column = if x < first { x } else { x.saturating_sub(columns) };
        if is_between || column < ox || y < oy { None } else { Some((column - ox, y - oy)) }
    }
}

impl Chip {
    /// Whether the results of an operation of the vector unit are known on this chip.
    pub fn knows(&self, op: SfpuOp) -> bool {
        op.row().runs_on(self.arithmetic.sfpu.recorded)
    }
}

macro_rules! chips {
    ($($(#[$doc:meta])* $name:ident = $description:ident;)*) => {
        /// Which chip a program is for.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Arch {
            $($(#[$doc])* $name,)*
        }

        impl Arch {
            /// Every chip.
            pub const ALL: [Arch; [$($description,)*].len()] = [$(Arch::$name,)*];

            /// The description of the chip.
            pub const fn constants(self) -> &'static Chip {
                match self {
                    $(Arch::$name => &$description,)*
                }
            }
        }
    };
}

chips! {
    /// Wormhole B0: n150, n300.
    Wormhole = WORMHOLE;
    /// Blackhole A0: p100, p150.
    Blackhole = BLACKHOLE;
}

impl Default for Arch {
    fn default() -> Arch {
        Arch::DEFAULT
    }
}

impl Arch {
    /// The chip of a program, a call or an op that names none.
    pub const DEFAULT: Arch = Arch::Wormhole;

    /// The name on the command line and in JSON.
    pub const fn name(self) -> &'static str {
        self.constants().name
    }

    /// The most circular buffers that a core of any chip has.
    pub const MOST_CIRCULAR_BUFFERS: u32 = {
        let (mut most, mut at) = (0, 0);
        while at < Arch::ALL.len() {
            let buffers = Arch::ALL[at].constants().circular_buffers;
            most = if buffers > most { buffers } else { most };
            at += 1;
        }
        most
    };

    /// The most DRAM banks that any chip has.
    pub const MOST_DRAM_BANKS: u32 = {
        let (mut most, mut at) = (0, 0);
        while at < Arch::ALL.len() {
            let banks = Arch::ALL[at].constants().dram_banks;
            most = if banks > most { banks } else { most };
            at += 1;
        }
        most
    };

    /// Below this offset L1 is the firmware's on every chip.
    pub const LEAST_UNRESERVED_BASE: u32 = {
        let (mut least, mut at) = (u32::MAX, 0);
        while at < Arch::ALL.len() {
            let base = Arch::ALL[at].constants().l1_unreserved_base;
            least = if base < least { base } else { least };
            at += 1;
        }
        least
    };
}

const WORMHOLE: Chip = Chip {
    name: "wormhole",
    kernel_macro: "ARCH_WORMHOLE",
    l1_bytes: 1464 * 1024,
    // ttnn 0.79 refuses buffers that would end beyond L1 exactly as if they began here.
    l1_unreserved_base: 105_696,
    kernel_config_base: 32_768,
    circular_buffers: 32,
    grid: (8, 8),
    dram_banks: 12,
    dram_bank_bytes: 1 << 30,
    dram_unreserved_base: 1 << 20,
    dram_alignment: 32,
    pcie_alignment: 32,
    l1_alignment: 16,
    caches_l1: false,
    noc: NocLayout {
        max_burst: 8192,
        flags_may_overtake: false,
        tensix_origin: (18, 18),
        gap: (0, 0),
        // The first two nodes of each controller (tt-npe's description).
        dram_nodes: &[(0, 0), (0, 1), (0, 5), (0, 6), (5, 0), (5, 1), (5, 2), (5, 9), (5, 3), (5, 4), (5, 5), (5, 6)],
        // tt-metal's `wormhole_b0_80_arch.yaml`. Which two of ten rows of cores a card lacks differs: the last ones here.
        torus: (10, 12),
        places: (&[1, 2, 3, 4, 6, 7, 8, 9], &[1, 2, 3, 4, 5, 7, 8, 9]),
    },
    clock_mhz: 1000,
    cycles: &cycles::WORMHOLE,
    cycles_sourced: cycles::WORMHOLE_SOURCES,
    arithmetic: chip::WORMHOLE,
};

const BLACKHOLE: Chip = Chip {
    name: "blackhole",
    kernel_macro: "ARCH_BLACKHOLE",
    l1_bytes: 1536 * 1024,
    l1_unreserved_base: 111_360,
    kernel_config_base: 40_704,
    circular_buffers: 64,
    grid: (13, 10),
    dram_banks: 8,
    dram_bank_bytes: 4_177_920 << 10,
    dram_unreserved_base: 1 << 20,
    dram_alignment: 64,
    pcie_alignment: 64,
    l1_alignment: 16,
    caches_l1: true,
    noc: NocLayout {
        max_burst: 16384,
        flags_may_overtake: true,
        tensix_origin: (1, 2),
        // DRAM is in column 9 (ISA documentation, `BlackholeA0/NoC`).
        gap: (8, 2),
        // One of the three nodes of a bank.
        dram_nodes: &[(0, 0), (0, 2), (0, 4), (0, 6), (9, 0), (9, 2), (9, 4), (9, 6)],
        // tt-metal's `blackhole_140_arch.yaml`; which columns a card lacks differs: the last ones here.
        torus: (17, 12),
        places: (&[1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15], &[2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
    },
    clock_mhz: 1350,
    cycles: &cycles::BLACKHOLE,
    cycles_sourced: cycles::BLACKHOLE_SOURCES,
    arithmetic: chip::BLACKHOLE,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_agree_with_themselves_and_with_the_names_in_json() {
        for arch in Arch::ALL {
            let chip = arch.constants();
            assert_eq!(format!("{arch:?}").to_lowercase(), chip.name);
            assert_eq!(chip.noc.dram_nodes.len(), chip.dram_banks as usize, "{}", chip.name);
            let ((columns, rows), (xs, ys)) = (chip.noc.torus, chip.noc.places);
            assert_eq!((xs.len() as u32, ys.len() as u32), chip.grid, "{}", chip.name);
            assert!(xs.is_sorted_by(|a, b| a < b) && ys.is_sorted_by(|a, b| a < b), "{}", chip.name);
            let cores = xs.iter().flat_map(|x| ys.iter().map(move |y| (*x, *y)));
            for place in cores.chain(chip.noc.dram_nodes.iter().copied()) {
                assert!(place.0 < columns && place.1 < rows, "{}: {place:?}", chip.name);
            }
            assert!(chip.dram_bank_bytes <= 1 << 32, "{}: addresses in a bank have 32 bits", chip.name);
        }
    }
}
