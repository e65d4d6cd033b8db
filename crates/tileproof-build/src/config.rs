//! The text that is compiled before a kernel and differs from kernel to kernel: arguments, tables, modes.
//!
//! It holds what tt-metal's JIT writes into generated headers for the same kernel (`jit_build/genfiles.cpp`), and must not
//! hold anything that a macro of the user could need to override. Start at [`header`].

use std::fmt::Write;

use tileproof_model::arch::Arch;
use tileproof_model::numerics::format::{pack_source_format, unpack_register_format};
use tileproof_model::program::{ComputeConfig, KernelConfig, MathFidelity};
use tileproof_model::thread::Thread;

use crate::abi_table::INVALID_FORMAT;
use crate::request::{CircularBufferFormat, CompileRequest};

/// Entries of the tables by circular buffer.
const TABLE: usize = Arch::MOST_CIRCULAR_BUFFERS as usize;

/// Which thread a compute image is compiled for, when its text asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Variant {
    /// One image for all threads that run the kernel.
    Any,
    /// `TRISC_UNPACK`, `TRISC_MATH` or `TRISC_PACK`.
    Only(Thread),
}

/// The generated header of a kernel.
pub(crate) fn header(request: &CompileRequest) -> String {
    let mut text = String::from("#pragma once\n");
    arguments(&mut text, request);
    chip(&mut text, request.arch);
    match &request.config {
        KernelConfig::DataMovement(config) => {
            let (name, processor) = if config.processor == Thread::Brisc { ("BRISC", 0) } else { ("NCRISC", 1) };
            define(&mut text, &format!("COMPILE_FOR_{name}"), 1);
            define(&mut text, "COMPILE_FOR_DM", processor);
            define(&mut text, "NOC_INDEX", config.noc);
            define(&mut text, "NOC_MODE", 0);
            tables(&mut text, &request.circular_buffers, &ComputeConfig::default());
            // The device includes it before the kernel's first line (tt-metal `brisck.cc`, `ncrisck.cc`).
            text.push_str("#include \"tp/kernel_api.h\"\n");
        }
        KernelConfig::Compute(config) => {
            // `COMPILE_FOR_TRISC` is the thread's number on the device; which one is not known in a shared image.
            define(&mut text, "COMPILE_FOR_TRISC", 1);
            // Says "a compute kernel" where the text asks for nothing more; one that asks for the thread has variants.
            text.push_str(
                "#if !defined(UCK_CHLKC_UNPACK) && !defined(UCK_CHLKC_MATH) && !defined(UCK_CHLKC_PACK)\n\
                 #define UCK_CHLKC_UNPACK\n#endif\n",
            );
            // Open before the kernel's first line, and for compute kernels alone (tt-metal `chlkc_list.h`).
            text.push_str("using namespace ckernel;\n");
            modes(&mut text, config);
            tables(&mut text, &request.circular_buffers, config);
        }
    }
    text
}

/// The options that select a variant.
pub(crate) fn variant_defines(variant: Variant) -> &'static [&'static str] {
    match variant {
        Variant::Any => &[],
        Variant::Only(Thread::Unpack) => &["-DTRISC_UNPACK", "-DUCK_CHLKC_UNPACK"],
        Variant::Only(Thread::Math) => &["-DTRISC_MATH", "-DUCK_CHLKC_MATH"],
        Variant::Only(_) => &["-DTRISC_PACK", "-DUCK_CHLKC_PACK"],
    }
}

fn define(text: &mut String, name: &str, value: impl std::fmt::Display) {
    let _ = writeln!(text, "#ifndef {name}\n#define {name} {value}\n#endif");
}

fn list(words: impl Iterator<Item = u32>) -> String {
    words.map(|w| w.to_string()).collect::<Vec<_>>().join(", ")
}

fn arguments(text: &mut String, request: &CompileRequest) {
    let words = &request.compile_time_args;
    let _ = writeln!(text, "#define TP_COMPILE_TIME_ARGS {}", words.len());
    let _ = writeln!(text, "#define KERNEL_COMPILE_TIME_ARGS {}", list(words.iter().copied()));
    // An array has an element at least; the bound is checked against the count above.
    let padded = if words.is_empty() { "0".to_string() } else { list(words.iter().copied()) };
    let length = words.len().max(1);
    let _ = writeln!(text, "constexpr std::array<uint32_t, {length}> kernel_compile_time_args = {{{padded}}};");
    // A name without one of the scopes is a compile-time argument as it stands.
    let is_bound = |name: &str| name.split_once("::").is_some_and(|(scope, _)| SCOPES.contains(&scope));
    let (bound, named): (Vec<_>, Vec<_>) = request.named_compile_time_args.iter().partition(|(name, _)| is_bound(name));
    bindings(text, &bound);
    let named: String = named.iter().map(|(name, value)| format!("{{{name:?}, {value}u}}, ")).collect();
    let _ = writeln!(text, "#define TP_NAMED_ARGUMENTS {named}");
    let _ = writeln!(text, "#define KERNEL_COMPILE_TIME_ARG_MAP {}", named.trim_end_matches(", "));
}

/// What a name of generation 0.79 can stand for.
const SCOPES: [&str; 7] = ["args", "rta", "crta", "dfb", "sem", "tensor", "scratch"];

/// Declares what a kernel of generation 0.79 calls by name. The scope says what the number is: `args::` a value, `rta::` and
/// `crta::` the index of a runtime argument (both are `args::` to the kernel), `dfb::` a buffer, `sem::` a semaphore,
/// `tensor::` the position of an accessor in the compile-time arguments, `scratch::` the index of the common runtime argument
/// that holds an address. Addresses of tensors are the first common runtime arguments, in the order of the names; what a
/// kernel takes by number comes after all that have names.
fn bindings(text: &mut String, bound: &[&(String, u32)]) {
    let (mut named, mut common, mut tensors) = (0, 0, 0);
    for (name, value) in bound {
        let Some((scope, name)) = name.split_once("::") else { continue };
        let (namespace, declaration) = match scope {
            "args" => ("args", format!("::experimental::CtaVal<uint32_t> {name}{{{value}u}}")),
            "rta" => {
                named = named.max(value + 1);
                ("args", format!("::experimental::RtaArg<uint32_t> {name}{{{}u}}", 4 * value))
            }
            "crta" => {
                common = common.max(value + 1);
                ("args", format!("::experimental::CrtaArg<uint32_t> {name}{{{}u}}", 4 * value))
            }
            "dfb" => ("dfb", format!("::DFBBindingToken {name}{{{value}}}")),
            "sem" => ("sem", format!("::SemaphoreBindingToken<{value}> {name}{{}}")),
            "tensor" => {
                let address = 4 * tensors;
                tensors += 1;
                ("tensor", format!("::tensor_accessor::TensorBindingToken<{value}, {address}> {name}{{}}"))
            }
            // How large the memory is, no name can say: a kernel that asks is told so.
            "scratch" => {
                common = common.max(value + 1);
                ("scratch", format!("::ScratchpadBindingToken {name}{{{value}, 0xffffffff}}"))
            }
            _ => continue,
        };
        let _ = writeln!(text, "namespace {namespace} {{ constexpr {declaration}; }}");
    }
    let _ = writeln!(text, "#define TP_NAMED_RUNTIME_ARGUMENTS {named}");
    let _ = writeln!(text, "#define TP_NAMED_COMMON_RUNTIME_ARGUMENTS {}", common.max(tensors));
}

fn chip(text: &mut String, arch: Arch) {
    let constants = arch.constants();
    define(text, constants.kernel_macro, 1);
    define(text, "NUM_CIRCULAR_BUFFERS", constants.circular_buffers);
    define(text, "TP_NOC_MAX_BURST", constants.noc.max_burst);
    define(text, "TP_DRAM_ALIGNMENT", constants.dram_alignment);
    define(text, "TP_L1_ALIGNMENT", constants.l1_alignment);
    define(text, "NOC_PCIE_READ_ALIGNMENT_BYTES", constants.pcie_alignment);
    define(text, "PCIE_ALIGNMENT", constants.pcie_alignment);
    define(text, "TP_DRAM_BANKS", constants.dram_banks);
    define(text, "TP_L1_BANKS", constants.grid.0 * constants.grid.1);
    define(text, "TP_ORIGIN_X", constants.noc.tensix_origin.0);
    define(text, "TP_GAP_X", constants.noc.gap.0);
    define(text, "TP_GAP_COLUMNS", constants.noc.gap.1);
    define(text, "TP_ORIGIN_Y", constants.noc.tensix_origin.1);
}

fn modes(text: &mut String, config: &ComputeConfig) {
    let fidelity = match config.math_fidelity {
        MathFidelity::LoFi => 0,
        MathFidelity::HiFi2 => 2,
        MathFidelity::HiFi3 => 3,
        MathFidelity::HiFi4 => 4,
    };
    let sync = if config.dst_full_sync_en { "SyncFull" } else { "SyncHalf" };
    let _ = writeln!(text, "constexpr bool DST_ACCUM_MODE = {};", config.fp32_dest_acc_en);
    define(text, "DST_SYNC_MODE", format_args!("::ckernel::DstSync::{sync}"));
    let _ = writeln!(text, "constexpr int32_t MATH_FIDELITY = {fidelity};");
    let _ = writeln!(text, "constexpr bool APPROX = {};", config.math_approx_mode);
    let _ = writeln!(text, "constexpr bool UnpackToDestEn = true;");
    if config.fp32_dest_acc_en {
        define(text, "FP32_DEST_ACC_EN", 1);
    }
    // Defaults of template arguments, for kernels that do not define them.
    define(text, "REDUCE_OP", "::ckernel::PoolType::SUM");
    define(text, "REDUCE_DIM", "::ckernel::ReduceDim::REDUCE_SCALAR");
}

fn tables(text: &mut String, buffers: &[CircularBufferFormat], config: &ComputeConfig) {
    let table = |text: &mut String, name: &str, value: &dyn Fn(&CircularBufferFormat) -> u32, absent: u32| {
        let mut words = [absent; TABLE];
        for buffer in buffers {
            if let Some(word) = words.get_mut(usize::from(buffer.index)) {
                *word = value(buffer);
            }
        }
        let _ = write!(text, "constexpr uint32_t {name}[{TABLE}] = {{");
        // Of a thousand words in all a handful are others, and each is asked for whenever a kernel is looked for.
        let absent_text = absent.to_string();
        for (index, word) in words.into_iter().enumerate() {
            text.push_str(if index == 0 { "" } else { ", " });
            if word == absent {
                text.push_str(&absent_text);
            } else {
                let _ = write!(text, "{word}");
            }
        }
        text.push_str("};\n");
    };
    let fp32 = config.fp32_dest_acc_en;
    let register = |b: &CircularBufferFormat| {
        let straight = config.unpack_to_dest_fp32.contains(&b.index);
        unpack_register_format(b.format, fp32, straight).map_or(INVALID_FORMAT, |f| f as u32)
    };
    let source = |b: &CircularBufferFormat| {
        pack_source_format(b.format, fp32, config.bfp8_pack_precise).map_or(INVALID_FORMAT, |f| f as u32)
    };
    table(text, "unpack_src_format", &|b| b.format as u32, INVALID_FORMAT);
    table(text, "unpack_dst_format", &register, INVALID_FORMAT);
    table(text, "pack_src_format", &source, INVALID_FORMAT);
    table(text, "pack_dst_format", &|b| b.format as u32, INVALID_FORMAT);
    for side in ["unpack", "pack"] {
        table(text, &format!("{side}_tile_size"), &|b| b.format.tile_bytes(), 0);
        table(text, &format!("{side}_tile_num_faces"), &|_| 4, 4);
        table(text, &format!("{side}_tile_face_r_dim"), &|_| 16, 16);
        table(text, &format!("{side}_tile_r_dim"), &|_| 32, 32);
        table(text, &format!("{side}_tile_c_dim"), &|_| 32, 32);
        table(text, &format!("{side}_partial_face"), &|_| 0, 0);
        table(text, &format!("{side}_narrow_tile"), &|_| 0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_model::numerics::format::DataFormat;

    fn request(named: &[(&str, u32)], arch: Arch) -> CompileRequest {
        CompileRequest {
            source: "kernel.cpp".into(),
            config: KernelConfig::Compute(ComputeConfig::default()),
            compile_time_args: vec![7, 8],
            named_compile_time_args: named.iter().map(|(name, value)| ((*name).into(), *value)).collect(),
            defines: vec![],
            include_dirs: vec![],
            circular_buffers: vec![CircularBufferFormat { index: 1, format: DataFormat::Bfp8_b, page_size: 1088 }],
            arch,
        }
    }

    #[test]
    fn each_scope_declares_its_names_and_varargs_come_after_them() {
        let names = [("crta::scale", 1), ("rta::count", 2), ("sem::flag", 3), ("scratch::room", 4), ("odd::name", 5)];
        let text = header(&request(&names, Arch::Wormhole));
        for expected in [
            "namespace args { constexpr ::experimental::CrtaArg<uint32_t> scale{4u}; }",
            "namespace args { constexpr ::experimental::RtaArg<uint32_t> count{8u}; }",
            "namespace sem { constexpr ::SemaphoreBindingToken<3> flag{}; }",
            "namespace scratch { constexpr ::ScratchpadBindingToken room{4, 0xffffffff}; }",
            // The scratch memory's address is common argument 4, the named runtime argument is number 2.
            "#define TP_NAMED_COMMON_RUNTIME_ARGUMENTS 5\n",
            "#define TP_NAMED_RUNTIME_ARGUMENTS 3\n",
            // No scope that is known: an argument by that name.
            "#define TP_NAMED_ARGUMENTS {\"odd::name\", 5u}, \n",
        ] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
    }

    #[test]
    fn alignments_are_the_chips_own() {
        let text = |arch| header(&request(&[], arch));
        for (arch, dram, pcie) in [(Arch::Wormhole, 32, 32), (Arch::Blackhole, 64, 64)] {
            assert!(text(arch).contains(&format!("#define TP_DRAM_ALIGNMENT {dram}\n")));
            assert!(text(arch).contains(&format!("#define NOC_PCIE_READ_ALIGNMENT_BYTES {pcie}\n")));
        }
    }

    #[test]
    fn tables_hold_the_formats_of_the_program() {
        let text = header(&request(&[("blocks", 3)], Arch::Wormhole));
        assert!(text.contains("unpack_src_format[64] = {255, 6, 255,"));
        assert!(text.contains("unpack_tile_size[64] = {0, 1088, 0,"));
        assert!(text.contains("kernel_compile_time_args = {7, 8};"));
        assert!(text.contains("#define TP_NAMED_ARGUMENTS {\"blocks\", 3u}, \n"));
    }
}
