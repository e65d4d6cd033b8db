// From a page of a tensor to its NoC address: TensorAccessor and the older address generators.
// A sharded tensor's words follow its first one: rank, cores, tensor and shard in pages, then the cores, two to a word.
// Start at TensorAccessor.
#pragma once

namespace tensor_accessor {
// Bits of the first word (tt-metal `tensor_accessor_args.hpp`).
enum class ArgConfig : uint8_t { None = 0, Sharded = 1, IsDram = 2 };
}  // namespace tensor_accessor

namespace tp {

// Bank page mod N, row page div N; DRAM pages are aligned as DRAM is, L1 pages to 16 bytes (`noc_parameters.h`).
ALWI uint64_t interleaved(Site site, bool dram, uint32_t base, uint32_t page_bytes, uint32_t page, uint32_t offset,
                          uint32_t noc) {
    const uint32_t alignment = dram ? TP_DRAM_ALIGNMENT : 16;
    const uint32_t aligned = (page_bytes + alignment - 1) / alignment * alignment;
    const uint32_t banks = state.abi->bank_count(dram);
    return state.abi->bank_address(site, dram, page % banks, noc) + base + uint64_t(page / banks) * aligned + offset;
}

// Where a sharded tensor's words lie, from its first one on.
namespace sharded {
constexpr uint32_t CORES = 2, TENSOR = 3, SHARD = 5, FIRST_CORE = 7;
}

// Shards row by row, shard s on core s mod N; pages in a shard row by row (`dspec.h`).
ALWI uint64_t in_shard(uint32_t first_word, uint32_t base, uint32_t page_bytes, uint32_t page, uint32_t offset) {
    const uint32_t* words = kernel_compile_time_args + first_word;
    const uint32_t columns = words[sharded::TENSOR + 1];
    const uint32_t height = words[sharded::SHARD], width = words[sharded::SHARD + 1];
    const uint32_t row = page / columns, column = page % columns;
    const uint32_t shard = row / height * ((columns + width - 1) / width) + column / width;
    const uint32_t within = row % height * width + column % width;
    const uint32_t cores = words[sharded::CORES], core = shard % cores;
    const uint32_t xy = words[sharded::FIRST_CORE + core / 2] >> (core % 2 * 16) & 0xffff;
    const uint32_t aligned = (page_bytes + 15) / 16 * 16;
    return noc_xy(xy >> 8, xy & 0xff) | (base + (shard / cores * height * width + within) * aligned + offset);
}

}  // namespace tp

template <uint32_t CTA_OFFSET, uint32_t CRTA_OFFSET = 0>
struct TensorAccessorArgs {
    static constexpr uint32_t args_config = tp::compile_time_arg<CTA_OFFSET>();
    static constexpr bool is_sharded = (args_config & 1) != 0;
    static constexpr bool is_dram = (args_config & 2) != 0;
    static constexpr uint32_t num_compile_time_args() {
        if constexpr (is_sharded) {
            const uint32_t cores = tp::compile_time_arg<CTA_OFFSET + tp::sharded::CORES>();
            return tp::sharded::FIRST_CORE + (cores + 1) / 2;
        }
        return 1;
    }
    static constexpr uint32_t next_compile_time_args_offset() { return CTA_OFFSET + num_compile_time_args(); }
    static constexpr uint32_t next_common_runtime_args_offset() { return CRTA_OFFSET; }
    static constexpr uint32_t num_common_runtime_args() { return 0; }
};

struct TensorAccessor {
    uint32_t base;
    uint32_t page_size;
    bool dram;
    // The first compile-time argument of a sharded tensor, plus 1; 0 for an interleaved one.
    uint32_t shards = 0;

    template <uint32_t CTA_OFFSET, uint32_t CRTA_OFFSET>
    ALWI TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>&, uint32_t base, uint32_t page_size = 0)
        : base(base), page_size(page_size), dram(TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>::is_dram) {
        if constexpr (TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>::is_sharded) {
            shards = CTA_OFFSET + 1;
        }
        if (page_size == 0) {
            tp::unsupported(TP_SITE(), "a TensorAccessor without a page size");
        }
    }
    ALWI uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0, uint8_t noc = noc_index) const {
        if (shards != 0) {
            return tp::in_shard(shards - 1, base, page_size, page, offset);
        }
        return tp::interleaved(TP_SITE(), dram, base, page_size, page, offset, noc);
    }
    ALWI uint32_t page_bytes() const { return page_size; }
    ALWI uint32_t get_aligned_page_size() const {
        const uint32_t alignment = dram ? TP_DRAM_ALIGNMENT : 16;
        return (page_size + alignment - 1) / alignment * alignment;
    }
};

template <bool DRAM>
struct InterleavedAddrGen {
    uint32_t bank_base_address;
    uint32_t page_size;
    ALWI uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0, uint8_t noc = noc_index) const {
        return tp::interleaved(TP_SITE(), DRAM, bank_base_address, page_size, page, offset, noc);
    }
    ALWI uint32_t page_bytes() const { return page_size; }
};

template <bool DRAM>
struct InterleavedPow2AddrGen {
    uint32_t bank_base_address;
    uint32_t log_base_2_of_page_size;
    ALWI uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0, uint8_t noc = noc_index) const {
        return tp::interleaved(TP_SITE(), DRAM, bank_base_address, page_bytes(), page, offset, noc);
    }
    ALWI uint32_t page_bytes() const { return uint32_t(1) << log_base_2_of_page_size; }
};
template <bool DRAM>
using InterleavedPow2AddrGenFast = InterleavedPow2AddrGen<DRAM>;

template <bool DRAM, uint32_t tile_hw = 1024>
struct InterleavedAddrGenFast {
    uint32_t bank_base_address;
    uint32_t page_size;
    DataFormat data_format;
    ALWI uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0, uint8_t noc = noc_index) const {
        return tp::interleaved(TP_SITE(), DRAM, bank_base_address, page_size, page, offset, noc);
    }
    ALWI uint32_t page_bytes() const { return page_size; }
};

// The object form of the NoC's counters and of semaphores.
class Noc {
public:
    struct ZeroArgs {
        uint32_t offset_bytes = 0;
    };
    // Zeroes what a buffer reserved; done when it returns, so that its barrier has nothing to wait for.
    template <typename Buffer>
    ALWI void write_zeros(const Buffer& buffer, uint32_t bytes, ZeroArgs args = {}) const {
        static constexpr uint32_t words[16] = {};
        const uint32_t to = buffer.get_write_ptr() + args.offset_bytes;
        for (uint32_t at = 0; at < bytes; at += sizeof(words)) {
            TP_CALL(l1_store, to + at, words, (bytes - at < sizeof(words) ? bytes - at : sizeof(words)) / 4);
        }
    }
    ALWI void write_zeros_l1_barrier() const {}
    constexpr explicit Noc(uint8_t noc = noc_index) : noc_(noc) {}
    constexpr uint8_t get_noc_id() const { return noc_; }
    ALWI void async_read_barrier() const { noc_async_read_barrier(noc_); }
    ALWI void async_write_barrier() const { noc_async_write_barrier(noc_); }
    ALWI void async_writes_flushed() const { noc_async_writes_flushed(noc_); }
    ALWI void async_atomic_barrier() const { noc_async_atomic_barrier(noc_); }
    ALWI void async_full_barrier() const { noc_async_full_barrier(noc_); }

private:
    uint8_t noc_;
};

class Semaphore {
public:
    ALWI explicit Semaphore(uint32_t id) : address_(get_semaphore(id)) {}
    ALWI void wait(uint32_t value) const { noc_semaphore_wait(pointer(), value); }
    ALWI void wait_min(uint32_t value) const { noc_semaphore_wait_min(pointer(), value); }
    ALWI void set(uint32_t value) const { noc_semaphore_set(pointer(), value); }
    ALWI void up(const Noc& noc, uint32_t x, uint32_t y, uint32_t value) const {
        noc_semaphore_inc(get_noc_addr(x, y, address_, noc.get_noc_id()), value, noc.get_noc_id());
    }

private:
    ALWI volatile uint32_t* pointer() const { return reinterpret_cast<volatile uint32_t*>(uintptr_t(address_)); }
    uint32_t address_;
};
