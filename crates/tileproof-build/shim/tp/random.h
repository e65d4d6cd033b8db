// Random numbers of the vector unit: each lane draws from a shift register of its own, which a seed sets.
// Words and their order are those of tt-llk `ckernel_sfpu_rand.h` (before the mixing of September 2026, and since) and
// `ckernel_sfpu_dropout.h`. What is drawn without a seed, or behind an operation that may have drawn too, nobody knows: the kernel ends.
// Start at rand_tile.
#pragma once
#include "tp/kernel_api.h"
#ifdef COMPILE_FOR_TRISC
#include "tp/sfpi_steps.h"

namespace tp::random {

ALWI Value drawn() { return {note(step_code::Random)}; }
ALWI Value number(uint32_t word) { return constant(word, false); }
// Positive, with the bits of a draw.
ALWI Value positive(Value value) { return step(step_code::CopySign, value, number(0)); }
ALWI Value shifted(Value value, int by) { return step(step_code::Shift, value, number(uint32_t(by))); }
ALWI Value mixed_right(Value value, int by) { return step(step_code::Xor, value, shifted(value, -by)); }
ALWI Value mixed_left(Value value, int by) { return step(step_code::AddInt, shifted(value, by), value); }

inline void seed(Site site, uint32_t word) {
    note(step_code::Seed, word);
    run_steps(site);
}

// Vectors of a tile, face by face.
template <typename Function>
ALWI void on_vectors(Site site, uint32_t tile, Function&& function) {
    run_steps(site);
    for (uint32_t face = 0; face < 4; ++face) {
        function(64 * tile + 16 * face);
        run_steps(site);
    }
}

constexpr uint32_t VECTORS = 8, ROWS_A_VECTOR = 2, FP32 = 3;

// The mantissa of a number between 1 and 2.
inline void uniform(Site site, uint32_t tile, uint32_t from, uint32_t scale) {
    on_vectors(site, tile, [=](uint32_t row) {
        for (uint32_t at = 0; at < VECTORS; ++at, row += ROWS_A_VECTOR) {
            const Value one_to_two = step(step_code::SetExponent, positive(drawn()), number(127));
            note(step_code::WriteRegister, one_to_two.number, 0);
            const Value below_one = step(step_code::Add, {note(step_code::ReadRegister, 0)}, number(0xbf80'0000));
            note(step_code::WriteRegister, below_one.number, 0);
            const Value scaled = step(step_code::MultiplyAdd, {note(step_code::ReadRegister, 0)}, number(scale), number(from));
            note(step_code::Store, scaled.number, row, FP32);
        }
    });
}

// How lanes mix a draw with their own number: by sums, or by a product where the unit multiplies integers.
#ifdef ARCH_BLACKHOLE
constexpr uint32_t LANE_OFFSET = 407;
constexpr int SALT_SHIFTS[] = {14, 6};
inline Value mixed(Value word) {
    word = mixed_right(mixed_right(word, 8), 16);
    const Value product = step(step_code::MultiplyInt23, word, {note(step_code::ReadConstant, 8)});
    word = step(step_code::CopyMantissa, word, product);
    return mixed_right(step(step_code::Xor, shifted(word, 8), word), 14);
}
#else
constexpr uint32_t LANE_OFFSET = uint32_t(-151);
constexpr int SALT_SHIFTS[] = {20, 5};
inline Value mixed(Value word) {
    word = mixed_left(mixed_right(word, 16), 10);
    word = mixed_left(mixed_right(word, 6), 13);
    return mixed_right(word, 16);
}
#endif
inline Value salts_of_lanes() {
    Value salt = step(step_code::AddInt, {note(step_code::ReadConstant, 15)}, number(LANE_OFFSET));
    for (const int by : SALT_SHIFTS) {
        salt = step(step_code::Xor, shifted(salt, by), salt);
    }
    return salt;
}

// 31 bits as an integer, of a draw that lanes mix with their own number.
inline void mixed_uniform(Site site, uint32_t tile, uint32_t from, uint32_t scale) {
    const uint32_t exponent = scale >> 23 & 0xff;
    const bool is_small_first = exponent <= 31 || exponent == 0xff;
    if (!is_small_first) {
        scale -= 31u << 23;
    }
    on_vectors(site, tile, [=](uint32_t row) {
        const Value salts = salts_of_lanes();
        for (uint32_t at = 0; at < VECTORS; ++at, row += ROWS_A_VECTOR) {
            Value unit = positive(step(step_code::ToFloat, mixed(step(step_code::AddInt, drawn(), salts))));
            note(step_code::WriteRegister, unit.number, 6);
            if (is_small_first) {
                const Value small = step(step_code::Multiply, {note(step_code::ReadRegister, 6)}, number(0x3000'0000));
                note(step_code::WriteRegister, small.number, 6);
            }
            unit = {note(step_code::ReadRegister, 6)};
            note(step_code::Store, step(step_code::MultiplyAdd, unit, number(scale), number(from)).number, row, FP32);
        }
        // The draw for a vector that does not come.
        drawn();
    });
}

// Zero where a draw, as a number of 31 bits, is not above the probability; else scaled.
inline void dropout(Site site, uint32_t tile, uint32_t probability, uint32_t scale) {
    on_vectors(site, tile, [=](uint32_t row) {
        for (uint32_t at = 0; at < VECTORS; ++at, row += ROWS_A_VECTOR) {
            const Value loaded{note(step_code::Load, row, 0)};
            note(step_code::WriteRegister, step(step_code::Multiply, loaded, number(scale)).number, 0);
            const Value difference = step(step_code::SubtractInt, number(probability), positive(drawn()));
            note(step_code::Where, step(step_code::CompareInt, difference, number(0), 1).number);
            note(step_code::WriteRegister, number(0).number, 0);
            note(step_code::AllLanes);
            note(step_code::Store, note(step_code::ReadRegister, 0), row, 0);
        }
    });
}

}  // namespace tp::random

namespace ckernel {

ALWI void init_prng_seed(uint32_t seed) {
    if (TP_ON_MATH) {
        tp::random::seed(TP_SITE(), seed);
    }
}
// A second number tells streams apart, and all ones would be a state that the register never leaves.
ALWI void rand_tile_init(uint32_t seed = 0, uint32_t stream = 0) {
    TP_KNOWN(MATH, TP_RANDOM_TILES, "rand_tile_init");
    if (TP_SINCE(TP_RANDOM_TILES)) {
        seed += stream * 0x9e37'79b9u;
        seed = seed == 0xffff'ffff ? 0xffff'fffe : seed;
    }
    init_prng_seed(seed);
}
ALWI void rand_tile(uint32_t tile, uint32_t from, uint32_t scale) {
    TP_KNOWN(MATH, TP_RANDOM_TILES, "rand_tile");
    TP_BY_DAY(random_tiles);
    if (!TP_ON_MATH) {
        return;
    }
    if (!DST_ACCUM_MODE) {
        tp::unsupported(TP_SITE(), "rand_tile on a 16-bit Dst");
    }
    if (TP_BEFORE(TP_RANDOM_TILES)) {
        tp::random::uniform(TP_SITE(), tile, from, scale);
    } else {
        tp::random::mixed_uniform(TP_SITE(), tile, from, scale);
    }
}
ALWI void dropout_kernel_init(uint32_t seed = 0) { init_prng_seed(seed); }
ALWI void dropout_tile(uint32_t tile, uint32_t probability, uint32_t scale) {
    if (TP_ON_MATH) {
        tp::random::dropout(TP_SITE(), tile, probability, scale);
    }
}

}  // namespace ckernel
#endif
