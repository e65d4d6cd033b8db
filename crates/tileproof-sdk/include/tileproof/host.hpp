// All of it: each of the headers that host programs name brings this one.
#pragma once

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <cstring>
#include <iostream>
#include <numeric>

#include "detail.hpp"
#include "numbers.hpp"

#ifdef TP_HOST_2024
// Names that the headers of 2024 had taken into the global namespace, and constants of theirs (profiler_common.h).
using std::map;
using std::string;
using std::vector;
constexpr std::uint32_t PROFILER_OP_SUPPORT_COUNT = 1000;
namespace kernel_profiler {
constexpr std::uint32_t PROFILER_L1_GUARANTEED_MARKER_COUNT = 4;
}
#endif
