// What findings do to the process: they are on stderr by then.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <stdexcept>

#include "door.hpp"

// There where the program is a suite of GoogleTest.
namespace testing {
class UnitTest;
}
extern "C" testing::UnitTest* tileproof_google_test() __asm__("_ZN7testing8UnitTest11GetInstanceEv") __attribute__((weak));

namespace tileproof {

// Ends the process now, with what the program has said so far.
[[noreturn]] inline void end_with_findings() {
    std::cout.flush();
    std::wcout.flush();
    std::clog.flush();
    std::fflush(nullptr);
    _exit(1);
}

// A program ends with 1 after findings, if it would have ended with 0; TILEPROOF_EXIT=0 leaves it alone.
struct Ending {
    Ending() {
        on_exit([](int status, void*) {
            if (status == 0 && door::tileproof_fails()) {
                end_with_findings();
            }
        }, nullptr);
    }
};
inline const Ending ending;

// Findings fail the test at hand. Elsewhere a program that has come to its end goes on; one that has not would hang on a card.
inline void judge(std::uint32_t status) {
    door::done(status);
    if (status == door::Done || !door::tileproof_fails()) {
        return;
    }
    if (tileproof_google_test) {
        throw std::runtime_error("tileproof: the program that ran has findings; they are on stderr");
    }
    if (status == door::Ended) {
        end_with_findings();
    }
}

}  // namespace tileproof
