// Words of the vector unit by hand: each is noted as steps on registers, which nothing joins.
// A modifier that is not modelled ends the kernel by the word's name. Operands and modifiers are those of tt-llk `ckernel_ops.h` and of
// the ISA documentation (`TensixCoprocessor/SFP*.md`). Start at TTI_SFPMAD.
#pragma once

namespace ckernel {
// Modes that say how counters move on.
enum : uint32_t { ADDR_MOD_0, ADDR_MOD_1, ADDR_MOD_2, ADDR_MOD_3, ADDR_MOD_4, ADDR_MOD_5, ADDR_MOD_6, ADDR_MOD_7 };
}  // namespace ckernel

// Modifiers by the names of sfpi (`sfpi_constants.h`).
namespace sfpi {
constexpr uint32_t SFPLOADI_MOD0_FLOATB = 0, SFPLOADI_MOD0_FLOATA = 1, SFPLOADI_MOD0_USHORT = 2, SFPLOADI_MOD0_SHORT = 4;
constexpr uint32_t SFPLOADI_MOD0_UPPER = 8, SFPLOADI_MOD0_LOWER = 10;
constexpr uint32_t SFPMOV_MOD1_COMPSIGN = 1, SFPMAD_MOD1_OFFSET_NONE = 0, SFPABS_MOD1_INT = 0, SFPABS_MOD1_FLOAT = 1;
constexpr uint32_t SFPEXMAN_MOD1_PAD8 = 0, SFPEXMAN_MOD1_PAD9 = 1, SFPEXEXP_MOD1_DEBIAS = 0, SFPEXEXP_MOD1_NODEBIAS = 1;
constexpr uint32_t SFPIADD_MOD1_ARG_LREG_DST = 0, SFPIADD_MOD1_ARG_IMM = 1, SFPIADD_MOD1_ARG_2SCOMP_LREG_DST = 2;
constexpr uint32_t SFPIADD_MOD1_CC_LT0 = 0, SFPIADD_MOD1_CC_NONE = 4, SFPIADD_MOD1_CC_GTE0 = 8;
constexpr uint32_t SFPSETCC_MOD1_LREG_LT0 = 0, SFPSETCC_MOD1_LREG_NE0 = 2, SFPSETCC_MOD1_LREG_GTE0 = 4, SFPSETCC_MOD1_LREG_EQ0 = 6;
constexpr uint32_t SFPENCC_IMM12_NEITHER = 0, SFPENCC_IMM12_BOTH = 3, SFPENCC_MOD1_EU_R1 = 0, SFPENCC_MOD1_EI_RI = 10;
constexpr uint32_t SFPSTOCHRND_RND_EVEN = 0, SFPSTOCHRND_RND_NEAREST = 0, SFPSTOCHRND_RND_STOCH = 1;
constexpr uint32_t SFPSTOCHRND_MOD1_FP32_TO_FP16A = 0, SFPSTOCHRND_MOD1_FP32_TO_FP16B = 1, SFPSTOCHRND_MOD1_FP32_TO_UINT8 = 2;
constexpr uint32_t SFPSTOCHRND_MOD1_FP32_TO_INT8 = 3, SFPSTOCHRND_MOD1_FP32_TO_SMAG8 = 3, SFPSTOCHRND_MOD1_FP32_TO_UINT16 = 6;
constexpr uint32_t SFPSTOCHRND_MOD1_FP32_TO_INT16 = 7, SFPSTOCHRND_MOD1_FP32_TO_SMAG16 = 7;
constexpr uint32_t SFPCAST_MOD1_INT32_TO_FP32_RNE = 0, SFPCAST_MOD1_SM32_TO_FP32_RNE = 0, SFPSHFT2_MOD1_SHFT_LREG = 5;
constexpr uint32_t SFPSWAP_MOD1_SWAP = 0, SFPSWAP_MOD1_VEC_MIN_MAX = 1, SFPCONFIG_MOD1_ARG_IMM = 1;
#ifdef ARCH_BLACKHOLE
constexpr uint32_t SFPMOV_MOD1_CONFIG = 8, SFPARECIP_MOD1_RECIP = 0, SFPARECIP_MOD1_COND_RECIP = 1, SFPARECIP_MOD1_EXP = 2;
#endif
}  // namespace sfpi

namespace tp {

// A word's operand: a register, or a constant.
ALWI Value lreg(uint32_t number) {
    return {number < 8 ? note(step_code::ReadRegister, number) : note(step_code::ReadConstant, number)};
}
ALWI void set_lreg(Site site, const char* word, uint32_t number, Value value) {
    if (number > 7) {
        unsupported(site, word);
    }
    note(step_code::WriteRegister, value.number, number);
}
// A 12-bit number, signed.
constexpr uint32_t signed_12(uint32_t immediate) { return uint32_t(int32_t(immediate << 20) >> 20); }
ALWI Value number_12(uint32_t immediate) { return constant(signed_12(immediate), false); }
// How far each mode moves the counter of Dst on, behind the word. What the kernel has not set is not known, but of the mode that
// vector code begins with, which moves nothing.
constexpr int32_t UNKNOWN_STEP = 0x7fff;
inline int32_t mode_steps[8] = {UNKNOWN_STEP, UNKNOWN_STEP, UNKNOWN_STEP, UNKNOWN_STEP,
                                UNKNOWN_STEP, UNKNOWN_STEP, UNKNOWN_STEP, 0};
// Words of Wormhole have two bits for a mode, and vector code runs with the base at four (LLK `set_addr_mod_base`); those of
// Blackhole have three, and mode 3 is what its library writes for one that moves nothing.
ALWI uint32_t word_address(Site site, const char* word, uint32_t mode, uint32_t address) {
#ifdef ARCH_BLACKHOLE
    const uint32_t which = mode == 3 ? 7 : mode & 7;
#else
    const uint32_t which = (mode & 3) | 4;
#endif
    if (mode_steps[which] == UNKNOWN_STEP) {
        unsupported(site, word);
    }
    const uint32_t row = steps.face + steps.moved + address;
    steps.moved += uint32_t(mode_steps[which]);
    return row;
}
ALWI void only(Site site, const char* word, bool known) {
    if (!known) {
        unsupported(site, word);
    }
}
// Lanes go on where a number compares so with 0: 0 below, 1 not below, 4 equal, 5 different.
ALWI void where_integer(Value value, uint32_t how) {
    note(step_code::Where, step(step_code::CompareInt, value, constant(0, true), how).number);
}

#define TP_WORD(NAME) [[maybe_unused]] constexpr const char* word = "TTI_SFP" #NAME " with these operands"
ALWI void sfp_load(Site site, uint32_t to, uint32_t format, uint32_t mode, uint32_t address) {
    TP_WORD(LOAD);
    set_lreg(site, word, to, {note(step_code::Load, word_address(site, word, mode, address), format)});
}
ALWI void sfp_store(Site site, uint32_t from, uint32_t format, uint32_t mode, uint32_t address) {
    TP_WORD(STORE);
    note(step_code::Store, lreg(from).number, word_address(site, word, mode, address), format);
}
ALWI void sfp_loadi(Site site, uint32_t to, uint32_t mode, uint32_t immediate) {
    TP_WORD(LOADI);
    immediate &= 0xffff;
    if (mode == 8 || mode == 10) {
        only(site, word, to < 8);
        note(step_code::LoadHalf, to, immediate, mode == 8);
        return;
    }
    only(site, word, mode == 0 || mode == 2 || mode == 4);
    const uint32_t number = mode == 0 ? immediate << 16 : mode == 2 ? immediate : uint32_t(int32_t(immediate << 16) >> 16);
    set_lreg(site, word, to, constant(number, false));
}
// On Blackhole bit 0 turns the sign of the first factor, bit 1 that of the addend.
ALWI void sfp_mad(Site site, uint32_t a, uint32_t b, uint32_t c, uint32_t to, uint32_t modifier) {
    TP_WORD(MAD);
#ifdef ARCH_BLACKHOLE
    only(site, word, modifier < 4);
    const Value factor = (modifier & 1) != 0 ? step(step_code::Negate, lreg(a)) : lreg(a);
    const Value addend = (modifier & 2) != 0 ? step(step_code::Negate, lreg(c)) : lreg(c);
    set_lreg(site, word, to, step(step_code::MultiplyAdd, factor, lreg(b), addend));
#else
    only(site, word, modifier == 0);
    set_lreg(site, word, to, step(step_code::MultiplyAdd, lreg(a), lreg(b), lreg(c)));
#endif
}
// Roundings to nearest, of a float; what draws a number, or takes another factor, is not modelled.
ALWI void sfp_stoch_rnd(Site site, uint32_t mode, uint32_t immediate, uint32_t from, uint32_t to, uint32_t modifier) {
    TP_WORD(_STOCH_RND);
    only(site, word, mode == 0 && immediate == 0 && (modifier == 1 || modifier == 2 || modifier == 3 || modifier == 6 || modifier == 7));
    const uint32_t code = modifier == 1   ? step_code::RoundToBf16
                          : modifier == 2 ? step_code::RoundToUInt8
                          : modifier == 3 ? step_code::RoundToInt8
                          : modifier == 6 ? step_code::RoundToUInt16
                                          : step_code::RoundToInt16;
    set_lreg(site, word, to, step(code, lreg(from)));
}
// In place, with bf16 numbers.
ALWI void sfp_addi(Site site, uint32_t immediate, uint32_t to, uint32_t modifier) {
    TP_WORD(ADDI);
    only(site, word, modifier == 0);
    set_lreg(site, word, to, step(step_code::Add, lreg(to), constant(immediate << 16, false)));
}
ALWI void sfp_muli(Site site, uint32_t immediate, uint32_t to, uint32_t modifier) {
    TP_WORD(MULI);
    only(site, word, modifier == 0);
    set_lreg(site, word, to, step(step_code::Multiply, lreg(to), constant(immediate << 16, false)));
}
// With modifier 8, of register 9: a random number.
ALWI void sfp_mov(Site site, uint32_t from, uint32_t to, uint32_t modifier) {
    TP_WORD(MOV);
    if (modifier == 8 && from == 9) {
        set_lreg(site, word, to, {note(step_code::Random)});
        return;
    }
    only(site, word, modifier <= 1);
    set_lreg(site, word, to, modifier == 0 ? lreg(from) : step(step_code::Negate, lreg(from)));
}
ALWI void sfp_abs(Site site, uint32_t from, uint32_t to, uint32_t modifier) {
    TP_WORD(ABS);
    only(site, word, modifier <= 1);
    set_lreg(site, word, to, step(modifier == 0 ? step_code::AbsInt : step_code::AbsFloat, lreg(from)));
}
ALWI void sfp_setcc(Site site, uint32_t immediate, uint32_t of, uint32_t modifier) {
    TP_WORD(SETCC);
    only(site, word, modifier == 0 || modifier == 2 || modifier == 4 || modifier == 6);
    where_integer(lreg(of), modifier == 0 ? 0 : modifier == 2 ? 5 : modifier == 4 ? 1 : 4);
}
// Back to all lanes, enabled: with the flags as they are, or both set.
ALWI void sfp_encc(Site site, uint32_t immediate, uint32_t modifier) {
    TP_WORD(ENCC);
    only(site, word, modifier == 0 || (immediate == 3 && modifier == 10));
    note(step_code::AllLanes);
}
ALWI void sfp_popc(Site site, uint32_t modifier) {
    TP_WORD(POPC);
    only(site, word, modifier == 0);
    note(step_code::End, 1);
}
ALWI void sfp_pushc(Site site, uint32_t modifier) {
    TP_WORD(PUSHC);
    only(site, word, modifier == 0);
    note(step_code::Begin);
}
// Bit 0: with a number; bit 1: the second term taken from the first; bit 2: lanes stay; bit 3: lanes where the result is not below 0.
ALWI void sfp_iadd(Site site, uint32_t immediate, uint32_t from, uint32_t to, uint32_t modifier) {
    TP_WORD(IADD);
    only(site, word, modifier < 16 && (modifier & 3) != 3);
    const Value other = (modifier & 1) != 0 ? number_12(immediate) : lreg(to);
    const Value result = step((modifier & 2) != 0 ? step_code::SubtractInt : step_code::AddInt, lreg(from), other);
    set_lreg(site, word, to, result);
    if ((modifier & 4) == 0) {
        where_integer(result, (modifier & 8) != 0);
    }
}
ALWI void sfp_shft(Site site, uint32_t immediate, uint32_t by, uint32_t to, uint32_t modifier) {
    TP_WORD(SHFT);
    only(site, word, modifier <= 1);
    set_lreg(site, word, to, step(step_code::Shift, lreg(to), modifier == 1 ? number_12(immediate) : lreg(by)));
}
#define TP_BITS(NAME, STEP)                                                                  \
    ALWI void NAME(Site site, const char* word, uint32_t from, uint32_t to, uint32_t modifier) { \
        only(site, word, modifier == 0);                                                     \
        set_lreg(site, word, to, step(step_code::STEP, lreg(to), lreg(from)));               \
    }
TP_BITS(sfp_and, And)
TP_BITS(sfp_or, Or)
TP_BITS(sfp_xor, Xor)
#undef TP_BITS
ALWI void sfp_of_one(Site site, const char* word, uint32_t code, uint32_t from, uint32_t to, bool known) {
    only(site, word, known);
    set_lreg(site, word, to, step(code, lreg(from)));
}
// Bit 0: with a number; else with the destination's own bits.
ALWI void sfp_setexp(Site site, uint32_t immediate, uint32_t from, uint32_t to, uint32_t modifier) {
    TP_WORD(SETEXP);
    only(site, word, modifier <= 2);
    const Value exponent = modifier == 1 ? constant(immediate & 0xff, false) : lreg(to);
    set_lreg(site, word, to, step(modifier == 2 ? step_code::CopyExponent : step_code::SetExponent, lreg(from), exponent));
}
ALWI void sfp_setsgn(Site site, uint32_t immediate, uint32_t from, uint32_t to, uint32_t modifier) {
    TP_WORD(SETSGN);
    only(site, word, modifier <= 1);
    const Value sign = modifier == 1 ? constant(immediate << 31, false) : lreg(to);
    set_lreg(site, word, to, step(step_code::CopySign, lreg(from), sign));
}
ALWI void sfp_setman(Site site, uint32_t, uint32_t from, uint32_t to, uint32_t modifier) {
    TP_WORD(SETMAN);
    only(site, word, modifier == 0);
    set_lreg(site, word, to, step(step_code::CopyMantissa, lreg(from), lreg(to)));
}
ALWI void sfp_divp2(Site site, uint32_t immediate, uint32_t from, uint32_t to, uint32_t modifier) {
    TP_WORD(DIVP2);
    only(site, word, modifier == 1);
    set_lreg(site, word, to, {note(step_code::AddExponent, lreg(from).number, signed_12(immediate))});
}
// Of the first register that gets the larger number and the second.
ALWI void sfp_swap(Site site, uint32_t one, uint32_t other, uint32_t modifier) {
    TP_WORD(SWAP);
    only(site, word, one < 8 && other < 8);
    note(step_code::Swap, one, other, modifier);
}
// Registers 11 to 14 take register 0, 11 also -1; number 15 is how lanes work.
ALWI void sfp_config(Site site, uint32_t immediate, uint32_t which, uint32_t modifier) {
    TP_WORD(CONFIG);
    if (which == 15 && modifier == 1) {
        note(step_code::Configure, immediate);
        return;
    }
    only(site, word, which > 10 && which < 15 && immediate == 0 && (modifier == 0 || (modifier == 1 && which == 11)));
    note(step_code::SetConstant, modifier == 0 ? lreg(0).number : constant(0xbf800000, false).number, which);
}
// By a register, into a third.
ALWI void sfp_shft2(Site site, uint32_t value, uint32_t by, uint32_t to, uint32_t modifier) {
    TP_WORD(SHFT2);
    only(site, word, modifier == 5);
    set_lreg(site, word, to, step(step_code::Shift, lreg(value), lreg(by)));
}
#undef TP_WORD

}  // namespace tp

#define TTI_SFPLOAD(TO, FORMAT, MODE, ADDRESS) (::tp::sfp_load(TP_SITE(), TO, FORMAT, MODE, ADDRESS))
#define TTI_SFPSTORE(FROM, FORMAT, MODE, ADDRESS) (::tp::sfp_store(TP_SITE(), FROM, FORMAT, MODE, ADDRESS))
#define TTI_SFPLOADI(TO, MODE, IMMEDIATE) (::tp::sfp_loadi(TP_SITE(), TO, MODE, IMMEDIATE))
#define TTI_SFPMAD(A, B, C, TO, MODIFIER) (::tp::sfp_mad(TP_SITE(), A, B, C, TO, MODIFIER))
#define TTI_SFPADD(A, B, C, TO, MODIFIER) TTI_SFPMAD(A, B, C, TO, MODIFIER)
#define TTI_SFPMUL(A, B, C, TO, MODIFIER) TTI_SFPMAD(A, B, C, TO, MODIFIER)
#define TTI_SFPADDI(IMMEDIATE, TO, MODIFIER) (::tp::sfp_addi(TP_SITE(), IMMEDIATE, TO, MODIFIER))
#define TTI_SFPMULI(IMMEDIATE, TO, MODIFIER) (::tp::sfp_muli(TP_SITE(), IMMEDIATE, TO, MODIFIER))
#define TTI_SFPMOV(IMMEDIATE, FROM, TO, MODIFIER) (::tp::sfp_mov(TP_SITE(), FROM, TO, MODIFIER))
#define TTI_SFPABS(IMMEDIATE, FROM, TO, MODIFIER) (::tp::sfp_abs(TP_SITE(), FROM, TO, MODIFIER))
#define TTI_SFPSETCC(IMMEDIATE, OF, TO, MODIFIER) (::tp::sfp_setcc(TP_SITE(), IMMEDIATE, OF, MODIFIER))
#define TTI_SFPENCC(IMMEDIATE, FROM, TO, MODIFIER) (::tp::sfp_encc(TP_SITE(), IMMEDIATE, MODIFIER))
#define TTI_SFPPUSHC(IMMEDIATE, FROM, TO, MODIFIER) (::tp::sfp_pushc(TP_SITE(), MODIFIER))
#define TTI_SFPPOPC(IMMEDIATE, FROM, TO, MODIFIER) (::tp::sfp_popc(TP_SITE(), MODIFIER))
#define TTI_SFPCOMPC(...) ((void)::tp::note(::tp::step_code::Otherwise))
#define TTI_SFPIADD(IMMEDIATE, FROM, TO, MODIFIER) (::tp::sfp_iadd(TP_SITE(), IMMEDIATE, FROM, TO, MODIFIER))
#define TTI_SFPSHFT(IMMEDIATE, BY, TO, MODIFIER) (::tp::sfp_shft(TP_SITE(), IMMEDIATE, BY, TO, MODIFIER))
#define TTI_SFPAND(IMMEDIATE, FROM, TO, MODIFIER) (::tp::sfp_and(TP_SITE(), "TTI_SFPAND", FROM, TO, MODIFIER))
#define TTI_SFPOR(IMMEDIATE, FROM, TO, MODIFIER) (::tp::sfp_or(TP_SITE(), "TTI_SFPOR", FROM, TO, MODIFIER))
#define TTI_SFPXOR(IMMEDIATE, FROM, TO, MODIFIER) (::tp::sfp_xor(TP_SITE(), "TTI_SFPXOR", FROM, TO, MODIFIER))
#define TP_OF_ONE(WORD, CODE, FROM, TO, KNOWN) \
    (::tp::sfp_of_one(TP_SITE(), WORD " with these operands", ::tp::step_code::CODE, FROM, TO, KNOWN))
#define TTI_SFPNOT(IMMEDIATE, FROM, TO, MODIFIER) TP_OF_ONE("TTI_SFPNOT", Not, FROM, TO, (MODIFIER) == 0)
#define TTI_SFPLZ(IMMEDIATE, FROM, TO, MODIFIER) TP_OF_ONE("TTI_SFPLZ", LeadingZeros, FROM, TO, (MODIFIER) == 0)
#define TTI_SFPCAST(FROM, TO, MODIFIER) TP_OF_ONE("TTI_SFPCAST", ToFloat, FROM, TO, (MODIFIER) == 0)
#define TTI_SFPEXEXP(IMMEDIATE, FROM, TO, MODIFIER) \
    ((MODIFIER) == 0 ? TP_OF_ONE("TTI_SFPEXEXP", Exponent, FROM, TO, true) \
                     : TP_OF_ONE("TTI_SFPEXEXP", ExponentField, FROM, TO, (MODIFIER) == 1))
#define TTI_SFPEXMAN(IMMEDIATE, FROM, TO, MODIFIER) \
    ((MODIFIER) == 0 ? TP_OF_ONE("TTI_SFPEXMAN", Significand, FROM, TO, true) \
                     : TP_OF_ONE("TTI_SFPEXMAN", Mantissa, FROM, TO, (MODIFIER) == 1))
#define TTI_SFP_STOCH_RND(MODE, IMMEDIATE, B, FROM, TO, MODIFIER) \
    (::tp::sfp_stoch_rnd(TP_SITE(), MODE, IMMEDIATE, FROM, TO, MODIFIER))
#ifdef ARCH_BLACKHOLE
#define TTI_SFPARECIP(IMMEDIATE, FROM, TO, MODIFIER) TP_OF_ONE("TTI_SFPARECIP", ApproximateReciprocal, FROM, TO, (MODIFIER) == 0)
#endif
#define TTI_SFPSETEXP(IMMEDIATE, FROM, TO, MODIFIER) (::tp::sfp_setexp(TP_SITE(), IMMEDIATE, FROM, TO, MODIFIER))
#define TTI_SFPSETSGN(IMMEDIATE, FROM, TO, MODIFIER) (::tp::sfp_setsgn(TP_SITE(), IMMEDIATE, FROM, TO, MODIFIER))
#define TTI_SFPSETMAN(IMMEDIATE, FROM, TO, MODIFIER) (::tp::sfp_setman(TP_SITE(), IMMEDIATE, FROM, TO, MODIFIER))
#define TTI_SFPDIVP2(IMMEDIATE, FROM, TO, MODIFIER) (::tp::sfp_divp2(TP_SITE(), IMMEDIATE, FROM, TO, MODIFIER))
#define TTI_SFPSWAP(IMMEDIATE, ONE, OTHER, MODIFIER) (::tp::sfp_swap(TP_SITE(), ONE, OTHER, MODIFIER))
#define TTI_SFPTRANSP(...) ((void)::tp::note(::tp::step_code::Transpose))
#define TTI_SFPCONFIG(IMMEDIATE, WHICH, MODIFIER) (::tp::sfp_config(TP_SITE(), IMMEDIATE, WHICH, MODIFIER))
#define TTI_SFPSHFT2(VALUE, BY, TO, MODIFIER) (::tp::sfp_shft2(TP_SITE(), VALUE, BY, TO, MODIFIER))

// The same with operands that are known when it runs.
#define TT_SFPLOAD(TO, FORMAT, MODE, ADDRESS) TTI_SFPLOAD(TO, FORMAT, MODE, ADDRESS)
#define TT_SFPSTORE(FROM, FORMAT, MODE, ADDRESS) TTI_SFPSTORE(FROM, FORMAT, MODE, ADDRESS)
#define TT_SFPLOADI(TO, MODE, IMMEDIATE) TTI_SFPLOADI(TO, MODE, IMMEDIATE)
#define TT_SFPADDI(IMMEDIATE, TO, MODIFIER) TTI_SFPADDI(IMMEDIATE, TO, MODIFIER)
#define TT_SFPMULI(IMMEDIATE, TO, MODIFIER) TTI_SFPMULI(IMMEDIATE, TO, MODIFIER)
#define TT_SFPIADD(IMMEDIATE, FROM, TO, MODIFIER) TTI_SFPIADD(IMMEDIATE, FROM, TO, MODIFIER)
#define TT_SFPSHFT(IMMEDIATE, BY, TO, MODIFIER) TTI_SFPSHFT(IMMEDIATE, BY, TO, MODIFIER)
