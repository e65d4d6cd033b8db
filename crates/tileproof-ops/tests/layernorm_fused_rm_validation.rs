//! Each condition of LayerNorm forward's host side, probed by one argument that breaks it, with what it says.

use tileproof_kernel::model::arch::Arch;
use tileproof_kernel::model::numerics::format::DataFormat;
use tileproof_kernel::model::program::Layout;
use tileproof_ops::layernorm_fused_rm::{Argument, Arguments, Memory, PathChoice, Storage, plan};

/// A call that is accepted.
fn accepted() -> Arguments {
    Arguments::new(&[2, 3, 40, 100], DataFormat::Float16_b, Layout::RowMajor)
}

/// What a call is refused with once `breaks` has changed it.
fn refusal(breaks: impl Fn(&mut Arguments)) -> String {
    let mut arguments = accepted();
    assert!(plan(&arguments).is_ok());
    breaks(&mut arguments);
    plan(&arguments).expect_err("a broken call").to_string()
}

/// A change of gamma.
fn gamma(arguments: &mut Arguments) -> &mut Argument {
    arguments.gamma.as_mut().expect("gamma")
}

/// A change of beta.
fn beta(arguments: &mut Arguments) -> &mut Argument {
    arguments.beta.as_mut().expect("beta")
}

const FREED: Storage = Storage::Device { id: 0, allocated: false };
const OTHER: Storage = Storage::Device { id: 1, allocated: true };

macro_rules! refused {
    ($($name:ident: $breaks:expr => $message:literal;)*) => {
        $(
            #[test]
            fn $name() {
                assert_eq!(refusal($breaks), $message);
            }
        )*
    };
}

refused! {
    x_on_the_host: |a| a.x.storage = Storage::Host
        => "x: is on the host, layernorm_fused_rm takes tensors on a device";
    gamma_on_the_host: |a| gamma(a).storage = Storage::Host
        => "gamma: is on the host, layernorm_fused_rm takes tensors on a device";
    beta_on_the_host: |a| beta(a).storage = Storage::Host
        => "beta: is on the host, layernorm_fused_rm takes tensors on a device";
    x_without_a_buffer: |a| a.x.storage = FREED
        => "x: its buffer is not allocated; it was freed or never written";
    gamma_without_a_buffer: |a| gamma(a).storage = FREED
        => "gamma: its buffer is not allocated; it was freed or never written";
    beta_without_a_buffer: |a| beta(a).storage = FREED
        => "beta: its buffer is not allocated; it was freed or never written";
    gamma_on_another_device: |a| gamma(a).storage = OTHER
        => "gamma: is on device 1, x is on device 0; all tensors must be on one device";
    beta_on_another_device: |a| beta(a).storage = OTHER
        => "beta: is on device 1, x is on device 0; all tensors must be on one device";
    a_sharded_x: |a| a.x.memory = Memory::Sharded
        => "x: memory is sharded, layernorm_fused_rm takes interleaved tensors";
    a_sharded_gamma: |a| gamma(a).memory = Memory::Sharded
        => "gamma: memory is sharded, layernorm_fused_rm takes interleaved tensors";
    an_x_of_tiles_in_the_row_major_form: |a| a.x.layout = Layout::Tile
        => "x: layout is tile, this form of layernorm_fused_rm takes row_major";
    a_row_major_x_in_the_tile_form: |a| a.layout = Layout::Tile
        => "x: layout is row_major, this form of layernorm_fused_rm takes tile";
    a_gamma_of_tiles: |a| gamma(a).layout = Layout::Tile
        => "gamma: layout is tile, this form of layernorm_fused_rm takes row_major";
    a_beta_of_tiles: |a| beta(a).layout = Layout::Tile
        => "beta: layout is tile, this form of layernorm_fused_rm takes row_major";
    no_dimensions: |a| a.x.shape = Vec::new()
        => "shape []: has 0 dimensions, layernorm_fused_rm takes 1 to 8 (the last is W)";
    nine_dimensions: |a| a.x.shape = vec![1, 1, 1, 1, 1, 1, 1, 32, 100]
        => "shape [1, 1, 1, 1, 1, 1, 1, 32, 100]: has 9 dimensions, layernorm_fused_rm takes 1 to 8 (the last is W)";
    an_empty_dimension: |a| a.x.shape = vec![1, 0, 100]
        => "shape [1, 0, 100]: dimension 1 is 0, every dimension must be at least 1";
    a_row_too_wide: |a| a.x.shape = vec![1, 1 + (1 << 20)]
        => "shape [1, 1048577]: W is 1048577, at most 1048576 features are supported";
    a_tensor_too_large: |a| a.x.shape = vec![1 << 14, 1 << 15]
        => "shape [16384, 32768]: 536870912 elements, at most 268435456 fit on the simulated device";
    a_dtype_that_is_none: |a| a.x.format = DataFormat::Bfp8_b
        => "dtype Bfp8_b: layernorm_fused_rm takes bfloat16 or float32";
    a_gamma_of_another_dtype: |a| gamma(a).format = DataFormat::Float32
        => "gamma: dtype Float32, x has Float16_b; gamma and beta must have the dtype of x";
    a_beta_of_another_dtype: |a| beta(a).format = DataFormat::Float32
        => "beta: dtype Float32, x has Float16_b; gamma and beta must have the dtype of x";
    a_gamma_without_dimensions: |a| gamma(a).shape = Vec::new()
        => "gamma: shape [] has 0 dimensions, allowed are 1 to 8";
    a_beta_of_nine_dimensions: |a| beta(a).shape = vec![1, 1, 1, 1, 1, 1, 1, 1, 100]
        => "beta: shape [1, 1, 1, 1, 1, 1, 1, 1, 100] has 9 dimensions, allowed are 1 to 8";
    a_gamma_of_two_rows: |a| gamma(a).shape = vec![1, 1, 2, 100]
        => "gamma: shape [1, 1, 2, 100] has several rows, allowed is one row; all dimensions but the last must be 1";
    a_gamma_of_another_width: |a| gamma(a).shape = vec![1, 1, 1, 96]
        => "gamma: the last dimension is 96, x has 100; they must be equal";
    a_beta_of_another_width: |a| beta(a).shape = vec![128]
        => "beta: the last dimension is 128, x has 100; they must be equal";
    an_eps_that_is_no_number: |a| a.eps = f64::NAN => "eps NaN: must be a finite number";
    an_infinite_eps: |a| a.eps = f64::INFINITY => "eps inf: must be a finite number";
    a_negative_eps: |a| a.eps = -1e-5 => "eps -0.00001: must be 0 or above";
    an_output_of_another_dtype: |a| a.output_format = DataFormat::Float32
        => "output: dtype Float32, x has Float16_b; y has the dtype of x";
    a_sharded_output: |a| a.output_memory = Memory::Sharded
        => "memory_config sharded: layernorm_fused_rm gives interleaved tensors; use dram or l1";
    a_16_bit_dst: |a| a.fp32_dest_acc_en = false
        => "fp32_dest_acc_en false: must be true; a 16-bit Dst loses rows whose mean is large beside their deviation";
    no_cores: |a| a.cores = Some(0) => "cores 0: wormhole has a compute grid of 64 cores, give 1 to 64";
    too_many_cores: |a| a.cores = Some(65) => "cores 65: wormhole has a compute grid of 64 cores, give 1 to 64";
}

#[test]
fn either_chip_runs_it() {
    for arch in Arch::ALL {
        let on = Arguments { arch, ..Arguments::new(&[64, 256], DataFormat::Float16_b, Layout::RowMajor) };
        assert!(plan(&on).is_ok(), "{}", arch.name());
    }
}

#[test]
fn a_row_that_does_not_fit_in_l1() {
    let wide =
        Arguments { path: PathChoice::L1, ..Arguments::new(&[1, 65536], DataFormat::Float16_b, Layout::RowMajor) };
    let message = plan(&wide).expect_err("65536 columns do not fit").to_string();
    assert!(message.starts_with("path l1: ") && message.ends_with("use path block or auto"), "{message}");
}

#[test]
fn what_is_allowed_is_accepted() {
    let allowed: [fn(&mut Arguments); 11] = [
        |a| a.x.shape = vec![100],
        |a| a.x.shape = vec![1, 2, 1, 3, 1, 1, 40, 100],
        |a| a.output_memory = Memory::InterleavedL1,
        |a| {
            a.x.memory = Memory::InterleavedL1;
            beta(a).memory = Memory::InterleavedL1;
        },
        |a| a.gamma = None,
        |a| a.beta = None,
        |a| a.eps = 0.0,
        |a| gamma(a).shape = vec![100],
        |a| a.statistics = true,
        |a| a.cores = Some(64),
        |a| {
            for argument in [&mut a.x, a.gamma.as_mut().unwrap(), a.beta.as_mut().unwrap()] {
                argument.storage = OTHER;
            }
        },
    ];
    for change in allowed {
        let mut arguments = accepted();
        change(&mut arguments);
        assert!(plan(&arguments).is_ok(), "{arguments:?}");
    }
}
