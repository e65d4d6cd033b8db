// Numbers to integers of 8 bits by a factor and a zero point, back, and from one such pair to another.
// The zero point lies in register 2 from the init on, and how the result is rounded in what the init records, as on the device. Steps are
// those of tt-metal `ckernel_sfpu_quant.h` of September 2026. Start at quant_tile.
#pragma once
#include "tp/kernel_api.h"
#ifdef COMPILE_FOR_TRISC
#include "tp/sfpi_faces.h"

namespace tp::quantization {

enum class Kind { None, Quantize, Requantize, Dequantize };
// What the last init has recorded.
inline Kind recorded = Kind::None;
inline bool has_sign = true;

constexpr uint32_t ZERO_POINT = 2, FP32 = 3;

// Integers to sign and magnitude and back, by the load and the store where those convert.
#ifdef ARCH_BLACKHOLE
constexpr uint32_t INTEGER = 4;
ALWI Value loaded(uint32_t row) { return step(step_code::ToSignMagnitude, {note(step_code::Load, row, INTEGER)}); }
ALWI Value stored(Value value) { return step(step_code::ToTwosComplement, value); }
#else
constexpr uint32_t INTEGER = 12;
ALWI Value loaded(uint32_t row) { return {note(step_code::Load, row, INTEGER)}; }
ALWI Value stored(Value value) { return value; }
#endif

inline void run(Site site, Kind kind, uint32_t in0, uint32_t in1, uint32_t out) {
    if (!DST_ACCUM_MODE) {
        unsupported(site, "quantization on a 16-bit Dst");
    }
    if (kind != recorded) {
        unsupported(site, "quantization behind the init of another, or of none");
    }
    on_faces(site, 0, ckernel::TP_RC, [=] {
        for (uint32_t vector = 0; vector < 8; ++vector, steps.moved += 2) {
            const uint32_t row = steps.face + steps.moved;
            const uint32_t first = row + ROWS_A_TILE * in0, to = row + ROWS_A_TILE * out;
            Value x = kind == Kind::Quantize ? Value{note(step_code::Load, first, FP32)} : step(step_code::ToFloat, loaded(first));
            const Value factor{note(step_code::Load, row + ROWS_A_TILE * in1, FP32)};
            const Value zero_point{note(step_code::ReadRegister, ZERO_POINT)};
            if (kind == Kind::Dequantize) {
                note(step_code::WriteRegister, step(step_code::Add, x, zero_point).number, 0);
                x = step(step_code::Multiply, {note(step_code::ReadRegister, 0)}, factor);
                note(step_code::Store, x.number, to, FP32);
                continue;
            }
            x = step(step_code::MultiplyAdd, x, factor, zero_point);
            x = step(has_sign ? step_code::RoundToInt8 : step_code::RoundToUInt8, x);
            note(step_code::Store, stored(x).number, to, INTEGER);
        }
    });
}

}  // namespace tp::quantization

namespace ckernel {

#define TP_QUANTIZATION(NAME, KIND)                                                          \
    ALWI void NAME##_tile(uint32_t in0, uint32_t in1, uint32_t out) {                        \
        TP_SINCE_DIVISIONS(#NAME "_tile");                                                   \
        if (TP_ON_MATH) {                                                                    \
            tp::quantization::run(TP_SITE(), tp::quantization::Kind::KIND, in0, in1, out);   \
        }                                                                                    \
    }
TP_QUANTIZATION(quant, Quantize)
TP_QUANTIZATION(requant, Requantize)
TP_QUANTIZATION(dequant, Dequantize)
#undef TP_QUANTIZATION
#define TP_QUANTIZATION_INIT(NAME, KIND, SIGN)                                               \
    ALWI void NAME##_tile_init(uint32_t zero_point) {                                        \
        if (TP_ON_MATH) {                                                                    \
            tp::run_pending(TP_SITE());                                                      \
            tp::note(tp::step_code::WriteRegister, tp::constant(zero_point, false).number,   \
                     tp::quantization::ZERO_POINT);                                          \
            tp::quantization::recorded = tp::quantization::Kind::KIND;                       \
            tp::quantization::has_sign = SIGN;                                               \
        }                                                                                    \
    }
TP_QUANTIZATION_INIT(quant, Quantize, true)
TP_QUANTIZATION_INIT(quant_uint8, Quantize, false)
TP_QUANTIZATION_INIT(requant, Requantize, true)
TP_QUANTIZATION_INIT(requant_uint8, Requantize, false)
TP_QUANTIZATION_INIT(dequant, Dequantize, true)
#undef TP_QUANTIZATION_INIT

}  // namespace ckernel
#endif
