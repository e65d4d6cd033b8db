//! Memory that several circular buffers share, and memory of tensors in L1, in pairs: a page that holds nothing, and the
//! nearest one that does.

use crate::support::adding::{self, IN0, IN1, Kernels, OUT, TILES, writer_sends};
use crate::support::checked::{inputs, output, run};
use crate::support::found::{labelled, line_of, marked, only, silent};
use tileproof::check::Checks;
use tileproof::device::Device;
use tileproof_kernel::{Compute, DataMovement, TensorAccessor};
use tileproof_model::finding::Code;
use tileproof_model::program::{Argument, CbFormatDescriptor, MemoryConfig, Program, Sharding};
use tileproof_model::record::RunRecord;
use tileproof_model::thread::CoreCoord;

/// Runs a program that was changed.
fn observe(program: &Program) -> RunRecord {
    let mut device = Device::<Checks>::new(program, 1).expect("device");
    let (in0, in1) = adding::inputs();
    device.write("in0", &in0).expect("in0");
    device.write("in1", &in1).expect("in1");
    device.run(program).expect("launch")
}

// Buffers that share memory, and memory of tensors.

/// A second buffer on the memory of another.
const ALIAS: u32 = 3;

/// The support program, of whose buffers one has a second index.
fn with_alias(kernels: Kernels, cb: usize) -> RunRecord {
    let mut program = kernels.program();
    let cb = &mut program.launches[0].cbs[cb];
    let alias = CbFormatDescriptor { buffer_index: ALIAS as u8, ..cb.format_descriptors[0].clone() };
    cb.format_descriptors.push(alias);
    observe(&program)
}

/// Packs a page once and hands it over with both buffers, one after the other.
fn pushes_twice(k: &Compute<'_>, packs: impl Fn(u32) -> bool) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.add_init(IN0, IN1);
    for tile in 0..TILES {
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        k.tile_regs_acquire();
        k.add_tiles(IN0, IN1, 0, 0, 0);
        k.tile_regs_commit();
        k.cb_pop_front(IN0, 1);
        k.cb_pop_front(IN1, 1);
        k.cb_reserve_back(OUT, 1);
        k.tile_regs_wait();
        if packs(tile) {
            k.pack_tile(0, OUT);
        }
        k.tile_regs_release();
        k.cb_push_back(OUT, 1);
        k.cb_reserve_back(ALIAS, 1);
        k.cb_push_back(ALIAS, 1); // pushed by its second name
    }
}

fn packs_all_of_two_names(k: &Compute<'_>) {
    pushes_twice(k, |_| true);
}

fn packs_the_first_lap_of_two_names(k: &Compute<'_>) {
    pushes_twice(k, |tile| tile < 2);
}

fn sends_by_the_second_name(dm: &DataMovement<'_>) {
    let out = output(dm);
    for tile in 0..TILES {
        dm.cb_wait_front(OUT, 1);
        dm.cb_wait_front(ALIAS, 1);
        dm.noc_async_write_page(tile, &out, dm.get_read_ptr(ALIAS)); // sends by the second name
        dm.noc_async_write_barrier();
        dm.cb_pop_front(OUT, 1);
        dm.cb_pop_front(ALIAS, 1);
    }
}

#[test]
fn a_page_may_be_pushed_by_each_buffer_on_its_memory_and_once_by_each() {
    let with = |compute| with_alias(Kernels { compute, writer: sends_by_the_second_name, ..Kernels::default() }, 2);
    silent(&with(packs_all_of_two_names));
    let found = with(packs_the_first_lap_of_two_names);
    let finding = only(&found, Code::PAGE_UNWRITTEN);
    assert_eq!(line_of(finding), marked("sends by the second name"));
    assert_eq!(labelled(finding), [marked("pushed by its second name")]);
}

fn reads_two_of_the_first(dm: &DataMovement<'_>) {
    let [(_, in0), _] = inputs(dm);
    for tile in 0..TILES / 2 {
        dm.cb_reserve_back(IN0, 1);
        dm.noc_async_read_page(tile, &in0, dm.get_write_ptr(IN0));
        dm.noc_async_read_barrier();
        dm.cb_push_back(IN0, 1);
    }
}

/// Copies each page of the reader by its first name, and once more by its second, which PACK pushes.
fn copies_by_both_names(k: &Compute<'_>, pops_first: bool) {
    k.compute_kernel_hw_startup(IN0, IN0, OUT);
    k.copy_init(IN0);
    for _ in 0..TILES / 2 {
        k.cb_wait_front(IN0, 1);
        for cb in [IN0, ALIAS] {
            if cb == ALIAS {
                k.cb_reserve_back(ALIAS, 1);
                k.cb_push_back(ALIAS, 1); // pushed as it came
                k.cb_wait_front(ALIAS, 1);
            }
            k.tile_regs_acquire();
            k.copy_tile(cb, 0, 0); // copied by either name
            k.tile_regs_commit();
            if cb == IN0 && pops_first {
                k.cb_pop_front(IN0, 1);
            }
            k.cb_reserve_back(OUT, 1);
            k.tile_regs_wait();
            k.pack_tile(0, OUT);
            k.tile_regs_release();
            k.cb_push_back(OUT, 1);
        }
        k.cb_pop_front(ALIAS, 1);
        if !pops_first {
            k.cb_pop_front(IN0, 1);
        }
    }
}

fn holds_the_first_name(k: &Compute<'_>) {
    copies_by_both_names(k, false);
}

fn pops_the_first_name(k: &Compute<'_>) {
    copies_by_both_names(k, true);
}

#[test]
fn a_page_of_the_reader_may_be_pushed_by_its_second_name_until_it_is_popped() {
    let with = |compute| with_alias(Kernels { reader: reads_two_of_the_first, compute, ..Kernels::default() }, 0);
    silent(&with(holds_the_first_name));
    // The reader may be filling it anew.
    let found = with(pops_the_first_name);
    let finding = only(&found, Code::PAGE_UNWRITTEN);
    assert_eq!(
        (line_of(finding), labelled(finding)),
        (marked("copied by either name"), vec![marked("pushed as it came"), writer_sends()])
    );
}

/// Hands the writer pages that it has to fill itself.
fn pushes_unpacked(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    for _ in 0..TILES {
        k.cb_reserve_back(OUT, 1);
        k.cb_push_back(OUT, 1); // pushed for the writer to fill
    }
}

fn fills_and_sends(dm: &DataMovement<'_>) {
    let out = output(dm);
    for tile in 0..TILES {
        dm.cb_wait_front(OUT, 1);
        dm.l1_store(dm.get_read_ptr(OUT), &[0x4040_4040; 512]);
        dm.noc_async_write_page(tile, &out, dm.get_read_ptr(OUT));
        dm.noc_async_write_barrier();
        dm.cb_pop_front(OUT, 1);
    }
}

#[test]
fn a_page_that_is_filled_behind_its_push_is_not_empty() {
    let with = |writer| run(Kernels { reader: does_nothing, compute: pushes_unpacked, writer, ..Kernels::default() });
    silent(&with(fills_and_sends));
    assert_eq!(labelled(only(&with(adding::writer), Code::PAGE_UNWRITTEN)), [marked("pushed for the writer to fill")]);
}

/// Puts a tensor into shards on some cores, and a circular buffer on its memory.
fn back(program: &mut Program, name: &str, cb: usize, shard_tiles: u32, cores: u32) {
    let cores: Vec<CoreCoord> = (0..cores).map(|x| CoreCoord { x, y: 0 }).collect();
    let tensor = program.tensors.iter_mut().find(|t| t.name == name).expect("a tensor");
    tensor.memory = MemoryConfig::Sharded(Sharding { shard_shape: [32 * shard_tiles, 32], cores });
    let cb = &mut program.launches[0].cbs[cb];
    cb.total_size = 2048 * shard_tiles;
    cb.tensor = Some((name.into(), 0));
}

/// Pushes the first input's pages itself, where they lie.
fn pushes_and_adds(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.cb_reserve_back(IN0, TILES);
    k.cb_push_back(IN0, TILES); // pushed where they lie
    adding::compute(k);
}

/// Of two tensors; only the second has its accessor among the arguments.
fn reads_the_second(dm: &DataMovement<'_>) {
    let in1 = TensorAccessor::new(dm, 0, dm.get_arg_val(1), 2048);
    for tile in 0..TILES {
        dm.cb_reserve_back(IN1, 1);
        dm.noc_async_read_page(tile, &in1, dm.get_write_ptr(IN1));
        dm.noc_async_read_barrier();
        dm.cb_push_back(IN1, 1);
    }
}

#[test]
fn pages_of_a_tensor_in_l1_hold_something_before_they_are_pushed() {
    let kernels = Kernels { reader: reads_the_second, compute: pushes_and_adds, ..Kernels::default() };
    let mut program = kernels.program();
    program.launches[0].cbs[0].total_size = 2048 * TILES;
    program.launches[0].kernels[0].compile_time_args.remove(0);
    assert_eq!(
        labelled(only(&observe(&program), Code::PAGE_UNWRITTEN)),
        [marked("pushed where they lie"), writer_sends()]
    );
    back(&mut program, "in0", 0, TILES, 1);
    silent(&observe(&program));
}

/// Packs the tiles of a shard, those aside that were never computed.
fn packs_a_shard(k: &Compute<'_>) {
    packs_a_shard_by(k, |tile| k.pack_tile(tile, OUT)); // tile by tile
}

fn packs_the_rows_of_a_shard(k: &Compute<'_>) {
    packs_a_shard_by(k, |tile| {
        k.pack_rows_init(64);
        k.pack_rows(64, tile, OUT, tile); // row by row
    });
}

fn packs_a_shard_by(k: &Compute<'_>, pack: impl Fn(u32)) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.fill_tile_init();
    k.tile_regs_acquire();
    k.fill_tile(0, 1.0);
    if k.get_arg_val(0) > 1 {
        k.fill_tile(1, 1.0);
    }
    k.tile_regs_commit();
    k.cb_reserve_back(OUT, 2);
    k.tile_regs_wait();
    pack(0);
    pack(1);
    k.tile_regs_release();
    k.cb_push_back(OUT, 2);
}

fn takes_a_shard(dm: &DataMovement<'_>) {
    dm.cb_wait_front(OUT, 2);
    dm.cb_pop_front(OUT, 2);
}

/// An output of three tiles in shards of two on two cores, which compute as many tiles as `computed` says.
fn packs_shards(compute: fn(&Compute<'_>), computed: [u32; 2]) -> RunRecord {
    let kernels = Kernels { reader: does_nothing, compute, writer: takes_a_shard, cores: 2, ..Kernels::default() };
    let mut program = kernels.program();
    program.tensors[2].shape = vec![3, 32, 32];
    back(&mut program, "out", 2, 2, 2);
    for (x, tiles) in (0..).zip(computed) {
        program.launches[0].kernels[1].runtime_args.insert(CoreCoord { x, y: 0 }, vec![Argument::Word(tiles)]);
    }
    observe(&program)
}

#[test]
fn zeros_in_a_page_of_an_output_count_though_no_kernel_reads_them() {
    for (compute, mark) in
        [(packs_a_shard as fn(&Compute<'_>), "tile by tile"), (packs_the_rows_of_a_shard, "row by row")]
    {
        let found = packs_shards(compute, [1, 2]);
        let finding = only(&found, Code::DST_UNWRITTEN);
        assert_eq!((line_of(finding), finding.primary.core), (marked(mark), CoreCoord { x: 0, y: 0 }));
        // The fourth slot of the shards is behind the last page.
        let spare = packs_shards(compute, [2, 1]);
        assert!(spare.findings.is_empty() && spare.notes.iter().any(|n| n.code == Code::DST_UNWRITTEN), "{spare:#?}");
    }
}

fn does_nothing(_: &DataMovement<'_>) {}
