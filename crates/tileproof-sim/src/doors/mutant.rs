//! The doors of a program that runs with one thing wrong: a call is changed where the mutant says so, and is what it is elsewhere.
//!
//! Only runs that nobody observes have them. Start at [`table`].

use tileproof_model::abi::{Abi, Site, configure, operand};
use tileproof_model::mutant::Change;
use tileproof_model::observe::Observer;
use tileproof_model::op_word::{
    OpWord, broadcast, describe_math, describe_unpack, edge_mask, flag, math_kind, pool, unpack_kind,
};
use tileproof_model::wording::cb_name;
use tileproof_numerics::dst::{DST_ROWS, TILE_ROWS};
use tileproof_numerics::sfpu::SfpuOp;
use tileproof_numerics::tile::Tile;

use crate::core::Core;
use crate::doors::befalls::{change, subject};
use crate::doors::core_door::core_door;
use crate::doors::{compute, noc, parts, steps};
use crate::engine::Engine;
use crate::mutation::Mutation;
use crate::step::Step;
use crate::tensix::state::Programmed;
use crate::turns::{call, with};

/// A table of doors with those in place of its own that a change can befall.
pub(super) const fn table<O: Observer>(doors: &Abi) -> Abi {
    Abi {
        unpack: unpack::<O>,
        unpack_configure: unpack_configure::<O>,
        math_configure: math_configure::<O>,
        pack_configure: pack_configure::<O>,
        math: math::<O>,
        sfpu: sfpu::<O>,
        sfpu_steps: steps::sfpu_steps_or_none::<O>,
        tile_regs_commit: parts::tile_regs_commit::<O>,
        pack_tile: pack_tile::<O>,
        pack_l1_acc: pack_l1_acc::<O>,
        pack_edge_mask: pack_edge_mask::<O>,
        pack_relu_config: pack_relu_config::<O>,
        noc_read: noc_read::<O>,
        noc_write: noc_write::<O>,
        noc_multicast: noc_multicast::<O>,
        ..*doors
    }
}

/// Transfers of fewer bytes are words, not tiles or rows: cut in half they would be none.
const SHORTEST: u32 = 32;

/// The other axis of a broadcast.
fn other_axis(axis: u8) -> u8 {
    if axis == broadcast::COL { broadcast::ROW } else { broadcast::COL }
}

extern "C-unwind" fn unpack<O: Observer>(site: Site, word: OpWord, cb_a: u32, cb_b: u32, tile_a: u32, tile_b: u32) {
    if let Some([held, other]) = with::<O, _>(site, |engine, _| engine.mutation.as_ref()?.constant) {
        return unpack_replacing::<O>(site, word, cb_a, cb_b, tile_a, tile_b, held, other);
    }
    let has_two = matches!(word.kind(), unpack_kind::AB | unpack_kind::AB_MATMUL);
    let is_reduce = word.kind() == unpack_kind::AB_REDUCE;
    // A maximum with another scaler than 1 is nothing that is known.
    let scales = is_reduce && word.a() != pool::MAX;
    let whole = has_two || is_reduce || word.kind() == unpack_kind::A;
    let data = if scaler_first(word) { cb_b } else { cb_a };
    let befalls = change::<O>(site, |core| {
        let pages = core.cbs.get(data as usize).and_then(Option::as_ref).map_or(0, |buffer| buffer.num_pages);
        subject(
            describe_unpack(word),
            &[
                (whole && pages > 1, Change::TileOffByOne),
                (has_two && (cb_a, tile_a) != (cb_b, tile_b), Change::OperandsExchanged),
                (scales, Change::ScalerTruncated),
                (scales, Change::ScalerStale),
            ],
        )
    });
    match befalls.or_else(|| other_broadcast::<O>(site, spreads(word))) {
        Some(Change::TileOffByOne) => {
            let beside = |tile: u32| if tile == 0 { 1 } else { tile - 1 };
            let (tile_a, tile_b) = if scaler_first(word) { (tile_a, beside(tile_b)) } else { (beside(tile_a), tile_b) };
            compute::unpack::<O>(site, word, cb_a, cb_b, tile_a, tile_b);
        }
        Some(Change::OperandsExchanged) => compute::unpack::<O>(site, word, cb_b, cb_a, tile_b, tile_a),
        Some(Change::BroadcastAxis) => {
            let other = OpWord::new(word.kind(), other_axis(word.a()), word.b(), word.flags(), word.wide());
            unpack_otherwise::<O>(site, other, cb_a, cb_b, tile_a, tile_b);
        }
        Some(Change::ScalerTruncated) => unpack_scaler_cut::<O>(site, word, cb_a, cb_b, tile_a, tile_b),
        Some(Change::ScalerStale) => unpack_scaler_one::<O>(site, word, cb_a, cb_b, tile_a, tile_b),
        _ => compute::unpack::<O>(site, word, cb_a, cb_b, tile_a, tile_b),
    }
}

/// The other axis, if that befalls a broadcast. UNPACK and MATH are asked in the same words: it befalls both.
fn other_broadcast<O: Observer>(site: Site, spreads: bool) -> Option<Change> {
    if spreads { change::<O>(site, |_| subject("broadcast", &[(true, Change::BroadcastAxis)])) } else { None }
}

/// Whether an unpack program broadcasts.
fn spreads(word: OpWord) -> bool {
    matches!(word.kind(), unpack_kind::AB | unpack_kind::A) && word.a() != broadcast::NONE
}

/// Runs a unit on another program than it has, and gives it back its own.
fn programmed_for<T>(
    core: &mut Core,
    op: fn(&mut Core) -> &mut Option<Programmed<OpWord>>,
    word: OpWord,
    run: impl FnOnce(&mut Core) -> Step<T>,
) -> Step<T> {
    let own = *op(core);
    if let Some(program) = op(core) {
        program.value = word;
    }
    let did = run(core);
    *op(core) = own;
    did
}

core_door!(call, unpack_otherwise(word: OpWord, cb_a: u32, cb_b: u32, tile_a: u32, tile_b: u32) |core, sink, by|
    programmed_for(core, |core| &mut core.tensix.unpack.op, word, |core|
        core.unpack(sink, by.site, word, [cb_a, cb_b], [tile_a, tile_b])));

/// Whether the scaler of a reduction is its first operand.
fn scaler_first(word: OpWord) -> bool {
    word.kind() == unpack_kind::AB_REDUCE && word.scaler_is_src_a()
}

/// The scaler that was handed over last, each datum that is not 0 made another; whether its register has the short exponent is told.
fn rescale(core: &mut Core, word: OpWord, other: impl Fn(u32, bool) -> u32) {
    let tensix = &mut core.tensix;
    let register = if scaler_first(word) { &mut tensix.src_a } else { &mut tensix.src_b };
    let token = register.last_mut();
    let is_short = token.format.has_short_exponent();
    token.tile.0.iter_mut().filter(|word| **word != 0).for_each(|word| *word = other(*word, is_short));
}

/// 1 in a register: formats with a short exponent keep its five bits, of bias 15, at bit 23.
const fn one(is_short: bool) -> u32 {
    if is_short { 15 << 23 } else { 1f32.to_bits() }
}

core_door!(call, unpack_scaler_cut(word: OpWord, cb_a: u32, cb_b: u32, tile_a: u32, tile_b: u32) |core, sink, by| {
    let did = core.unpack(sink, by.site, word, [cb_a, cb_b], [tile_a, tile_b])?;
    // Three bits of its mantissa are left.
    rescale(core, word, |datum, _| datum & 0xfff0_0000);
    Ok(did)
});
core_door!(call, unpack_scaler_one(word: OpWord, cb_a: u32, cb_b: u32, tile_a: u32, tile_b: u32) |core, sink, by| {
    let did = core.unpack(sink, by.site, word, [cb_a, cb_b], [tile_a, tile_b])?;
    rescale(core, word, |_, is_short| one(is_short));
    Ok(did)
});

core_door!(call, unpack_replacing(word: OpWord, cb_a: u32, cb_b: u32, tile_a: u32, tile_b: u32, held: u32, other: u32)
    |core, sink, by| {
    let did = core.unpack(sink, by.site, word, [cb_a, cb_b], [tile_a, tile_b])?;
    for register in [&mut core.tensix.src_a, &mut core.tensix.src_b] {
        let token = register.last_mut();
        let datums = &mut token.tile.0;
        let is_constant = datums.contains(&held) && datums.iter().all(|word| [0, held].contains(word));
        if is_constant && !token.format.has_short_exponent() {
            datums.iter_mut().filter(|word| **word == held).for_each(|word| *word = other);
        }
    }
    Ok(did)
});

extern "C-unwind" fn unpack_configure<O: Observer>(site: Site, operands: u32, a: u32, b: u32, how: u32) {
    if !keeps_format::<O>(site, how, &operands_of(operands, a, b)) {
        compute::unpack_configure::<O>(site, operands, a, b, how);
    }
}

extern "C-unwind" fn math_configure<O: Observer>(site: Site, operands: u32, a: u32, b: u32, how: u32) {
    if !keeps_format::<O>(site, how, &operands_of(operands, a, b)) {
        compute::math_configure::<O>(site, operands, a, b, how);
    }
}

extern "C-unwind" fn pack_configure<O: Observer>(site: Site, cb: u32, how: u32) {
    if !keeps_format::<O>(site, how, &cb_name(cb)) {
        compute::pack_configure::<O>(site, cb, how);
    }
}

fn operands_of(operands: u32, a: u32, b: u32) -> String {
    match operands {
        operand::SRC_A => cb_name(a),
        operand::SRC_B => cb_name(b),
        _ => format!("{} and {}", cb_name(a), cb_name(b)),
    }
}

/// Whether a reconfiguration is left out; a start-up never is.
fn keeps_format<O: Observer>(site: Site, how: u32, buffers: &str) -> bool {
    how == configure::AGAIN
        && change::<O>(site, |_| {
            subject(format!("reconfiguration for {buffers}"), &[(true, Change::ReconfigurationLeftOut)])
        })
        .is_some()
}

extern "C-unwind" fn math<O: Observer>(site: Site, word: OpWord, dst: u32) {
    if parts::are_made::<O>(site) {
        return parts::math::<O>(site, word, dst);
    }
    let adds = word.adds();
    let computes = word.kind() != math_kind::DATACOPY;
    let befalls = change::<O>(site, |core| {
        let tile = core.physical_tile(core.tensix.math_pack.math_half, dst);
        let is_used = core.tensix.dst.valid_rows(tile) != 0;
        subject(
            describe_math(word),
            &[
                (computes, Change::LeftOut),
                (adds && is_used, Change::AccumulateSkipped),
                (adds && is_used && !word.is_maximum(), Change::AccumulateOverwrites),
                (computes && !adds && is_used, Change::OverwriteAccumulates),
            ],
        )
    });
    let with_flags = |flags: u8| OpWord::new(word.kind(), word.a(), word.b(), flags, word.wide());
    match befalls.or_else(|| other_broadcast::<O>(site, spreads_in_math(word))) {
        Some(Change::LeftOut | Change::AccumulateSkipped) => math_in_vain::<O>(site, word, dst),
        Some(Change::AccumulateOverwrites) => math_onto_nothing::<O>(site, word, dst),
        Some(Change::OverwriteAccumulates) => {
            math_otherwise::<O>(site, with_flags(word.flags() | flag::ACCUMULATE), dst);
        }
        Some(Change::BroadcastAxis) => {
            let other = OpWord::new(word.kind(), word.a(), other_axis(word.b()), word.flags(), word.wide());
            math_otherwise::<O>(site, other, dst);
        }
        _ => compute::math::<O>(site, word, dst),
    }
}

/// Whether a math program broadcasts.
fn spreads_in_math(word: OpWord) -> bool {
    matches!(word.kind(), math_kind::ELTWISE | math_kind::DATACOPY) && word.b() != broadcast::NONE
}

core_door!(call, math_otherwise(word: OpWord, dst: u32) |core, sink, by|
    programmed_for(core, |core| &mut core.tensix.math.op, word, |core| core.math(sink, by.site, word, dst)));
core_door!(call, math_onto_nothing(word: OpWord, dst: u32) |core, sink, by| {
    let tile = core.physical_tile(core.tensix.math_pack.math_half, dst);
    let valid = core.tensix.dst.valid_rows(tile);
    core.tensix.dst.clear(tile, 1);
    let did = core.math(sink, by.site, word, dst);
    if did.is_err() {
        // It waits, and asks again.
        core.tensix.dst.set_valid(tile, valid);
    }
    did
});

/// Runs something that leaves Dst as it was. The stack of a kernel has no room for all of it at once.
fn in_vain<T>(core: &mut Core, run: impl FnOnce(&mut Core) -> Step<T>) -> Step<T> {
    let tiles = 0..DST_ROWS / TILE_ROWS;
    let dst = &core.tensix.dst;
    let before: Vec<(Tile, u64)> = tiles.map(|tile| (dst.tile(tile).clone(), dst.valid_rows(tile))).collect();
    let did = run(core);
    let dst = &mut core.tensix.dst;
    for (tile, (datums, valid)) in before.into_iter().enumerate() {
        *dst.tile_mut(tile) = datums;
        dst.clear(tile, 1);
        dst.set_valid(tile, valid);
    }
    did
}

core_door!(call, math_in_vain(word: OpWord, dst: u32) |core, sink, by|
    in_vain(core, |core| core.math(sink, by.site, word, dst)));

extern "C-unwind" fn sfpu<O: Observer>(
    site: Site,
    op: u32,
    in0: u32,
    in1: u32,
    in2: u32,
    output: u32,
    params: &[u32; 4],
) {
    parts::add_up::<O>(site);
    let name = SfpuOp::from_code(op as u16).map_or("vector operation", SfpuOp::name);
    match change::<O>(site, |_| subject(name, &[(true, Change::LeftOut)])) {
        Some(_) => sfpu_in_vain::<O>(site, op, in0, in1, in2, output, params),
        None => compute::sfpu::<O>(site, op, in0, in1, in2, output, params),
    }
}

core_door!(call, sfpu_in_vain(op: u32, in0: u32, in1: u32, in2: u32, output: u32, params: &[u32; 4]) |core, sink, by|
    in_vain(core, |core| core.sfpu(sink, by.site, op, [in0, in1, in2], output, params).map(|_| ())));

extern "C-unwind" fn pack_tile<O: Observer>(site: Site, dst: u32, cb: u32, out_of_order: u32, index: u32) {
    let befalls = change::<O>(site, |core| {
        let adds = core.tensix.pack.l1_acc;
        subject(format!("pack to {}", cb_name(cb)), &[(!adds, Change::TileDropped), (adds, Change::AccumulateSkipped)])
    });
    match befalls {
        Some(_) => pack_in_vain::<O>(site, dst, cb, out_of_order, index),
        None => compute::pack_tile::<O>(site, dst, cb, out_of_order, index),
    }
}

core_door!(call, pack_in_vain(dst: u32, cb: u32, out_of_order: u32, index: u32) |core, sink, by| {
    // What else lies in L1 does not change meanwhile.
    let l1 = core.l1.copy();
    let did = core.pack_tile(sink, by.site, dst, cb, (out_of_order != 0).then_some(index));
    core.l1.write(0, &l1);
    did
});

extern "C-unwind" fn pack_l1_acc<O: Observer>(site: Site, enable: u32) {
    let befalls = change::<O>(site, |_| match enable {
        0 => subject("L1 accumulation off", &[(true, Change::OverwriteAccumulates)]),
        _ => subject("L1 accumulation on", &[(true, Change::AccumulateOverwrites)]),
    });
    let enable = if befalls.is_some() { u32::from(enable == 0) } else { enable };
    compute::pack_l1_acc::<O>(site, enable);
}

extern "C-unwind" fn pack_edge_mask<O: Observer>(site: Site, dim: u32) {
    let masks = dim != edge_mask::NONE;
    let is_left_out = change::<O>(site, |_| subject("edge mask", &[(masks, Change::LeftOut)])).is_some();
    compute::pack_edge_mask::<O>(site, if is_left_out { edge_mask::NONE } else { dim });
}

extern "C-unwind" fn pack_relu_config<O: Observer>(site: Site, config: u32) {
    let is_left_out = change::<O>(site, |_| subject("relu of the packer", &[(config != 0, Change::LeftOut)])).is_some();
    compute::pack_relu_config::<O>(site, if is_left_out { 0 } else { config });
}

extern "C-unwind" fn noc_read<O: Observer>(site: Site, which: u32, from: u64, to: u32, bytes: u32) {
    let is_data = bytes >= SHORTEST;
    let befalls =
        change::<O>(site, |_| subject("read", &[(is_data, Change::TransferShort), (is_data, Change::TileRepeated)]));
    let before = with::<O, _>(site, |engine, by| {
        engine
            .mutation
            .as_mut()
            .and_then(|m: &mut Box<Mutation>| m.source_before((engine.cores[by.core].coord, by.thread, site), from))
    });
    match befalls {
        Some(Change::TransferShort) => noc::noc_read::<O>(site, which, from, to, half::<O>(site, bytes)),
        Some(_) => noc::noc_read::<O>(site, which, before.unwrap_or(from), to, bytes),
        None => noc::noc_read::<O>(site, which, from, to, bytes),
    }
}

/// Half of the bytes of a transfer, in whole units of what L1 is aligned to.
fn half<O: Observer>(site: Site, bytes: u32) -> u32 {
    let unit = with::<O, _>(site, |engine, _| engine.arch.constants().l1_alignment);
    bytes / 2 / unit * unit
}

extern "C-unwind" fn noc_write<O: Observer>(site: Site, which: u32, from: u32, to: u64, bytes: u32, posted: u32) {
    let is_data = bytes >= SHORTEST;
    let short = change::<O>(site, |_| subject("write", &[(is_data, Change::TransferShort)]));
    let is_one_of_many =
        with::<O, _>(site, |engine, _| engine.cores.iter().filter(|core| core.has_kernels()).count() > 1);
    let none = change::<O>(site, |core| {
        subject(format!("writes of core {}", core.coord), &[(is_data && is_one_of_many, Change::CoreLeftOut)])
    });
    match (none, short) {
        (Some(_), _) => {}
        (_, Some(_)) => noc::noc_write::<O>(site, which, from, to, half::<O>(site, bytes), posted),
        _ => noc::noc_write::<O>(site, which, from, to, bytes, posted),
    }
}

extern "C-unwind" fn noc_multicast<O: Observer>(
    site: Site,
    which: u32,
    from: u32,
    to: u64,
    bytes: u32,
    dests: u32,
    loopback: u32,
) {
    let befalls = change::<O>(site, |_| subject("multicast", &[(bytes >= SHORTEST, Change::TransferShort)]));
    let bytes = if befalls.is_some() { half::<O>(site, bytes) } else { bytes };
    noc::noc_multicast::<O>(site, which, from, to, bytes, dests, loopback);
}
