//! The constants of the chips.
//!
//! Figures are those of tt-metal's `dev_mem_map.h`, `noc_parameters.h` and allocator, and of the ISA
//! documentation; each names its source where it stands. The engine reads them from here and nowhere else.

use serde::{Deserialize, Serialize};
use tileproof_numerics::chip::{self, Arithmetic};

/// A chip.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Arch {
    /// Wormhole B0: n150, n300.
    Wormhole,
    /// Blackhole A0: p100, p150.
    Blackhole,
}

/// What differs between chips and does not change while one runs.
#[derive(Clone, Copy, Debug)]
pub struct ArchConstants {
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
    /// First DRAM byte of a bank that buffers may take.
    pub dram_unreserved_base: u32,
    /// Alignment of DRAM pages, and the congruence that DRAM reads need.
    pub dram_alignment: u32,
    /// Alignment of L1 pages.
    pub l1_alignment: u32,
    /// Longest NoC packet in bytes (`NOC_MAX_BURST_SIZE`).
    pub noc_max_burst: u32,
    /// NoC coordinates of logical core (0,0) (`VIRTUAL_TENSIX_START`).
    pub virtual_tensix_origin: (u32, u32),
    /// Clock in MHz.
    pub clock_mhz: u32,
    /// What differs in the arithmetic of the units.
    pub arithmetic: Arithmetic,
}

impl Arch {
    /// The constants of the chip.
    pub const fn constants(self) -> &'static ArchConstants {
        match self {
            Arch::Wormhole => &WORMHOLE,
            Arch::Blackhole => &BLACKHOLE,
        }
    }

    /// The name on the command line and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Arch::Wormhole => "wormhole",
            Arch::Blackhole => "blackhole",
        }
    }
}

const WORMHOLE: ArchConstants = ArchConstants {
    l1_bytes: 1464 * 1024,
    // ttnn 0.79 refuses buffers that would end beyond L1 exactly as if they began here.
    l1_unreserved_base: 105_696,
    kernel_config_base: 32_768,
    circular_buffers: 32,
    grid: (8, 8),
    dram_banks: 12,
    dram_unreserved_base: 1 << 20,
    dram_alignment: 32,
    l1_alignment: 16,
    noc_max_burst: 8192,
    virtual_tensix_origin: (18, 18),
    clock_mhz: 1000,
    arithmetic: chip::WORMHOLE,
};

const BLACKHOLE: ArchConstants = ArchConstants {
    l1_bytes: 1536 * 1024,
    l1_unreserved_base: 111_360,
    kernel_config_base: 40_704,
    circular_buffers: 64,
    grid: (13, 10),
    dram_banks: 8,
    dram_unreserved_base: 1 << 20,
    dram_alignment: 64,
    l1_alignment: 16,
    noc_max_burst: 16384,
    virtual_tensix_origin: (1, 2),
    clock_mhz: 1350,
    arithmetic: chip::BLACKHOLE,
};
