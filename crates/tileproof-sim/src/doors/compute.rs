//! The compute threads: UNPACK, MATH and PACK program their units and run them.

use tileproof_model::abi::Site;
use tileproof_model::observe::Observer;
use tileproof_model::op_word::OpWord;

use crate::doors::core_door::core_door;
use crate::engine::Engine;
use crate::tensix::state::How;
use crate::turns::call;
use crate::values::Computed;

core_door!(call, unpack_configure(operands: u32, a: u32, b: u32, how: u32) |core, sink, by|
    core.unpack_configure(sink, by.site, operands, [a, b], How::of(how)));
core_door!(call, unpack_init(word: OpWord) |core, _sink, by| core.unpack_init(by.site, word));
core_door!(call, unpack(word: OpWord, cb_a: u32, cb_b: u32, tile_a: u32, tile_b: u32) |core, sink, by|
    core.unpack(sink, by.site, word, [cb_a, cb_b], [tile_a, tile_b]));
core_door!(call, math_configure(operands: u32, a: u32, b: u32, how: u32) |core, sink, by|
    core.math_configure(sink, by.site, operands, [a, b], How::of(how)));
core_door!(call, math_pack_sync_init() | core, _sink, _by | core.math_pack_sync_init());
core_door!(call, math_init(word: OpWord) |core, _sink, by| core.math_init(by.site, word));
core_door!(call, math(word: OpWord, dst: u32) |core, sink, by| {
    // What goes through the unit is copied for observers that want it alone.
    let before = if O::VALUES { core.math_values(dst) } else { None };
    Ok(Computed { did: core.math(sink, by.site, word, dst)?, before })
});
core_door!(call, sfpu_init(op: u32) |core, _sink, by| core.sfpu_init(by.site, op));
core_door!(call, sfpu(op: u32, in0: u32, in1: u32, in2: u32, output: u32, params: &[u32; 4]) |core, sink, by| {
    let inputs = [in0, in1, in2];
    let before = if O::VALUES { core.sfpu_values(op, inputs, output, *params) } else { None };
    Ok(Computed { did: core.sfpu(sink, by.site, op, inputs, output, params)?, before })
});
core_door!(call, follows_day(change: u32) |core, _sink, by| core.follows_day(by.site, change));
core_door!(call, tile_regs_acquire() | core, _sink, _by | core.tile_regs_acquire());
core_door!(call, tile_regs_commit() | core, _sink, _by | core.tile_regs_commit());
core_door!(call, pack_configure(cb: u32, how: u32) |core, sink, by|
    core.pack_configure(sink, by.site, cb, How::of(how)));
core_door!(call, pack_init(word: OpWord) |core, _sink, by| core.pack_init(by.site, word));
core_door!(call, pack_dest_init() | core, _sink, _by | core.pack_dest_init());
core_door!(call, pack_edge_mask(dim: u32) |core, _sink, _by| core.pack_edge_mask(dim));
core_door!(call, pack_relu_config(config: u32) |core, _sink, _by| core.pack_relu_config(config));
core_door!(call, pack_l1_acc(enable: u32) |core, _sink, _by| core.pack_l1_acc(enable != 0));
core_door!(call, pack_tile(dst: u32, cb: u32, out_of_order: u32, index: u32) |core, sink, by|
    core.pack_tile(sink, by.site, dst, cb, (out_of_order != 0).then_some(index)));
core_door!(call, pack_untilize(word: OpWord, dst: u32, cb: u32, column: u32) |core, sink, by|
    core.pack_untilize(sink, by.site, word, dst, cb, column));
core_door!(call, pack_rows(word: OpWord, dst: u32, cb: u32, index: u32) |core, sink, by|
    core.pack_rows(sink, by.site, word, dst, cb, index));
core_door!(call, tile_regs_wait() | core, _sink, _by | core.tile_regs_wait());
core_door!(call, tile_regs_release() | core, _sink, _by | core.tile_regs_release());
