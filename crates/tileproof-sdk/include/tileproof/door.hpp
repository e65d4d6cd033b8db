// The functions of the library behind these headers, and what they are told. The library is `tileproof-host`; its `door.rs` and
// `told.rs` have the same in Rust.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tileproof::door {

// Some values in a row, which outlive the call that is given them.
template <typename T>
struct Row {
    const T* first = nullptr;
    std::size_t count = 0;

    Row() = default;
    Row(const T* data, std::size_t size) : first(data), count(size) {}
    template <typename Container>
    Row(const Container& values) : first(values.data()), count(values.size()) {}
};

struct Text {
    const char* first = nullptr;
    std::size_t count = 0;

    Text() = default;
    Text(std::string_view text) : first(text.data()), count(text.size()) {}
    Text(const std::string& text) : Text(std::string_view(text)) {}
};

// A line of the host program.
struct Where {
    Text file;
    std::uint32_t line = 0;

    Where(const std::source_location& here) : file(std::string_view(here.file_name())), line(here.line()) {}
};

struct Range {
    std::uint32_t x0, y0, x1, y1;
};

struct Format {
    std::uint8_t index;
    std::uint8_t data_format;
    std::uint32_t page_size;
    std::uint32_t tile[2];
};

struct Cb {
    std::uint32_t total_size;
    std::uint32_t address_offset;
    std::uint64_t buffer;  // its number and one; 0 without
    Row<Range> cores;
    Row<Format> formats;
    Where place;
};

struct Semaphore {
    std::uint32_t id;
    std::uint32_t initial_value;
    Row<Range> cores;
    Where place;
};

struct Named {
    Text name;
    std::uint32_t value;
};

struct Define {
    Text name;
    Text value;
};

struct OfCore {
    std::uint32_t x, y;
    Row<std::uint32_t> words;
};

struct Kernel {
    Text source;
    Row<Text> include_dirs;
    Row<Range> cores;
    bool is_compute;
    std::uint8_t processor;
    std::uint8_t noc;
    bool is_dynamic;
    std::uint8_t math_fidelity;
    bool fp32_dest_acc_en;
    bool math_approx_mode;
    bool dst_full_sync_en;
    bool bfp8_pack_precise;
    Row<std::uint8_t> unpack_to_dest_fp32;
    Row<std::uint32_t> compile_args;
    Row<Named> named_compile_args;
    Row<Define> defines;
    Row<OfCore> runtime_args;
    Row<std::uint32_t> common_runtime_args;
    Where place;
};

struct Program {
    Row<Cb> cbs;
    Row<Semaphore> semaphores;
    Row<Kernel> kernels;
};

// What a program that is kept has of an earlier call.
struct Stale {
    Text operation;
    Text what;    // runtime argument 3 of reader.cpp
    Text kept;    // as it is in the program that is kept
    Text made;    // as it is in one that is made for this call
    bool is_given_anew;  // an operation gives it to a kept program before it runs
    std::uint32_t core[2];
    Where place;
};

struct Facts {
    std::uint32_t grid[2];
    std::uint32_t dram_grid[2];
    std::uint32_t dram_banks;
    std::uint32_t l1_bytes;
    std::uint32_t l1_base;
    std::uint32_t dram_base;
    std::uint64_t dram_bank_bytes;
    std::uint32_t dram_alignment;
    std::uint32_t l1_alignment;
    std::uint32_t clock_mhz;
    Text arch;  // the name of the chip
};

struct Core {
    std::uint32_t x, y;
};

struct Buffer {
    std::uint32_t page_size;
    std::uint32_t pages;
    bool in_l1;
    bool is_sharded;
    std::uint32_t buffer_in_pages[2];
    std::uint32_t shard_in_pages[2];
    Row<Core> cores;
};

enum Status : std::uint32_t { Done = 0, Refused = 1, Found = 2, Ended = 3 };

extern "C" {
const char* tileproof_text();
std::uint32_t tileproof_fits(const Text* version, const Where* asked);
bool tileproof_fails();
std::uint32_t tileproof_devices(std::uint32_t* count, const Where* asked);
std::uint32_t tileproof_open(std::uint32_t chip, std::uint64_t* number, const Where* asked);
bool tileproof_close(std::uint64_t device);
std::uint32_t tileproof_facts(std::uint64_t device, Facts* facts, const Where* asked);
std::uint32_t tileproof_allocate(
    std::uint64_t device, const Buffer* buffer, std::uint64_t* id, std::uint32_t* address, const Where* asked);
void tileproof_free(std::uint64_t device, std::uint64_t buffer);
std::uint32_t tileproof_write(
    std::uint64_t device, std::uint64_t buffer, std::uint64_t from, const Row<std::uint8_t>* bytes, const Where* asked);
std::uint32_t tileproof_read(
    std::uint64_t device, std::uint64_t buffer, std::uint64_t from, std::uint8_t* bytes, std::uint64_t count, const Where* asked);
std::uint32_t tileproof_accessor_words(
    std::uint64_t device, std::uint64_t buffer, std::uint32_t* words, std::uint64_t* count, const Where* asked);
std::uint32_t tileproof_noc_of(
    std::uint64_t device, std::uint32_t x, std::uint32_t y, std::uint32_t (*at)[2], const Where* asked);
std::uint32_t tileproof_dram_node(std::uint64_t device, std::uint32_t bank, std::uint32_t (*at)[2], const Where* asked);
std::uint32_t tileproof_encode_tiles(
    std::uint8_t data_format, const Row<float>* values, std::uint32_t width, std::uint8_t* bytes, std::uint64_t count, const Where* asked);
std::uint32_t tileproof_decode_tiles(
    std::uint8_t data_format, const Row<std::uint8_t>* bytes, std::uint32_t width, float* values, std::uint64_t count, const Where* asked);
std::uint32_t tileproof_find_kernel(const Text* path, const Where* asked);
std::uint32_t tileproof_keep_kernel(const Text* text, const Where* asked);
bool tileproof_looks_for_stale();
std::uint32_t tileproof_stale(std::uint64_t device, const Stale* stale, const Where* asked);
std::uint32_t tileproof_run(std::uint64_t device, const Program* program, const Where* asked);
}

// Throws what cannot be done.
inline void done(std::uint32_t status) {
    if (status == Refused) {
        throw std::runtime_error(tileproof_text());
    }
}

}  // namespace tileproof::door
