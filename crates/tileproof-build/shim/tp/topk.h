// The largest or smallest of 64 numbers with their indices: parts of a bitonic sorting network on columns of Dst.
// A column is that of two tiles below one another, its indices lie two tiles further on; what is equal ends where the network's
// exchanges bring it, so each must be the device's, in its order. Those are of tt-llk `ckernel_sfpu_topk.h`: the same network in 0.66
// and 0.79. Its stable and fused forms end the kernel by name. Start at topk_local_sort.
#pragma once
#include "tp/kernel_api.h"
#ifdef COMPILE_FOR_TRISC
#include "tp/sfpi_steps.h"

namespace tp::topk {

// Rows of Dst from the numbers to their indices, and from one half of 16 columns to the other; a vector has every second column.
constexpr uint32_t INDICES = 128, OTHER_COLUMNS = 16, ODD_COLUMNS = 2;
constexpr uint32_t DATUMS = 64, AT_A_TIME = 16;
// Bits of SFPCONFIG: indices are exchanged with their numbers, and exchanges are turned round.
constexpr uint32_t INDICES_FOLLOW = 0x4, TURNED = 0x100;
// Which rows of SFPSWAP have the larger number first.
enum : uint32_t { ALWAYS, ALL_ROWS, ROWS_0_AND_1, ROWS_0_AND_2 };

ALWI void exchange(uint32_t larger, uint32_t smaller, uint32_t rows = ALL_ROWS) { note(step_code::Swap, larger, smaller, rows); }
ALWI void transpose() { note(step_code::Transpose); }

// Registers that hold vectors of numbers, from 0 on, and of their indices, from 4 on.
struct Vectors {
    uint32_t rows[4];
    uint32_t count;
    ALWI static uint32_t format(bool is_index) { return !is_index ? 0 : DST_ACCUM_MODE ? 4 : 6; }
    ALWI void load() const {
        for (uint32_t at = 0; at < 2 * count; ++at) {
            const bool is_index = at >= count;
            const uint32_t number = is_index ? at - count : at;
            const uint32_t row = rows[number] + (is_index ? INDICES : 0);
            note(step_code::WriteRegister, note(step_code::Load, row, format(is_index)), number + (is_index ? 4 : 0));
        }
    }
    ALWI void store() const {
        for (uint32_t at = 0; at < 2 * count; ++at) {
            const bool is_index = at >= count;
            const uint32_t number = is_index ? at - count : at;
            const uint32_t row = rows[number] + (is_index ? INDICES : 0);
            note(step_code::Store, note(step_code::ReadRegister, number + (is_index ? 4 : 0)), row, format(is_index));
        }
    }
};
ALWI Vectors two(uint32_t row, uint32_t distance) { return {{row, row + distance}, 2}; }
ALWI Vectors four(uint32_t row, uint32_t near, uint32_t far) { return {{row, row + near, row + far, row + far + near}, 4}; }

// Phases of the network within 16 numbers; the last takes its direction.
ALWI void sort_2() {
    transpose();
    exchange(0, 1);
    exchange(3, 2);
    transpose();
}
ALWI void sort_4() {
    transpose();
    exchange(0, 2, ROWS_0_AND_2);
    exchange(1, 3, ROWS_0_AND_2);
    exchange(0, 1, ROWS_0_AND_2);
    exchange(2, 3, ROWS_0_AND_2);
    transpose();
}
ALWI void sort_8() {
    exchange(0, 1);
    exchange(2, 3);
    exchange(2, 3, ALWAYS);
    transpose();
    exchange(0, 2, ROWS_0_AND_1);
    exchange(1, 3, ROWS_0_AND_1);
    exchange(0, 1, ROWS_0_AND_1);
    exchange(2, 3, ROWS_0_AND_1);
    transpose();
}
ALWI void sort_16(bool smallest_first) {
    if (smallest_first) {
        note(step_code::Configure, INDICES_FOLLOW | TURNED);
    }
    for (uint32_t pass = 0; pass < 2; ++pass) {
        exchange(0, 2);
        exchange(1, 3);
        exchange(0, 1);
        exchange(2, 3);
        transpose();
    }
    if (smallest_first) {
        note(step_code::Configure, INDICES_FOLLOW);
    }
}

// A phase beyond 16 numbers: steps of 32 and 16 numbers apart, then the rest 16 at a time.
inline void sort_long(uint32_t base, bool smallest_first, uint32_t sorted, uint32_t first_step, uint32_t last_step) {
    for (uint32_t number = first_step; number > last_step; --number) {
        const uint32_t distance = number == 5 ? 16 : 32;
        const uint32_t rounds = distance / 8;
        bool smallest = smallest_first;
        uint32_t row = 0, begin = 0, offset = 0;
        for (uint32_t compared = 0; compared < DATUMS;) {
            for (uint32_t round = 0; round < rounds; ++round) {
                const Vectors vectors = four(base + row, 4, 2 * distance);
                vectors.load();
                exchange(smallest ? 2 : 0, smallest ? 0 : 2);
                exchange(smallest ? 3 : 1, smallest ? 1 : 3);
                vectors.store();
                offset += 8;
                if (round == rounds - 1) {
                    row = begin += 4 * distance;
                    offset = 2 * distance;
                } else if (offset == 16) {
                    row = begin += 32;
                } else {
                    row += 8;
                }
                compared += AT_A_TIME;
            }
            smallest ^= compared == sorted;
        }
    }
    bool smallest = smallest_first;
    for (uint32_t compared = 0; compared < DATUMS;) {
        const Vectors vectors = four(base + 2 * compared, 4, 8);
        vectors.load();
        sort_16(smallest);
        vectors.store();
        compared += AT_A_TIME;
        smallest ^= compared == sorted;
    }
}

// The columns one quarter after the other; all but the first lie where tile 0 begins, whatever tile is named.
template <typename Function>
ALWI void on_columns(Site site, uint32_t tile, Function&& function) {
    run_steps(site);
    for (uint32_t quarter = 0; quarter < 4; ++quarter) {
        const uint32_t base = quarter / 2 * OTHER_COLUMNS + quarter % 2 * ODD_COLUMNS;
        function(quarter == 0 ? 64 * tile : base);
    }
    run_steps(site);
}

inline void local_sort(Site site, uint32_t tile, bool smallest_first, int last, int first, uint32_t last_step, uint32_t first_step) {
    on_columns(site, tile, [=](uint32_t base) {
        bool smallest = smallest_first;
        for (int phase = first; phase <= last; ++phase) {
            if (phase > 3) {
                const bool alone = first == last;
                sort_long(base, smallest_first, 2u << phase, alone ? first_step : uint32_t(phase) + 1, alone ? last_step : 4);
                continue;
            }
            for (uint32_t group = 0; group < DATUMS / AT_A_TIME; ++group) {
                const Vectors vectors = four(base + 32 * group, 4, 8);
                vectors.load();
                if (phase == 0) {
                    sort_2();
                } else if (phase == 1) {
                    sort_4();
                } else if (phase == 2) {
                    sort_8();
                } else {
                    sort_16(smallest);
                    smallest = !smallest;
                }
                vectors.store();
            }
        }
    });
}

constexpr uint32_t larger_of(uint32_t a, uint32_t b) { return a > b ? a : b; }
constexpr uint32_t smaller_of(uint32_t a, uint32_t b) { return a < b ? a : b; }

// What is largest of pairs of sorted sequences of `k`, `2^iteration` sequences apart.
inline void merge(Site site, uint32_t tile, bool smallest, uint32_t iteration, uint32_t k) {
    on_columns(site, tile, [=](uint32_t base) {
        const uint32_t length = smaller_of(k, 32);
        const uint32_t total = larger_of(DATUMS >> iteration, 2 * length);
        const uint32_t distance = smaller_of(length << iteration, 32);
        uint32_t begin = 0, offset = 0;
        for (uint32_t compared = 0; compared < total;) {
            const uint32_t rounds = length / 4;
            for (uint32_t round = 0; round < rounds; ++round) {
                const Vectors vectors = two(base + offset % 16 + offset / 16 * 32, distance < 16 ? distance : 2 * distance);
                vectors.load();
                exchange(smallest ? 1 : 0, smallest ? 0 : 1);
                vectors.store();
                compared += 8;
                if (round == rounds - 1) {
                    offset = begin += 2 * distance;
                } else {
                    offset += 4;
                }
            }
            if (rounds == 0) {
                break;
            }
        }
    });
}

// Sorts what a merge has left: sequences of `k`, of which every second may be left out.
inline void rebuild(Site site, uint32_t tile, bool smallest_first, uint32_t iteration, uint32_t k, int log_k, bool skip_second) {
    on_columns(site, tile, [=](uint32_t base) {
        const uint32_t next = iteration + 1;
        const uint32_t total = larger_of(DATUMS >> next, 2 * k) >> skip_second;
        const uint32_t distance = smaller_of(k << next, 32);
        const uint32_t offset = distance / 16 * 32 + distance % 16;
        const int phase = log_k - 1;
        bool smallest = smallest_first;
        uint32_t row = base;
        if (phase > 3) {
            sort_long(base, smallest_first, 2u << phase, uint32_t(phase) + 1, 4);
            return;
        }
        for (uint32_t compared = 0; phase > 0 && compared < total; compared += AT_A_TIME) {
            if (phase == 1 && iteration >= 2) {
                const Vectors vectors = two(row, offset);
                vectors.load();
                sort_4();
                vectors.store();
                row += 64;
                continue;
            }
            const Vectors vectors = phase == 1   ? four(row, offset, offset < 16 ? 4 * offset : 2 * offset)
                                    : phase == 2 ? four(row, 4, offset)
                                                 : four(row, 4, 8);
            vectors.load();
            if (phase == 1) {
                sort_4();
            } else if (phase == 2) {
                sort_8();
            } else {
                sort_16(smallest);
                smallest = !smallest;
            }
            vectors.store();
            row += 64;
        }
    });
}

// Forms that are not modelled.
template <bool stable, bool wide, bool fused, bool stamped>
ALWI void only_plain(Site site, const char* name) {
    if (TP_ON_MATH && (stable || fused || stamped || wide != DST_ACCUM_MODE)) {
        unsupported(site, name);
    }
}

}  // namespace tp::topk

namespace ckernel {

template <bool fused = false, bool stamped = false, uint32_t... bits>
ALWI void topk_tile_init() {
    tp::topk::only_plain<false, DST_ACCUM_MODE, fused, stamped>(TP_SITE(), "topk_tile_init of fused or stamped keys");
    if (TP_ON_MATH) {
        tp::note(tp::step_code::Configure, tp::topk::INDICES_FOLLOW);
        tp::run_steps(TP_SITE());
    }
}
template <bool stable = false, bool wide = DST_ACCUM_MODE, bool fused = false, bool stamped = false, auto... order>
ALWI void topk_local_sort(uint32_t tile, int smallest, int last, int first = 0, int last_step = 0, int first_step = 0) {
    tp::topk::only_plain<stable, wide, fused, stamped>(TP_SITE(), "topk_local_sort that is stable or of fused or stamped keys");
    if (TP_ON_MATH) {
        tp::topk::local_sort(TP_SITE(), tile, smallest, last, first, uint32_t(last_step), uint32_t(first_step));
    }
}
template <bool smallest = false, bool stable = false, bool wide = DST_ACCUM_MODE, bool fused = false, bool stamped = false, auto... order>
ALWI void topk_merge(uint32_t tile, int iteration, int k) {
    tp::topk::only_plain<stable, wide, fused, stamped>(TP_SITE(), "topk_merge that is stable or of fused or stamped keys");
    if (TP_ON_MATH) {
        tp::topk::merge(TP_SITE(), tile, smallest, uint32_t(iteration), uint32_t(k));
    }
}
template <bool stable = false, bool wide = DST_ACCUM_MODE, bool fused = false, bool stamped = false, auto... order>
ALWI void topk_rebuild(uint32_t tile, bool smallest, int iteration, int k, int log_k, int skip_second) {
    tp::topk::only_plain<stable, wide, fused, stamped>(TP_SITE(), "topk_rebuild that is stable or of fused or stamped keys");
    if (TP_ON_MATH) {
        tp::topk::rebuild(TP_SITE(), tile, smallest, uint32_t(iteration), uint32_t(k), log_k, (skip_second & 1) != 0);
    }
}

}  // namespace ckernel
#endif
