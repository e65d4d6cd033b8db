// TT_FATAL, TT_THROW, TT_ASSERT and the log: an exception bears the line that it is thrown at.
#pragma once

#include <cstdlib>
#include <mutex>
#include <set>
#include <source_location>
#include <stdexcept>
#include <string>

#include <fmt/core.h>

namespace tileproof {

[[noreturn]] inline void raise(
    const char* kind, const char* condition, const std::string& what, const std::source_location& here) {
    throw std::runtime_error(fmt::format(
        "{} @ {}:{}: {}{}{}", kind, here.file_name(), here.line(), condition, *condition && !what.empty() ? "\ninfo:\n" : "", what));
}

inline std::string said() { return {}; }
inline std::string said(const char* text) { return text; }
inline std::string said(const std::string& text) { return text; }
template <typename... Args>
    requires(sizeof...(Args) > 0)
std::string said(fmt::format_string<Args...> text, const Args&... args) {
    return fmt::format(text, args...);
}

// What is wrong with a call, at the line of whoever made it.
template <typename... Args>
[[noreturn]] void refuse(const std::source_location& here, fmt::format_string<Args...> text, const Args&... args) {
    throw std::runtime_error(fmt::format("{}:{}: {}", here.file_name(), here.line(), fmt::format(text, args...)));
}

// What is worth knowing of a call and not wrong, once a line of the program.
template <typename... Args>
void note(const std::source_location& here, fmt::format_string<Args...> text, const Args&... args) {
    static std::mutex mutex;
    static std::set<std::pair<std::string, unsigned>> told;
    const std::lock_guard guard(mutex);
    if (told.emplace(here.file_name(), here.line()).second) {
        fmt::print(stderr, "note: {}:{}: {}\n", here.file_name(), here.line(), fmt::format(text, args...));
    }
}

// A line of the log. As tt-metal's, it is on stdout, and TT_LOGGER_LEVEL=off silences it.
inline bool logs(const char* level) {
    const char* least = std::getenv("TT_LOGGER_LEVEL");
    const std::string_view chosen = least ? least : "info", asked = level;
    const auto rank = [](std::string_view word) {
        const std::string_view words[] = {"trace", "debug", "info", "warning", "error", "critical"};
        for (int i = 0; i < 6; ++i) {
            if (word == words[i] || (word.size() && (word[0] | 32) == words[i][0] && word.size() == words[i].size())) {
                return i;
            }
        }
        return 6;
    };
    return rank(asked) >= rank(chosen);
}

template <typename... Args>
void log(const char* level, std::string_view category, fmt::format_string<Args...> text, const Args&... args) {
    // Nothing is worked out for a line that nobody gets.
    if (logs(level)) {
        fmt::print("{} | {} | {}\n", category, level, fmt::format(text, args...));
        std::fflush(stdout);
    }
}

}  // namespace tileproof

#define TT_THROW(...) \
    ::tileproof::raise("TT_THROW", "", ::tileproof::said(__VA_ARGS__), std::source_location::current())
#define TT_FATAL(condition, ...)                                                                                      \
    do {                                                                                                              \
        if (!(condition)) [[unlikely]] {                                                                              \
            ::tileproof::raise(                                                                                       \
                "TT_FATAL", #condition, ::tileproof::said(__VA_ARGS__), std::source_location::current());             \
        }                                                                                                             \
    } while (0)
#ifdef NDEBUG
#define TT_ASSERT(condition, ...) ((void)0)
#else
#define TT_ASSERT(condition, ...)                                                                                     \
    do {                                                                                                              \
        if (!(condition)) [[unlikely]] {                                                                              \
            ::tileproof::raise(                                                                                       \
                "TT_ASSERT", #condition, ::tileproof::said(__VA_ARGS__), std::source_location::current());            \
        }                                                                                                             \
    } while (0)
#endif

namespace tt {

enum LogType : unsigned {
    LogAlways, LogDevice, LogLLRuntime, LogLoader, LogBuildKernels, LogVerif, LogOp, LogDispatch, LogFabric, LogMetal,
    LogTest, LogTimer, LogModel, LogTrace, LogTTNN, LogDistributed, LogMetalTrace, LogInspector, LogUMD, LogEmulationDriver,
};

}  // namespace tt

// Functions of namespace tt in 2024, macros since.
#define TILEPROOF_LOG(name, level)                                                                      \
    template <typename... Args>                                                                         \
    void name(tt::LogType, fmt::format_string<Args...> text, const Args&... args) {                     \
        ::tileproof::log<Args...>(level, "Test", text, args...);                                        \
    }                                                                                                   \
    template <typename... Args>                                                                         \
    void name(fmt::format_string<Args...> text, const Args&... args) {                                  \
        ::tileproof::log<Args...>(level, "Always", text, args...);                                      \
    }
namespace tt {
TILEPROOF_LOG(log_trace, "trace")
TILEPROOF_LOG(log_debug, "debug")
TILEPROOF_LOG(log_info, "info")
TILEPROOF_LOG(log_warning, "warning")
TILEPROOF_LOG(log_error, "error")
TILEPROOF_LOG(log_critical, "critical")
TILEPROOF_LOG(log_fatal, "critical")
}  // namespace tt
#undef TILEPROOF_LOG
using tt::log_critical;
using tt::log_debug;
using tt::log_error;
using tt::log_fatal;
using tt::log_info;
using tt::log_trace;
using tt::log_warning;
