// NCRISC of the published LayerNorm backward: mask and 1/N once, then for each tile row its statistics and its tiles.
// Where a row does not fit in L1, x, dy and gamma come in blocks, and again for each pass over the row.
#include "tiles.h"

constexpr uint32_t ONE_OVER_N = get_compile_time_arg_val(0);
constexpr uint32_t BLOCK = get_compile_time_arg_val(1);
constexpr uint32_t MASK_W = get_compile_time_arg_val(2);
constexpr uint32_t WT = get_compile_time_arg_val(3);

constexpr uint32_t SCALER = tt::CBIndex::c_0;
constexpr uint32_t MASK = tt::CBIndex::c_1;
constexpr uint32_t GAMMA = tt::CBIndex::c_2;
constexpr uint32_t RSTD = tt::CBIndex::c_4;
constexpr uint32_t DY = tt::CBIndex::c_5;
constexpr uint32_t X = tt::CBIndex::c_6;
constexpr uint32_t MEAN = tt::CBIndex::c_7;

void kernel_main() {
    constexpr auto gamma_args = TensorAccessorArgs<4>();
    constexpr auto x_args = TensorAccessorArgs<gamma_args.next_compile_time_args_offset()>();
    constexpr auto mean_args = TensorAccessorArgs<x_args.next_compile_time_args_offset()>();
    constexpr auto rstd_args = TensorAccessorArgs<mean_args.next_compile_time_args_offset()>();
    constexpr auto dy_args = TensorAccessorArgs<rstd_args.next_compile_time_args_offset()>();
    const TensorAccessor gamma(gamma_args, get_arg_val<uint32_t>(0), get_tile_size(GAMMA));
    const TensorAccessor x(x_args, get_arg_val<uint32_t>(1), get_tile_size(X));
    const TensorAccessor mean(mean_args, get_arg_val<uint32_t>(2), get_tile_size(MEAN));
    const TensorAccessor rstd(rstd_args, get_arg_val<uint32_t>(3), get_tile_size(RSTD));
    const TensorAccessor dy(dy_args, get_arg_val<uint32_t>(4), get_tile_size(DY));
    const uint32_t start = get_arg_val<uint32_t>(5);
    const uint32_t end = start + get_arg_val<uint32_t>(6);

    if (MASK_W != 0) {
        specimen::write_mask(MASK, MASK_W);
    }
    specimen::write_value(SCALER, ONE_OVER_N);

    for (uint32_t row = start; row < end; row++) {
        specimen::start_reads(RSTD, rstd, row, 1, 1);
        specimen::start_reads(MEAN, mean, row, 1, 1);
        noc_async_read_barrier();
        cb_push_back(MEAN, 1);
        cb_push_back(RSTD, 1);
#ifdef EVERYTHING_FITS_IN_L1
        specimen::start_reads(X, x, row * WT, WT, WT);
        specimen::start_reads(DY, dy, row * WT, WT, WT);
        if (row == start) {
            specimen::start_reads(GAMMA, gamma, 0, WT, WT);
        }
        noc_async_read_barrier();
        cb_push_back(X, WT);
        cb_push_back(DY, WT);
        if (row == start) {
            cb_push_back(GAMMA, WT);
        }
#else
        // s1, then s2, then dx, dgamma and dbeta; the first does not need x.
        for (uint32_t pass = 0; pass < 3; pass++) {
            for (uint32_t column = 0; column < WT; column += BLOCK) {
                const uint32_t count = std::min(BLOCK, WT - column);
                if (pass > 0) {
                    specimen::start_reads(X, x, row * WT + column, count, BLOCK);
                }
                specimen::start_reads(DY, dy, row * WT + column, count, BLOCK);
                specimen::start_reads(GAMMA, gamma, column, count, BLOCK);
                noc_async_read_barrier();
                if (pass > 0) {
                    cb_push_back(X, BLOCK);
                }
                cb_push_back(DY, BLOCK);
                cb_push_back(GAMMA, BLOCK);
            }
        }
#endif
    }
}
