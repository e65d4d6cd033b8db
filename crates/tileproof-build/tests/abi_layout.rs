//! The ABI as the shim's headers declare it against the ABI as the machine has it, by a compiler's word.

mod support;

use std::mem::{offset_of, size_of};
use std::path::Path;

use support::request;
use tileproof_build::{BuildError, Builder};
use tileproof_model::abi::{Abi, CbInterface};
use tileproof_model::program::{DataMovementConfig, KernelConfig};

macro_rules! assertions {
    ($type:ident: $($field:ident)*) => {{
        let mut text = format!("static_assert(sizeof(tp::{}) == {});\n", stringify!($type), size_of::<$type>());
        $(text.push_str(&format!(
            "static_assert(offsetof(tp::{0}, {1}) == {2}, \"{0}::{1}\");\n",
            stringify!($type), stringify!($field), offset_of!($type, $field),
        ));)*
        text
    }};
}

fn compile(folder: &Path, text: &str) -> Result<(), BuildError> {
    let source = folder.join("layout.cpp");
    std::fs::write(&source, format!("{text}\nvoid kernel_main() {{}}\n")).unwrap();
    let config = KernelConfig::DataMovement(DataMovementConfig::READER);
    Builder::new(Some(folder.join("cache")))?.build(&[request(source, config)]).map(|_| ())
}

#[test]
fn the_shim_and_the_machine_lay_the_table_out_alike() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("abi-layout");
    std::fs::create_dir_all(&folder).unwrap();
    let table = assertions!(Abi: version bytes
        cb_wait_front cb_pop_front cb_reserve_back cb_push_back cb_pages_available_at_front cb_pages_reservable_at_back
        cb_interface unpack_configure unpack_init unpack math_configure math_pack_sync_init math_init math sfpu_init sfpu
        tile_regs_acquire tile_regs_commit pack_configure pack_init pack_dest_init pack_edge_mask pack_relu_config
        pack_l1_acc pack_tile pack_untilize tile_regs_wait tile_regs_release noc_read noc_write noc_barrier
        noc_semaphore_inc bank_address bank_count my_coordinates semaphore_address semaphore_wait semaphore_set l1_store
        l1_load spend poll fail argument_address argument_count print unsupported cb_counter format_tile
        noc_multicast noc_inline_write bank_alignment noc_set_trid noc_trid_barrier noc_trid_poll mailbox_write mailbox_read
        mailbox_poll pack_rows l1_access);
    let buffer = assertions!(CbInterface: fifo_size fifo_limit fifo_page_size fifo_num_pages fifo_rd_ptr fifo_wr_ptr
        fifo_wr_tile_ptr data_format);
    compile(&folder, &format!("{table}{buffer}")).unwrap();
    // The assertions are looked at: a wrong one does not compile.
    let wrong = compile(&folder, "static_assert(offsetof(tp::Abi, poll) == 0, \"Abi::poll\");");
    assert!(matches!(wrong, Err(BuildError::Compile { .. })));
}
