// All of it: each of the headers that host programs name brings this one.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <iostream>
#include <numeric>

#include "detail.hpp"
#include "numbers.hpp"
