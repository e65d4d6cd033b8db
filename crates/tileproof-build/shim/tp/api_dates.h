// What changed on which day in the headers that kernels are written for: one line a change, and nowhere else.
// A day before the first number has the older form, one from the second on the newer; what a day in between has is not known, and a
// call that depends on it ends the kernel. docs/api.md says what each change is. Start at the table.
#pragma once
// The day, YYYYMMDD: the program's `api`, or that of the headers included.
#ifndef TP_API
#define TP_API 20260918
#define TP_OPEN_DAY 1
#endif
#define TP_BEFORE_(OLDER, NEWER) (TP_API <= OLDER)
#define TP_SINCE_(OLDER, NEWER) (TP_API >= NEWER)
#define TP_BEFORE(...) TP_BEFORE_(__VA_ARGS__)
#define TP_SINCE(...) TP_SINCE_(__VA_ARGS__)

// Last day that is known to have the older form, first that is known to have the newer.
#define TP_ROW_SUMS 20260625, 20260703
#define TP_REDUCE_WIDTH 20260625, 20260703
#define TP_EXP_CLAMPING 20260210, 20260211
#define TP_EXP_ARGUMENTS 20260402, 20260918
#define TP_COPY_DEST_ORDER 20260127, 20260128
#define TP_RIGHT_SHIFT 20260411, 20260918
#define TP_INTEGER_KERNELS 20260122, 20260918
#define TP_BROADCAST_UINT16 20260122, 20260918
#define TP_LOG1P 20260122, 20260918
#define TP_VECTOR_INITS 20260122, 20260918
#define TP_VECTOR_COMPILER 20260122, 20260918
#define TP_RANDOM_TILES 20260402, 20260918
#define TP_DIVISIONS 20260402, 20260918
#define TP_REDUCED_ROWS 20260224, 20260225
#define TP_EXTREMES_OF_ROWS 20260402, 20260918
#define TP_COMPAT_RECIPROCAL 20260411, 20260918
#define TP_ACCESSOR_PAGES 20260122, 20260402

// Of calls that any thread makes.
#define TP_ON_EVERY 1

// Ends the kernel at a call whose form on the program's day is not known.
#define TP_KNOWN(THREAD, CHANGE, WHAT)                                                                        \
    do {                                                                                                      \
        if (TP_ON_##THREAD && !TP_BEFORE(CHANGE) && !TP_SINCE(CHANGE)) {                                      \
            ::tp::unsupported(TP_SITE(), WHAT " on the day that `api` names: it changed between known days"); \
        }                                                                                                     \
    } while (0)

// A call that is another on other days' headers, where the program says no day: the machine notes where that was.
#ifdef TP_OPEN_DAY
#define TP_BY_DAY(CHANGE)                                                       \
    do {                                                                        \
        if (TP_ON_MATH) {                                                       \
            ::tp::machine()->follows_day(TP_SITE(), ::tp::by_day::CHANGE);      \
        }                                                                       \
    } while (0)
#else
#define TP_BY_DAY(CHANGE) ((void)0)
#endif
