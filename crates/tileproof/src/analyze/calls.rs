//! The calls of the kernel API as far as analysis needs them: which threads run them, which arguments are circular
//! buffers, and whether they program a unit.
//!
//! Threads are those of tt-metal's headers (`api/compute`, `api/dataflow`): a call of a compute kernel acts on some of its
//! three threads. Start at [`known`].

/// What a call does with a circular buffer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Action {
    Reserve,
    Push,
    Wait,
    Pop,
    /// Reads pages of it.
    Read,
    /// Writes pages of it.
    Write,
    /// Programs a unit for it.
    Program,
}

impl Action {
    pub(super) fn name(self) -> &'static str {
        match self {
            Action::Reserve => "reserve",
            Action::Push => "push",
            Action::Wait => "wait",
            Action::Pop => "pop",
            Action::Read => "read",
            Action::Write => "write",
            Action::Program => "program",
        }
    }
}

/// A call of the API.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Known {
    /// Threads; empty for the one thread of a data-movement kernel.
    pub(super) threads: &'static [&'static str],
    /// It programs a unit and moves no data.
    pub(super) init: bool,
    /// Arguments that are circular buffers, and what is done with them.
    pub(super) buffers: Vec<(usize, Action)>,
    /// The argument that counts pages.
    pub(super) count: Option<usize>,
}

const UNPACK: &[&str] = &["UNPACK"];
const MATH: &[&str] = &["MATH"];
const PACK: &[&str] = &["PACK"];
const UNPACK_MATH: &[&str] = &["UNPACK", "MATH"];
const ALL: &[&str] = &["UNPACK", "MATH", "PACK"];

/// The four calls on circular buffers, free or as methods.
const FLOW: [(&str, &str, Action, &[&str]); 4] = [
    ("cb_reserve_back", "reserve_back", Action::Reserve, PACK),
    ("cb_push_back", "push_back", Action::Push, PACK),
    ("cb_wait_front", "wait_front", Action::Wait, UNPACK),
    ("cb_pop_front", "pop_front", Action::Pop, UNPACK),
];

/// A method on a circular buffer object.
pub(super) fn method(name: &str, compute: bool) -> Option<Known> {
    let (_, _, action, threads) = FLOW.iter().find(|(_, method, ..)| *method == name)?;
    let threads = if compute { threads } else { &[][..] };
    Some(Known { threads, init: false, buffers: vec![(0, *action)], count: Some(0) })
}

/// A free function of the API; `None` if it is none. `inputs` of an operation come first, as everywhere in the headers.
pub(super) fn known(name: &str, compute: bool) -> Option<Known> {
    let of = |threads, init, buffers: &[(usize, Action)]| {
        Some(Known { threads, init, buffers: buffers.to_vec(), count: None })
    };
    if let Some((_, _, action, threads)) = FLOW.iter().find(|(free, ..)| *free == name) {
        let threads = if compute { threads } else { &[][..] };
        return Some(Known { threads, init: false, buffers: vec![(0, *action)], count: Some(1) });
    }
    match name {
        "get_write_ptr" => return of(&[], false, &[(0, Action::Write)]),
        "get_read_ptr" => return of(&[], false, &[(0, Action::Read)]),
        "tile_regs_acquire" | "tile_regs_commit" => return of(MATH, false, &[]),
        "tile_regs_wait" | "tile_regs_release" => return of(PACK, false, &[]),
        "acquire_dst" | "release_dst" => return of(&["MATH", "PACK"], false, &[]),
        "pack_tile" => return of(PACK, false, &[(1, Action::Write)]),
        "pack_tile_block" => return of(PACK, false, &[(1, Action::Write)]),
        "pack_untilize_dest" => return of(PACK, false, &[(0, Action::Write)]),
        "copy_tile" | "transpose_wh_tile" | "transpose_tile" | "unary_bcast" | "copy_block_matmul_partials" => {
            return of(UNPACK_MATH, false, &[(0, Action::Read)]);
        }
        "reduce_tile" | "matmul_tiles" | "matmul_block" => {
            return of(UNPACK_MATH, false, &[(0, Action::Read), (1, Action::Read)]);
        }
        "binary_dest_reuse_tiles" => return of(UNPACK_MATH, false, &[(0, Action::Read)]),
        "tilize_block" | "untilize_block" | "pack_untilize_block" => {
            return of(ALL, false, &[(0, Action::Read), (2, Action::Write)]);
        }
        "compute_kernel_hw_startup" | "binary_op_init_common" | "mm_init" => {
            return of(ALL, true, &[(0, Action::Program), (1, Action::Program), (2, Action::Program)]);
        }
        "init_sfpu" | "unary_op_init_common" => return of(ALL, true, &[(0, Action::Program), (1, Action::Program)]),
        "reduce_init" | "transpose_wh_init" | "init_bcast" => return of(ALL, true, &[]),
        "reduce_uninit" => return of(PACK, true, &[]),
        "tilize_uninit" => return of(UNPACK, true, &[]),
        "pack_untilize_init" => return of(ALL, true, &[]),
        "DPRINT" | "ASSERT" | "WAYPOINT" => return None,
        _ => {}
    }
    if name.starts_with("noc_") || name.starts_with("get_noc_addr") {
        return of(&[], false, &[]);
    }
    if name.starts_with("sfpu_") {
        return of(MATH, name.ends_with("_init"), &[]);
    }
    let init =
        ["_init", "_init_short", "_uninit", "_init_short_with_dt", "_init_common"].iter().any(|e| name.ends_with(e));
    if name.starts_with("pack_") {
        return of(PACK, init || name.contains("reconfig") || name.contains("relu"), &[]);
    }
    if name.starts_with("reconfig_data_format") {
        return of(UNPACK_MATH, true, &[]);
    }
    if name.contains("_tiles") && !init {
        return of(UNPACK_MATH, false, &[(0, Action::Read), (1, Action::Read)]);
    }
    if init {
        // Of a vector-unit operation only MATH is programmed.
        return of(
            if name.contains("_tile_init") && !name.starts_with("copy") { MATH } else { UNPACK_MATH },
            true,
            &[],
        );
    }
    if name.ends_with("_tile") { of(MATH, false, &[]) } else { None }
}
