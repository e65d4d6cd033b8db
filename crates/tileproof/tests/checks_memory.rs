//! Pages that hold nothing or reach nobody, and transfers that do not fit their place, in pairs: a kernel that does it, and
//! the nearest right one.

#[path = "support/found.rs"]
mod found;
mod support;

use found::{labelled, line_of, only, silent};
use support::{IN0, IN1, Kernels, OUT, TILES};
use tileproof::check::Checks;
use tileproof::device::Device;
use tileproof_kernel::{Compute, DataMovement, TensorAccessor};
use tileproof_model::finding::{Certainty, Code};
use tileproof_model::program::{Argument, CbFormatDescriptor, MemoryConfig, Program, Sharding};
use tileproof_model::record::RunRecord;
use tileproof_model::thread::CoreCoord;

fn marked(mark: &str) -> u32 {
    found::marked(include_str!("checks_memory.rs"), mark)
}

/// Runs kernels with checks; they must change neither outputs nor cycles.
fn run(kernels: Kernels) -> RunRecord {
    let (off, on) = (kernels.run(), kernels.run_observed::<Checks>());
    // Pages that nobody wrote are NaN, which is not equal to itself.
    let bits = |values: Option<Vec<f32>>| values.map(|v| v.into_iter().map(f32::to_bits).collect::<Vec<_>>());
    assert!(off.0.cycles == on.0.cycles && bits(off.1) == bits(on.1), "checks change the run");
    on.0
}

/// Runs a program that was changed.
fn observe(program: &Program) -> RunRecord {
    let mut device = Device::<Checks>::new(program, 1).expect("device");
    let (in0, in1) = support::inputs();
    device.write("in0", &in0).expect("in0");
    device.write("in1", &in1).expect("in1");
    device.run(program).expect("launch")
}

fn inputs(dm: &DataMovement<'_>) -> [(u32, TensorAccessor); 2] {
    [(IN0, 0), (IN1, 1)].map(|(cb, word)| (cb, TensorAccessor::new(dm, word, dm.get_arg_val(word), 2048)))
}

fn output(dm: &DataMovement<'_>) -> TensorAccessor {
    TensorAccessor::new(dm, 0, dm.get_arg_val(0), 2048)
}

// Pages that hold nothing.

fn fills_all_but_the_first(dm: &DataMovement<'_>) {
    for tile in 0..TILES {
        for (cb, tensor) in &inputs(dm) {
            dm.cb_reserve_back(*cb, 1);
            if tile > 0 || *cb == IN1 {
                dm.noc_async_read_page(tile, tensor, dm.get_write_ptr(*cb));
                dm.noc_async_read_barrier();
            }
            dm.cb_push_back(*cb, 1); // empty at first
        }
    }
}

/// Pages that are pushed and popped to move the pointers, and stored to word by word.
fn fills_what_is_read(dm: &DataMovement<'_>) {
    for (cb, _) in &inputs(dm) {
        dm.cb_reserve_back(*cb, 1);
        dm.cb_push_back(*cb, 1);
    }
    for _ in 1..TILES {
        for (cb, _) in &inputs(dm) {
            dm.cb_reserve_back(*cb, 1);
            for word in 0..512 {
                dm.l1_store(dm.get_write_ptr(*cb) + 4 * word, &[0xffff_ffff]);
            }
            dm.cb_push_back(*cb, 1);
        }
    }
}

fn adds_all(k: &Compute<'_>) {
    adds_from(k, 0);
}

fn skips_the_first(k: &Compute<'_>) {
    adds_from(k, 1);
}

fn adds_from(k: &Compute<'_>, first: u32) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.add_init(IN0, IN1);
    for tile in 0..TILES {
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        k.tile_regs_acquire();
        if tile >= first {
            k.add_tiles(IN0, IN1, 0, 0, 0); // reads it
        } else {
            k.fill_tile_init();
            k.fill_tile(0, 1.0);
        }
        k.tile_regs_commit();
        k.cb_pop_front(IN0, 1);
        k.cb_pop_front(IN1, 1);
        k.cb_reserve_back(OUT, 1);
        k.tile_regs_wait();
        k.pack_tile(0, OUT);
        k.tile_regs_release();
        k.cb_push_back(OUT, 1);
    }
}

#[test]
fn a_page_that_nothing_wrote_is_reported_where_it_is_read_with_its_push() {
    let found = run(Kernels { reader: fills_all_but_the_first, compute: adds_all, ..Kernels::default() });
    let finding = only(&found, Code::PAGE_UNWRITTEN);
    assert_eq!((line_of(finding), finding.facts["cb"].as_str()), (marked("reads it"), "c_0"));
    assert_eq!(labelled(finding), [marked("empty at first")]);
    silent(&run(Kernels { reader: fills_all_but_the_first, compute: skips_the_first, ..Kernels::default() }));
    silent(&run(Kernels { reader: fills_what_is_read, compute: skips_the_first, ..Kernels::default() }));
}

/// Adds tiles, but packs only those that `packs` says; all are pushed.
fn adds_and_packs(k: &Compute<'_>, packs: impl Fn(u32) -> bool) {
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
        k.cb_push_back(OUT, 1); // pushed, packed or not
    }
}

fn forgets_the_last_pack(k: &Compute<'_>) {
    adds_and_packs(k, |tile| tile < TILES - 1);
}

fn sends_all(dm: &DataMovement<'_>) {
    sends(dm, TILES);
}

fn sends_all_but_the_last(dm: &DataMovement<'_>) {
    sends(dm, TILES - 1);
}

fn sends(dm: &DataMovement<'_>, tiles: u32) {
    let out = output(dm);
    for tile in 0..TILES {
        dm.cb_wait_front(OUT, 1);
        if tile < tiles {
            dm.noc_async_write_page(tile, &out, dm.get_read_ptr(OUT)); // sends an old page
            dm.noc_async_write_barrier();
        }
        dm.cb_pop_front(OUT, 1);
    }
}

#[test]
fn a_page_that_was_pushed_without_a_pack_is_reported_where_it_is_sent() {
    // The page holds what was packed a lap before.
    let found = run(Kernels { compute: forgets_the_last_pack, writer: sends_all, ..Kernels::default() });
    let finding = only(&found, Code::PAGE_UNWRITTEN);
    assert_eq!(
        (line_of(finding), labelled(finding)),
        (marked("sends an old page"), vec![marked("pushed, packed or not")])
    );
    silent(&run(Kernels { compute: forgets_the_last_pack, writer: sends_all_but_the_last, ..Kernels::default() }));
}

// PACK and UNPACK on one page.

/// Adds the tiles of one input to a page of the other, which is never handed over.
fn adds_in_place(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.add_init(IN0, IN1);
    k.cb_wait_front(IN0, 1);
    for _ in 0..TILES {
        k.cb_wait_front(IN1, 1);
        k.tile_regs_acquire();
        k.add_tiles(IN0, IN1, 0, 0, 0); // reads the page
        k.tile_regs_commit();
        k.cb_pop_front(IN1, 1);
        k.tile_regs_wait();
        k.pack_tile_out_of_order(0, IN0, 0); // packs the page
        k.tile_regs_release();
    }
}

/// Adds them to a page of another buffer, which goes round.
fn adds_round(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    for tile in 0..TILES {
        let (from, to) = (if tile == 0 { IN0 } else { SUM }, if tile == TILES - 1 { OUT } else { SUM });
        k.cb_wait_front(from, 1);
        k.cb_wait_front(IN1, 1);
        k.tile_regs_acquire();
        k.reconfig_data_format_srca(from);
        k.add_init(from, IN1);
        k.add_tiles(from, IN1, 0, 0, 0);
        k.tile_regs_commit();
        k.cb_pop_front(from, 1);
        k.cb_pop_front(IN1, 1);
        k.cb_reserve_back(to, 1);
        k.tile_regs_wait();
        k.pack_reconfig_data_format(to);
        k.pack_tile(0, to);
        k.tile_regs_release();
        k.cb_push_back(to, 1);
    }
}

/// The support program's spare fp32 buffer.
const SUM: u32 = 2;

fn reads_one_and_four(dm: &DataMovement<'_>) {
    for tile in 0..TILES {
        for (cb, tensor) in inputs(dm).iter().filter(|(cb, _)| *cb == IN1 || tile == 0) {
            dm.cb_reserve_back(*cb, 1);
            dm.noc_async_read_page(tile, tensor, dm.get_write_ptr(*cb));
            dm.noc_async_read_barrier();
            dm.cb_push_back(*cb, 1);
        }
    }
}

fn does_nothing(_: &DataMovement<'_>) {}

fn writes_one(dm: &DataMovement<'_>) {
    dm.cb_wait_front(OUT, 1);
    dm.noc_async_write_page(0, &output(dm), dm.get_read_ptr(OUT));
    dm.noc_async_write_barrier();
    dm.cb_pop_front(OUT, 1);
}

#[test]
fn a_page_that_is_packed_and_read_without_a_push_is_reported_at_the_read() {
    let found =
        run(Kernels { reader: reads_one_and_four, compute: adds_in_place, writer: does_nothing, ..Kernels::default() });
    let finding = only(&found, Code::UNPACK_UNORDERED);
    assert_eq!((line_of(finding), finding.certainty), (marked("reads the page"), Certainty::CanHappen));
    assert_eq!(labelled(finding), [marked("packs the page")]);
    silent(&run(Kernels { reader: reads_one_and_four, compute: adds_round, writer: writes_one, ..Kernels::default() }));
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
        dm.cb_pop_front(OUT, 1);
        dm.cb_wait_front(ALIAS, 1);
        dm.noc_async_write_page(tile, &out, dm.get_read_ptr(ALIAS)); // sends by the second name
        dm.noc_async_write_barrier();
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
        (marked("copied by either name"), vec![marked("pushed as it came")])
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
    assert_eq!(labelled(only(&with(sends_all), Code::PAGE_UNWRITTEN)), [marked("pushed for the writer to fill")]);
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
    adds_all(k);
}

fn reads_the_second(dm: &DataMovement<'_>) {
    let [_, (_, in1)] = inputs(dm);
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
    assert_eq!(labelled(only(&observe(&program), Code::PAGE_UNWRITTEN)), [marked("pushed where they lie")]);
    back(&mut program, "in0", 0, TILES, 1);
    silent(&observe(&program));
}

/// Packs the tiles of a shard, those aside that were never computed.
fn packs_a_shard(k: &Compute<'_>) {
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
    k.pack_tile(0, OUT);
    k.pack_tile(1, OUT); // the second of a shard
    k.tile_regs_release();
    k.cb_push_back(OUT, 2);
}

fn takes_a_shard(dm: &DataMovement<'_>) {
    dm.cb_wait_front(OUT, 2);
    dm.cb_pop_front(OUT, 2);
}

/// An output of three tiles in shards of two on two cores, which compute as many tiles as `computed` says.
fn packs_shards(computed: [u32; 2]) -> RunRecord {
    let kernels =
        Kernels { reader: does_nothing, compute: packs_a_shard, writer: takes_a_shard, cores: 2, ..Kernels::default() };
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
    let found = packs_shards([1, 2]);
    let finding = only(&found, Code::DST_UNWRITTEN);
    assert_eq!((line_of(finding), finding.primary.core), (marked("the second of a shard"), CoreCoord { x: 0, y: 0 }));
    // The fourth slot of the shards is behind the last page.
    let spare = packs_shards([2, 1]);
    assert!(spare.findings.is_empty() && spare.notes.iter().any(|n| n.code == Code::DST_UNWRITTEN), "{spare:#?}");
}

// Packs that reach over several pages.

/// Packs two tiles as rows that lie across two pages, and pushes the pages one by one.
fn untilizes_and_pushes_singly(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.add_init(IN0, IN1);
    k.pack_untilize_dest_init(2, 2, OUT);
    for _ in 0..TILES / 2 {
        k.cb_wait_front(IN0, 2);
        k.cb_wait_front(IN1, 2);
        k.tile_regs_acquire();
        for tile in 0..2 {
            k.add_tiles(IN0, IN1, tile, tile, tile);
        }
        k.tile_regs_commit();
        k.cb_pop_front(IN0, 2);
        k.cb_pop_front(IN1, 2);
        k.cb_reserve_back(OUT, 2);
        k.tile_regs_wait();
        k.pack_untilize_dest(2, 2, OUT, 0);
        k.tile_regs_release();
        k.cb_push_back(OUT, 1);
        k.cb_push_back(OUT, 1);
    }
    k.pack_untilize_uninit(OUT);
}

#[test]
fn a_pack_that_reaches_over_two_pages_fills_both_however_they_are_pushed() {
    silent(&run(Kernels { compute: untilizes_and_pushes_singly, ..Kernels::default() }));
}

// Pages from another core.

/// The second core gets its second input from the first, which pushes empty pages to itself for their count.
fn is_fed_by_the_first(dm: &DataMovement<'_>) {
    let [(_, in0), (_, in1)] = inputs(dm);
    let (x, y) = dm.my_coordinates();
    let flag = dm.get_semaphore(0);
    for tile in 0..2 {
        dm.cb_reserve_back(IN0, 1);
        dm.noc_async_read_page(tile, &in0, dm.get_write_ptr(IN0));
        dm.noc_async_read_barrier();
        dm.cb_push_back(IN0, 1);
        dm.cb_reserve_back(IN1, 1);
        // The origin of Wormhole's compute grid on the NoC is column 18.
        if x == 18 {
            dm.noc_async_read_page(tile, &in1, DATA);
            dm.noc_async_read_barrier();
            dm.noc_async_write(DATA, dm.get_noc_addr((x + 1, y), dm.get_write_ptr(IN1)), 2048); // fed from here
            dm.noc_async_write_barrier();
            dm.noc_semaphore_inc(dm.get_noc_addr((x + 1, y), flag), 1);
            dm.noc_async_atomic_barrier();
        } else {
            dm.noc_semaphore_wait_min(flag, tile + 1);
        }
        dm.cb_push_back(IN1, 1);
    }
}

/// The first core takes the second input of the second from there; neither unpacks it.
fn is_read_by_the_first(dm: &DataMovement<'_>) {
    let [(_, in0), (_, in1)] = inputs(dm);
    let (x, y) = dm.my_coordinates();
    let (ready, taken) = (dm.get_semaphore(0), dm.get_semaphore(1));
    for tile in 0..2 {
        dm.cb_reserve_back(IN0, 1);
        dm.noc_async_read_page(tile, &in0, dm.get_write_ptr(IN0));
        dm.noc_async_read_barrier();
        dm.cb_push_back(IN0, 1);
        dm.cb_reserve_back(IN1, 1);
        if x == 18 {
            dm.noc_semaphore_wait_min(ready, tile + 1);
            dm.noc_async_read(dm.get_noc_addr((x + 1, y), dm.get_write_ptr(IN1)), DATA, 2048);
            dm.noc_async_read_barrier();
            dm.noc_semaphore_inc(dm.get_noc_addr((x + 1, y), taken), 1);
        } else {
            dm.noc_async_read_page(tile, &in1, dm.get_write_ptr(IN1));
            dm.noc_async_read_barrier();
            dm.noc_semaphore_inc(dm.get_noc_addr((x - 1, y), ready), 1);
            dm.noc_semaphore_wait_min(taken, tile + 1);
        }
        dm.cb_push_back(IN1, 1);
    }
    dm.noc_async_atomic_barrier();
}

/// Somewhere in L1 that no circular buffer covers.
const DATA: u32 = 0x0010_1000;

/// Copies two tiles of the first input and pops as many of the second.
fn copies_two(k: &Compute<'_>, looks: bool) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    for tile in 0..2 {
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        k.tile_regs_acquire();
        k.copy_init(IN0);
        k.copy_tile(IN0, 0, 0);
        if looks && tile == 0 {
            k.copy_init(IN1);
            k.copy_tile(IN1, 0, 0);
        }
        k.tile_regs_commit();
        k.cb_pop_front(IN0, 1);
        k.cb_pop_front(IN1, 1); // pops what another core sent
        k.cb_reserve_back(OUT, 1);
        k.tile_regs_wait();
        k.pack_tile(0, OUT);
        k.tile_regs_release();
        k.cb_push_back(OUT, 1);
    }
}

fn never_looks(k: &Compute<'_>) {
    copies_two(k, false);
}

fn looks_once(k: &Compute<'_>) {
    copies_two(k, true);
}

fn sends_two(dm: &DataMovement<'_>) {
    for tile in 0..2 {
        dm.cb_wait_front(OUT, 1);
        dm.noc_async_write_page(tile, &output(dm), dm.get_read_ptr(OUT));
        dm.noc_async_write_barrier();
        dm.cb_pop_front(OUT, 1);
    }
}

#[test]
fn pages_that_another_core_filled_are_reported_when_nothing_reads_them() {
    let with = |reader, compute| {
        let kernels = Kernels { reader, compute, writer: sends_two, cores: 2, semaphores: 2, ..Kernels::default() };
        run(kernels)
    };
    let found = with(is_fed_by_the_first, never_looks);
    let finding = only(&found, Code::PAGES_UNREAD);
    assert_eq!(
        (line_of(finding), labelled(finding)),
        (marked("pops what another core sent"), vec![marked("fed from here")])
    );
    let places = (finding.primary.core, finding.labels[0].place.core);
    assert_eq!(places, (CoreCoord { x: 1, y: 0 }, CoreCoord { x: 0, y: 0 }));
    assert!(finding.also_on.is_empty());
    silent(&with(is_read_by_the_first, never_looks));
    assert!(with(is_fed_by_the_first, looks_once).findings.iter().all(|f| f.code != Code::PAGES_UNREAD));
}

// Transfers and their places.

/// Reads `bytes` bytes of this core's own L1 into the first buffer.
fn reads_into_the_buffer(dm: &DataMovement<'_>, bytes: u32) {
    dm.cb_reserve_back(IN0, 2);
    dm.noc_async_read(dm.get_noc_addr(dm.my_coordinates(), DATA), dm.get_write_ptr(IN0), bytes); // as long as it is
    dm.noc_async_read_barrier();
}

fn fills_the_buffer(dm: &DataMovement<'_>) {
    reads_into_the_buffer(dm, 4096);
}

fn fills_more_than_the_buffer(dm: &DataMovement<'_>) {
    reads_into_the_buffer(dm, 4096 + 16);
}

/// Sends 32 bytes to DRAM from an offset in L1.
fn sends_from(dm: &DataMovement<'_>, offset: u32) {
    let out = output(dm);
    dm.noc_async_write(DATA + offset, out.get_noc_addr(dm, 0, 0), 32); // from an offset
    dm.noc_async_write_barrier();
}

fn sends_from_16(dm: &DataMovement<'_>) {
    sends_from(dm, 16);
}

fn sends_from_8(dm: &DataMovement<'_>) {
    sends_from(dm, 8);
}

/// Reads 32 bytes of DRAM to an offset in L1.
fn reads_to_16(dm: &DataMovement<'_>) {
    let [(_, in0), _] = inputs(dm);
    dm.noc_async_read(in0.get_noc_addr(dm, 0, 0), DATA + 16, 32); // to an offset
    dm.noc_async_read_barrier();
}

fn computes_nothing(_: &Compute<'_>) {}

#[test]
fn a_transfer_may_fill_its_buffer_and_no_more() {
    let with = |reader| run(Kernels { reader, compute: computes_nothing, writer: does_nothing, ..Kernels::default() });
    silent(&with(fills_the_buffer));
    let found = with(fills_more_than_the_buffer);
    let finding = only(&found, Code::BUFFER_OVERRUN);
    assert_eq!((line_of(finding), finding.facts["room"].as_str()), (marked("as long as it is"), "4096"));
}

/// On Wormhole reads of DRAM must lie alike modulo 32, and writes modulo 16 (tt-metal `noc_parameters.h`).
#[test]
fn a_write_to_dram_may_be_16_bytes_askew_and_a_read_may_not() {
    let with = |reader, writer| run(Kernels { reader, compute: computes_nothing, writer, ..Kernels::default() });
    silent(&with(does_nothing, sends_from_16));
    let found = with(does_nothing, sends_from_8);
    assert_eq!(line_of(only(&found, Code::NOC_ALIGNMENT)), marked("from an offset"));
    let found = with(reads_to_16, does_nothing);
    assert_eq!(line_of(only(&found, Code::NOC_ALIGNMENT)), marked("to an offset"));
}
