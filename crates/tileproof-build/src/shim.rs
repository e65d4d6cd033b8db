//! The shim headers: embedded in the program, written out to the cache once.
//!
//! A header of the kernel API is a one-line file at the device's path that includes the shim; what an API header declares
//! beyond its own area must do no harm. Start at [`Shim::write_out`].

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use tileproof_model::numerics::sfpu::SfpuOp;

use crate::abi_table;

macro_rules! embedded {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../shim/tp/", $name)))),*]
    };
}

const FILES: &[(&str, &str)] = embedded![
    "abi.h",
    "arguments.h",
    "bindings.h",
    "buffer_objects.h",
    "circular_buffer.h",
    "compute.h",
    "copies.h",
    "dataflow.h",
    "dprint.h",
    "fpu.h",
    "kernel_api.h",
    "l1_access.h",
    "l1_memory.h",
    "llk.h",
    "noc.h",
    "noc_objects.h",
    "noc_state.h",
    "objects.h",
    "pack.h",
    "prefix.h",
    "runtime.cpp",
    "semaphore_objects.h",
    "sfpu.h",
    "sfpu_tiles.h",
    "startup.h",
    "tensor_accessor.h",
    "types.h",
    "unmodelled.h",
    "unmodelled_dataflow.h",
    "unmodelled_names.h",
    "unmodelled_sockets.h",
];

/// Headers of compute kernels: below `api/compute` since generation 0.68, below `compute_kernel_api` before.
const COMPUTE: &[&str] = &[
    "add_int_sfpu",
    "atan2",
    "bcast",
    "binary_bitwise_sfpu",
    "binary_comp",
    "binary_fmod",
    "binary_max_min",
    "binary_remainder",
    "binary_shift",
    "blank",
    "cb_api",
    "common",
    "common_globals",
    "compute_kernel_api",
    "compute_kernel_hw_startup",
    "copy_dest_values",
    "cumsum",
    "eltwise_binary",
    "eltwise_binary_sfpu",
    "gcd",
    "layernorm",
    "lcm",
    "mask",
    "matmul",
    "mul_int32_sfpu",
    "mul_int_sfpu",
    "pack",
    "pack_untilize",
    "quantization",
    "reconfig_data_format",
    "reduce",
    "reduce_custom",
    "reg_api",
    "softmax",
    "sub_int_sfpu",
    "tile_move_copy",
    "tilize",
    "transpose",
    "transpose_wh",
    "transpose_wh_dest",
    "untilize",
    "welford",
    "xlogy",
    "eltwise_unary/activations",
    "eltwise_unary/addcdiv",
    "eltwise_unary/addcmul",
    "eltwise_unary/binop_with_scalar",
    "eltwise_unary/bitwise_and",
    "eltwise_unary/bitwise_not",
    "eltwise_unary/bitwise_or",
    "eltwise_unary/bitwise_xor",
    "eltwise_unary/cbrt",
    "eltwise_unary/clamp",
    "eltwise_unary/comp",
    "eltwise_unary/dropout",
    "eltwise_unary/eltwise_unary",
    "eltwise_unary/elu",
    "eltwise_unary/erf_erfc",
    "eltwise_unary/erfinv",
    "eltwise_unary/exp",
    "eltwise_unary/fill",
    "eltwise_unary/fmod",
    "eltwise_unary/gelu",
    "eltwise_unary/hardmish",
    "eltwise_unary/hardtanh",
    "eltwise_unary/i0",
    "eltwise_unary/i1",
    "eltwise_unary/identity",
    "eltwise_unary/isinf_isnan",
    "eltwise_unary/left_shift",
    "eltwise_unary/lerp",
    "eltwise_unary/log1p",
    "eltwise_unary/logical_not",
    "eltwise_unary/logical_not_noti",
    "eltwise_unary/mac",
    "eltwise_unary/mish",
    "eltwise_unary/negative",
    "eltwise_unary/prelu",
    "eltwise_unary/rand",
    "eltwise_unary/recip",
    "eltwise_unary/relu",
    "eltwise_unary/remainder",
    "eltwise_unary/reverseops",
    "eltwise_unary/right_shift",
    "eltwise_unary/rounding",
    "eltwise_unary/rpow",
    "eltwise_unary/rsqrt",
    "eltwise_unary/selu",
    "eltwise_unary/sfpu_split_includes",
    "eltwise_unary/softplus",
    "eltwise_unary/softshrink",
    "eltwise_unary/softsign",
    "eltwise_unary/sqrt",
    "eltwise_unary/threshold",
    "eltwise_unary/trigonometry",
    "eltwise_unary/typecast",
    "eltwise_unary/where",
    "eltwise_unary/xielu",
    "div_int32_floor",
    "div_int32_sfpu",
    "ema",
    "logsigmoid",
    "clamped_silu_glu",
    "isclose",
    "reshuffle",
    "sfpu_binary_bcast",
    "situ_glu",
    "src_order",
    "topk",
    "transpose_dest",
    "compute_kernel_api_debug",
    "bcast_sfpu",
    "eltwise_unary/rdiv",
    "eltwise_unary/rsub",
    "eltwise_unary/digamma",
    "eltwise_unary/snake_beta",
    "eltwise_unary/tanh_derivative",
    "eltwise_unary/sfpu_int_sum",
    "eltwise_unary/lgamma",
    "eltwise_unary/polygamma",
    "eltwise_unary/alt_complex_rotate90",
    "eltwise_unary/celu",
    "eltwise_unary/hardshrink",
    "eltwise_unary/logit",
    "eltwise_unary/max",
    "eltwise_unary/piecewise_rational",
    "eltwise_unary/reduce",
    "eltwise_unary/trunc",
    "experimental/fast_untilize",
    "experimental/mul_reduce_scalar",
    "experimental/pack_custom",
    "experimental/matmul_custom",
    "debug/cb_hash",
    "eltwise_unary/bitwise",
    "eltwise_unary/shift",
    "eltwise_unary/softcap",
    "eltwise_unary/tanhshrink",
    "experimental/add_rsqrt",
    "experimental/compressed_custom_mm",
    "experimental/compute_kernel_hw_cleanup",
    "experimental/custom_mm",
    "experimental/custom_mm_reuse_dest_srcb",
    "experimental/deepseek_compute_kernel_hw_startup",
    "experimental/eltwise_add_scalar",
    "experimental/eltwise_mul_scalar",
    "experimental/face_compressed_mm",
    "experimental/generalized_moe_gate",
    "experimental/generic_moe_gate",
    "experimental/hadamard",
    "experimental/indexer_mul_custom",
    "experimental/pack_block",
    "experimental/pack_rows_to_addr",
    "experimental/rmsnorm",
    "experimental/rope_sfpu",
    "experimental/sdpa",
    "experimental/sdpa_custom_mm",
    "experimental/sdpa_custom_mm_reuse_dest_srcb",
    "experimental/sdpa_sub_custom",
    "experimental/sdpa_weighted_reduce",
    "experimental/semaphore",
    "experimental/sinkhorn",
    "experimental/softmax_k",
    "experimental/sum_reduce_scalar",
    "experimental/tile_move_copy_custom",
    "experimental/topk_xl",
    "sentinel/compute_kernel_sentinel",
];

/// Other headers, by full path.
const OTHERS: &[&str] = &[
    "compute_kernel_api.h",
    "dataflow_api.h",
    "dataflow_api_addrgen.h",
    "tt_metal/include/compute_kernel_api.h",
    "tt-metalium/circular_buffer_constants.h",
    "tt-metalium/constants.hpp",
    "tt_metal/api/tt-metalium/constants.hpp",
    "hostdevcommon/common_values.hpp",
    "hostdevcommon/kernel_structs.h",
    "circular_buffer.h",
    "circular_buffer_init.h",
    "ckernel.h",
    "ckernel_defs.h",
    "ckernel_include.h",
    "llk_defs.h",
    "tensix.h",
    "tensix_types.h",
    "tensix_functions.h",
    "tt_metal/hw/inc/dataflow_api.h",
    "noc_nonblocking_api.h",
    "noc_overlay_parameters.h",
    "noc_parameters.h",
    "risc_attribs.h",
    "risc_common.h",
    "chlkc_list.h",
    "accessor/tensor_accessor.h",
    "accessor/tensor_accessor_args.h",
    "api/dataflow/dataflow_api.h",
    "api/dataflow/dataflow_api_addrgen.h",
    "api/dataflow/circular_buffer.h",
    "api/dataflow/dataflow_buffer.h",
    "api/dataflow/noc.h",
    "api/dataflow/noc_semaphore.h",
    "api/dataflow/endpoints.h",
    "api/tensor/tensor_accessor.h",
    "api/tensor/tensor_accessor_args.h",
    "api/tensor/noc_traits.h",
    "api/core_local_mem.h",
    "api/alignment.h",
    "api/numeric/bfloat16.h",
    "experimental/circular_buffer.h",
    "experimental/noc.h",
    "experimental/noc_semaphore.h",
    "experimental/endpoints.h",
    "experimental/tensor.h",
    "experimental/core_local_mem.h",
    "tools/profiler/kernel_profiler.hpp",
    "internal/risc_attribs.h",
    "internal/dataflow_buffer_interface.h",
    "api/compile_time_args.h",
    "api/kernel_thread_globals.h",
    "api/lock.h",
    "api/scratchpad.h",
    "api/scratchpad_binding_token.h",
    "api/remote_circular_buffer.h",
    "api/socket_api.h",
    "api/tensor/local_tensor_accessor.h",
    "api/tensor/tensor_binding_token.h",
    "api/tensor/page.h",
    "api/tensor/pages_address_iterator.h",
    "api/tensor/shard_pages_address_iterator.h",
    "api/dataflow/dfb_binding_token.h",
    "api/dataflow/semaphore_binding_token.h",
    "api/dataflow/cross_node_dfb.h",
    "api/dataflow/prefetcher_pipe.h",
    "api/numeric/float32.h",
    "api/numeric/int32.h",
    "experimental/kernel_args.h",
    "experimental/lock.h",
    "experimental/dataflow_buffer.h",
    "noc/noc_parameters.h",
    "internal/circular_buffer_interface.h",
    "internal/circular_buffer_init.h",
    "internal/tensix_functions.h",
    "internal/mod_div_lib.h",
    "internal/firmware_common.h",
    "mod_div_lib.h",
    "remote_circular_buffer_api.h",
    "dev_mem_map.h",
    "tt-metalium/buffer_types.hpp",
    "tt_metal/api/tt-metalium/buffer_types.hpp",
    "hostdevcommon/tensor_accessor/arg_config.hpp",
    "llk_io_pack.h",
    "llk_math_eltwise_binary.h",
    "llk_math_eltwise_binary_api.h",
    "llk_math_unary_datacopy_api.h",
    "llk_unpack_AB_api.h",
    "llk_unpack_A_api.h",
    "llk_pack_api.h",
    "llk_io_unpack.h",
    "llk_sfpu_types.h",
    "sfpi.h",
    "ckernel_sfpu.h",
    "ckernel_globals.h",
    "noc_address_backend.h",
    "compute_kernel_lib.h",
    "api/tt-metalium/constants.hpp",
    "internal/dataflow/dataflow_api_addrgen.h",
    "llk_math_eltwise_unary_sfpu_macros.h",
    "llk_math_eltwise_binary_sfpu_macros.h",
];

/// Debugging aids: below `debug` or `api/debug`.
const DEBUG: &[&str] = &[
    "dprint",
    "dprint_pages",
    "dprint_tensix",
    "dprint_tile",
    "assert",
    "waypoint",
    "status",
    "pause",
    "ring_buffer",
    "device_print",
    "checkpoint",
    "dump",
    "dprint_tensix_pack",
    "dprint_tensix_unpack",
    "noc_logging",
];

/// The shim on disk.
pub(crate) struct Shim {
    /// Folder for `-I`.
    pub(crate) include: PathBuf,
    /// Digest of all of it.
    pub(crate) digest: String,
}

/// The headers that kernels can include.
pub(crate) fn forwarders() -> Vec<String> {
    let mut paths = Vec::new();
    for name in COMPUTE {
        for root in ["api/compute", "compute_kernel_api", "tt_metal/include/compute_kernel_api"] {
            paths.push(format!("{root}/{name}.h"));
        }
    }
    for name in DEBUG {
        paths.push(format!("debug/{name}.h"));
        paths.push(format!("api/debug/{name}.h"));
    }
    paths.extend(OTHERS.iter().map(|p| p.to_string()));
    paths
}

/// What a header declares beyond the calls that every kernel sees: names that a kernel without it may have of its own. The
/// headers, and what each brings along, are those of ttnn 0.66 and 0.79.
const OBJECTS: [(&str, &[&str]); 3] = [
    ("semaphore_objects.h", &["api/dataflow/noc_semaphore.h", "experimental/noc_semaphore.h"]),
    ("unmodelled_sockets.h", &["api/socket_api.h"]),
    (
        "objects.h",
        &[
            "api/core_local_mem.h",
            "api/dataflow/circular_buffer.h",
            "api/dataflow/cross_node_dfb.h",
            "api/dataflow/dataflow_buffer.h",
            "api/dataflow/endpoints.h",
            "api/dataflow/noc.h",
            "api/dataflow/prefetcher_pipe.h",
            "api/lock.h",
            "api/remote_circular_buffer.h",
            "api/scratchpad.h",
            "api/tensor/local_tensor_accessor.h",
            "api/tensor/noc_traits.h",
            "experimental/circular_buffer.h",
            "experimental/core_local_mem.h",
            "experimental/dataflow_buffer.h",
            "experimental/endpoints.h",
            "experimental/lock.h",
            "experimental/noc.h",
            "experimental/tensor.h",
            "remote_circular_buffer_api.h",
        ],
    ),
];

/// What a header says that kernels include. Headers of generation 0.66 say so, unless the program has said which it is.
fn forwarder(path: &str) -> String {
    // The header of the same name below api/compute is of a later generation.
    let below = path.strip_prefix("tt_metal/include/").unwrap_or(path);
    let is_older = below.starts_with("compute_kernel_api");
    let generation = if is_older { "#ifndef TP_GENERATION\n#define TP_GENERATION 66\n#endif\n" } else { "" };
    let header = OBJECTS.iter().find(|(_, paths)| paths.contains(&path)).map_or("kernel_api.h", |(header, _)| *header);
    format!("#pragma once\n{generation}#include \"tp/{header}\"\n")
}

/// The operations that the shim names, as constants; those that the model lacks are marked.
fn sfpu_codes() -> String {
    let mut names: BTreeSet<String> = SfpuOp::ALL.iter().map(|op| format!("{op:?}")).collect();
    for (_, text) in FILES.iter().filter(|(name, _)| name.starts_with("sfpu")) {
        names.extend(named_operations(text));
    }
    let mut text = String::from(
        "#pragma once\n\nnamespace tp {\nconstexpr uint32_t MISSING = 0xffff;\nstruct Op {\n    uint32_t code;\n    \
         const char* name;\n};\nnamespace op {\n",
    );
    for name in names {
        let op = SfpuOp::ALL.iter().find(|op| format!("{op:?}") == name);
        let _ = match op {
            Some(op) => writeln!(text, "constexpr Op {name}{{{}, \"{}\"}};", op.code(), op.name()),
            None => writeln!(text, "constexpr Op {name}{{MISSING, \"vector operation {name}\"}};"),
        };
    }
    text.push_str("}  // namespace op\n}  // namespace tp\n");
    text
}

/// Names of operations in the text of a header: the second argument of the macros that make calls of a row of the
/// table, and the first of those that run one.
fn named_operations(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (macro_name, positions) in [
        ("TP_UNARY(", &[1][..]),
        ("TP_SCALAR(", &[1]),
        ("TP_BINOP(", &[1]),
        ("TP_BINARY(", &[1]),
        ("TP_ROUNDED(", &[1]),
        ("TP_INT_BINARY(", &[1, 2, 3]),
        ("TP_INT_TILES(", &[1, 2, 3]),
        ("TP_TYPECAST(", &[1]),
        ("TP_FAST(", &[1, 2]),
        ("TP_INIT(", &[0]),
        ("TP_RUN(", &[0]),
    ] {
        for rest in text.split(macro_name).skip(1) {
            let line = rest.lines().next().unwrap_or_default();
            let arguments: Vec<&str> = line.split([',', ')']).map(str::trim).collect();
            // A condition may hold parentheses: the operation is what comes last.
            let at = |p: &usize| {
                if macro_name == "TP_TYPECAST(" { arguments.iter().rev().nth(1) } else { arguments.get(*p) }
            };
            let is_name = |s: &&&str| !s.is_empty() && s.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            names.extend(positions.iter().filter_map(at).filter(is_name).map(|s| s.to_string()));
        }
    }
    // Parameters of the macros themselves.
    names.retain(|n| !matches!(n.as_str(), "OP" | "FAST_OP" | "OP_UINT32" | "OP_UINT16"));
    names
}

impl Shim {
    /// Puts the shim into `folder`, unless it is there.
    pub(crate) fn write_out(folder: &Path) -> io::Result<Shim> {
        let generated = [("abi_table.h", abi_table::header()), ("sfpu_codes.h", sfpu_codes())];
        let generated = generated.iter().map(|(name, text)| (*name, text.as_str()));
        let mut hasher = blake3::Hasher::new();
        let forwarders = forwarders();
        for (name, text) in FILES.iter().copied().chain(generated.clone()) {
            hasher.update(name.as_bytes()).update(&[0]).update(text.as_bytes()).update(&[0]);
        }
        for path in &forwarders {
            hasher.update(path.as_bytes()).update(&[0]).update(forwarder(path).as_bytes()).update(&[0]);
        }
        let digest = hasher.finalize().to_hex()[..24].to_string();
        let root = folder.join(format!("shim-{digest}"));
        let include = root.join("include");
        if !include.is_dir() {
            let fresh = folder.join(format!("shim-{digest}.{}.{:?}", std::process::id(), std::thread::current().id()));
            let fresh_include = fresh.join("include");
            let write = |path: &str, text: &str| {
                let path = fresh_include.join(path);
                if let Some(parent) = path.parent() {
                    fs::create_dir_all(parent)?;
                }
                fs::write(path, text)
            };
            for (name, text) in FILES.iter().copied().chain(generated.clone()) {
                write(&format!("tp/{name}"), text)?;
            }
            for path in &forwarders {
                write(path, &forwarder(path))?;
            }
            // Another process may have been faster: then its copy, which is the same, stays.
            if fs::rename(&fresh, &root).is_err() {
                let _ = fs::remove_dir_all(&fresh);
            }
        }
        Ok(Shim { include, digest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_found_in_the_headers() {
        let names = named_operations("TP_FAST(tanh, Tanh, TanhFast, false)\n TP_RUN(Exp, dst, 0);TP_UNARY(abs, Abs)");
        assert_eq!(names, ["Abs", "Tanh", "TanhFast", "Exp"]);
        let codes = sfpu_codes();
        assert!(codes.contains("constexpr Op Fill{300, \"fill_tile\"};"));
    }

    #[test]
    fn header_paths_are_unique() {
        let paths = forwarders();
        let unique: BTreeSet<&String> = paths.iter().collect();
        assert_eq!(unique.len(), paths.len());
    }

    #[test]
    fn every_header_of_objects_is_one_that_kernels_can_include() {
        let paths = forwarders();
        for (header, of) in OBJECTS {
            assert!(FILES.iter().any(|(name, _)| *name == header), "{header}");
            of.iter().for_each(|path| assert!(paths.iter().any(|p| p == path), "{path}"));
        }
    }

    #[test]
    fn headers_of_the_older_generation_say_so() {
        let says = |path| forwarder(path).contains("TP_GENERATION 66");
        for path in
            ["compute_kernel_api.h", "compute_kernel_api/reduce.h", "tt_metal/include/compute_kernel_api/bcast.h"]
        {
            assert!(forwarders().iter().any(|p| p == path) && says(path), "{path}");
        }
        for path in ["api/compute/compute_kernel_api.h", "api/compute/reduce.h", "api/dataflow/dataflow_api.h"] {
            assert!(!says(path), "{path}");
        }
    }
}
