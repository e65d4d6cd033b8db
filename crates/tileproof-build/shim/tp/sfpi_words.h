// The vector unit below its library: where in Dst a vector lies, and words of the unit's own.
// Counters are the machine's for dst_reg; a word that would do more ends the kernel by name. Names follow tt-llk
// `ckernel_instr_params.h`, `cmath_common.h`, `ckernel_ops.h`. Start at TTI_SETRWC.
#pragma once

namespace ckernel {

struct p_setrwc {
    static constexpr uint32_t CLR_NONE = 0, CLR_A = 1, CLR_B = 2, CLR_AB = 3;
    static constexpr uint32_t SET_A = 1, SET_B = 2, SET_AB = 3, SET_D = 4, SET_AD = 5, SET_BD = 6, SET_ABD = 7, SET_F = 8;
    static constexpr uint32_t SET_A_F = 9, SET_B_F = 10, SET_AB_F = 11, SET_D_F = 12, SET_AD_F = 13, SET_BD_F = 14, SET_ABD_F = 15;
    static constexpr uint32_t CR_A = 1, CR_B = 2, CR_AB = 3, CR_D = 4, CR_AD = 5, CR_BD = 6, CR_ABD = 7, C_TO_CR_MODE = 8;
};
// What a thread waits for: here every unit is done when its call returns.
struct p_stall {
    static constexpr uint32_t NONE = 0, THCON = 1, UNPACK0 = 2, UNPACK1 = 4, PACK = 8, PACK0 = 8, MATH = 16, SRCA_CLR = 32;
    static constexpr uint32_t SRCB_CLR = 64, SRCA_VLD = 128, SRCB_VLD = 256, XMOV = 512, TRISC_CFG = 1024, SFPU1 = 2048;
    static constexpr uint32_t WAIT_SFPU = 2048, STALL_TDMA = 1, STALL_SYNC = 2, STALL_PACK = 4, STALL_UNPACK = 8;
    static constexpr uint32_t STALL_XMOV = 16, STALL_THCON = 32, STALL_MATH = 64, STALL_CFG = 128, STALL_SFPU = 256;
    static constexpr uint32_t STALL_THREAD = 511;
};
struct p_sfpu {
    static constexpr uint32_t LREG0 = 0, LREG1 = 1, LREG2 = 2, LREG3 = 3, LREG4 = 4, LREG5 = 5, LREG6 = 6, LREG7 = 7;
    static constexpr uint32_t LCONST_0_8373 = 8, LCONST_0 = 9, LCONST_1 = 10, LREG11 = 11, LREG12 = 12, LREG13 = 13, LREG14 = 14;
    static constexpr uint32_t LCONST_neg1 = 11, LTILEID = 15;
};
// In which rows SFPSWAP's first register gets the larger number; in the others it is the second.
struct p_sfpswap {
    static constexpr uint32_t UNCONDITIONALLY = 0, ALL_ROWS_MAX = 1, ROWS_01_MAX = 2, ROWS_02_MAX = 3, ROWS_03_MAX = 4;
    static constexpr uint32_t ROW_0_MAX = 5, ROW_1_MAX = 6, ROW_2_MAX = 7, ROW_3_MAX = 8;
};
// How a load or store takes a datum of Dst.
enum InstrModLoadStore {
    DEFAULT = 0, FP16A = 1, FP16B = 2, FP32 = 3, INT32 = 4, INT8 = 5, LO16 = 6, HI16 = 7,
    INT32_2S_COMP = 12, INT8_2S_COMP = 13, LO16_ONLY = 14, HI16_ONLY = 15,
};
enum DstTileLayout { Default, Interleaved };
enum DstTileShape { Tile32x32 = 0, Tile32x16 = 1, Tile16x16 = 2 };

}  // namespace ckernel

namespace tp {
// Where a vector at an address lies: the face that begins, and what was moved on since.
ALWI void begin_at(Site site, uint32_t row) {
    run_steps(site);
    steps.face = row;
    steps.moved = 0;
}
// SETRWC on the counter of Dst: from where it began, or from where it is.
ALWI void set_counters(Site site, uint32_t clear, uint32_t from_begin, uint32_t rows, uint32_t which) {
    using ckernel::p_setrwc;
    if (clear != p_setrwc::CLR_NONE) {
        unsupported(site, "TTI_SETRWC that clears valid flags of sources");
    }
    if ((which & p_setrwc::SET_D) == 0) {
        return;
    }
    if ((from_begin & p_setrwc::C_TO_CR_MODE) != 0) {
        steps.face += steps.moved + rows;
        steps.moved = 0;
    } else if ((from_begin & p_setrwc::CR_D) != 0) {
        steps.face += rows;
        steps.moved = 0;
    } else {
        steps.moved = rows;
    }
}
}  // namespace tp

#define TTI_SETRWC(CLEAR, FROM, D, B, A, WHICH) (::tp::set_counters(TP_SITE(), CLEAR, FROM, D, WHICH))
#define TTI_INCRWC(FROM, D, B, A) ((void)(::tp::steps.moved += (D)))
#define TTI_STALLWAIT(...) ((void)0)
#define TTI_NOP ((void)0)
#define TTI_SFPNOP ((void)0)

namespace ckernel::math {
template <auto... Values>
ALWI void set_dst_write_addr(uint32_t tile) { tp::begin_at(TP_SITE(), tp::ROWS_A_TILE * tile); }
ALWI void clear_dst_reg_addr() { tp::begin_at(TP_SITE(), 0); }
ALWI void set_addr_mod_base() {}
ALWI void clear_addr_mod_base() {}
ALWI void reset_counters(uint32_t which) {
    if ((which & p_setrwc::SET_D) != 0) {
        tp::steps.face = tp::steps.moved = 0;
    }
}
template <uint32_t rows = 8>
ALWI void inc_dst_addr() { tp::set_counters(TP_SITE(), p_setrwc::CLR_NONE, p_setrwc::CR_D, rows, p_setrwc::SET_D); }
}  // namespace ckernel::math

namespace ckernel {
template <auto... Values>
ALWI void _llk_math_eltwise_unary_sfpu_start_(uint32_t tile) { tp::begin_at(TP_SITE(), tp::ROWS_A_TILE * tile); }
ALWI void _llk_math_eltwise_unary_sfpu_done_() { tp::begin_at(TP_SITE(), 0); }
ALWI void _llk_math_eltwise_unary_sfpu_inc_dst_face_addr_() { tp::steps.face += tp::ROWS_A_FACE, tp::steps.moved = 0; }
template <auto... Values>
ALWI void _llk_math_eltwise_binary_sfpu_start_(uint32_t tile) { tp::begin_at(TP_SITE(), tp::ROWS_A_TILE * tile); }
ALWI void _llk_math_eltwise_binary_sfpu_done_() { tp::begin_at(TP_SITE(), 0); }
ALWI void _llk_math_eltwise_binary_sfpu_inc_dst_face_addr_() { _llk_math_eltwise_unary_sfpu_inc_dst_face_addr_(); }
}  // namespace ckernel

#include "tp/sfpi_raw_words.h"

namespace ckernel {
// A mode of the counters as a kernel sets it: by how much each word with it moves the counter of Dst on.
struct addr_mod_t {
    struct addr_mod_src_t { uint8_t incr = 0, clr = 0, cr = 0; };
    struct addr_mod_dest_t { int16_t incr = 0; uint8_t clr = 0, cr = 0, c_to_cr = 0; };
    struct addr_mod_fidelity_t { uint8_t incr = 0, clr = 0; };
    struct addr_mod_bias_t { uint8_t incr = 0, clr = 0; };
    addr_mod_src_t srca = {}, srcb = {};
    addr_mod_dest_t dest = {};
    addr_mod_fidelity_t fidelity = {};
    addr_mod_bias_t bias = {};
    addr_mod_src_t pack_ysrc = {}, pack_ydst = {};
    ALWI void set(uint8_t mode) const {
        const bool plain = (dest.clr | dest.cr | dest.c_to_cr) == 0;
        tp::mode_steps[mode & 7] = plain ? dest.incr : tp::UNKNOWN_STEP;
    }
};
}  // namespace ckernel

// Other words of the unit.
#define TP_NO_WORD(NAME) (::tp::unsupported(TP_SITE(), NAME))
#define TTI_SFPLOADMACRO(...) TP_NO_WORD("TTI_SFPLOADMACRO")
#define TTI_SFPLUT(...) TP_NO_WORD("TTI_SFPLUT")
#define TTI_SFPLUTFP32(...) TP_NO_WORD("TTI_SFPLUTFP32")
#ifdef ARCH_BLACKHOLE
#define TTI_SFPGT(...) TP_NO_WORD("TTI_SFPGT")
#define TTI_SFPLE(...) TP_NO_WORD("TTI_SFPLE")
#define TTI_SFPMUL24(...) TP_NO_WORD("TTI_SFPMUL24")
#endif
#define TTI_REPLAY(...) TP_NO_WORD("TTI_REPLAY")
#define TTI_ZEROACC(...) TP_NO_WORD("TTI_ZEROACC")
#define TTI_MOVD2A(...) TP_NO_WORD("TTI_MOVD2A")
#define TTI_MOVA2D(...) TP_NO_WORD("TTI_MOVA2D")
#define TTI_MOVB2D(...) TP_NO_WORD("TTI_MOVB2D")
#define TTI_MOVD2B(...) TP_NO_WORD("TTI_MOVD2B")
#define TTI_SETC16(...) TP_NO_WORD("TTI_SETC16")
#define TTI_SEMWAIT(...) TP_NO_WORD("TTI_SEMWAIT")
#define TTI_SEMPOST(...) TP_NO_WORD("TTI_SEMPOST")
#define TTI_SEMGET(...) TP_NO_WORD("TTI_SEMGET")
#define TTI_MOP(...) TP_NO_WORD("TTI_MOP")
