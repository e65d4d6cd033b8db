// Data movement: NoC addresses, transfers, barriers, address generators.
// An L1 address that a kernel computes from its own is good on every core: the machine takes the offset from it.
// Start at noc_async_read.
#pragma once

#ifdef COMPILE_FOR_BRISC
#define PROCESSOR_INDEX 0
#else
#define PROCESSOR_INDEX 1
#endif

constexpr uint8_t noc_index = NOC_INDEX;
constexpr uint8_t noc_mode = 0;
#define NUM_NOCS 2
enum : uint8_t { DM_DEDICATED_NOC = 0, DM_DYNAMIC_NOC = 1 };
#define NOC_MAX_BURST_SIZE TP_NOC_MAX_BURST
#define NOC_UNICAST_WRITE_VC 1
#define NOC_MULTICAST_WRITE_VC 4
#define DRAM_ALIGNMENT TP_DRAM_ALIGNMENT
#define NOC_ADDR_COORD_SHIFT (::tp::noc_address::x_shift)
#define NOC_MAX_TRANSACTION_ID 0xf
#define NOC_MAX_TRANSACTION_ID_COUNT 255
// The command buffers of a NoC (tt-metal `noc_nonblocking_api.h`, dedicated mode).
constexpr uint32_t write_cmd_buf = 0, read_cmd_buf = 1, write_reg_cmd_buf = 2, write_at_cmd_buf = 3;
#define NUM_DRAM_BANKS TP_DRAM_BANKS
#if (TP_DRAM_BANKS & (TP_DRAM_BANKS - 1)) != 0
#define IS_NOT_POW2_NUM_DRAM_BANKS 1
#else
#define LOG_BASE_2_OF_NUM_DRAM_BANKS __builtin_ctz(TP_DRAM_BANKS)
#endif
#define NUM_L1_BANKS TP_L1_BANKS
#if (TP_L1_BANKS & (TP_L1_BANKS - 1)) != 0
#define IS_NOT_POW2_NUM_L1_BANKS 1
#else
#define LOG_BASE_2_OF_NUM_L1_BANKS __builtin_ctz(TP_L1_BANKS)
#endif

namespace tp {

// Calls make one packet of what they are told is no longer than one.
constexpr uint32_t as_packets(uint32_t max_page_size) {
    return max_page_size <= TP_NOC_MAX_BURST ? noc_flag::one_packet : 0;
}

struct MyCoordinate {
    uint32_t shift;
    ALWI uint32_t operator[](uint32_t noc) const { return machine()->my_coordinates(noc) >> shift & 0xffff; }
};

constexpr uint64_t noc_xy(uint64_t x, uint64_t y) { return y << noc_address::y_shift | x << noc_address::x_shift; }
ALWI uint32_t l1_address(const volatile void* pointer) { return uint32_t(reinterpret_cast<uintptr_t>(pointer)); }

// What the last transfer, or a call that sets a state, left in a command buffer of a NoC.
struct CommandBuffer {
    uint64_t far;
    uint32_t bytes;
    constexpr uint64_t at(uint32_t offset) const { return (far >> NOC_ADDR_COORD_SHIFT << NOC_ADDR_COORD_SHIFT) | offset; }
};
inline CommandBuffer read_buffers[NUM_NOCS], write_buffers[NUM_NOCS];

// A transfer goes in packets, and the last one's size is what stays.
constexpr uint32_t last_packet(uint32_t bytes) { return bytes == 0 ? 0 : (bytes - 1) % NOC_MAX_BURST_SIZE + 1; }
ALWI void issue_read(Site site, uint32_t noc, uint64_t from, uint32_t to, uint32_t bytes) {
    read_buffers[noc & 1] = {from, last_packet(bytes)};
    machine()->noc_read(site, noc, from, to, bytes);
}
ALWI void issue_write(Site site, uint32_t noc, uint32_t from, uint64_t to, uint32_t bytes, bool posted) {
    write_buffers[noc & 1] = {to, last_packet(bytes)};
    machine()->noc_write(site, noc, from, to, bytes, posted);
}

}  // namespace tp

constexpr tp::MyCoordinate my_x{0}, my_y{16};
// Coordinates as an address holds them: here they are the same on both NoCs (translated coordinates).
#define DYNAMIC_NOC_X(NOC, X) (X)
#define DYNAMIC_NOC_Y(NOC, Y) (Y)
#define NOC_X(X) (X)
#define NOC_Y(Y) (Y)
#define NOC_XY_ENCODING(X, Y) ((Y) << 6 | (X))
#define NOC_XY_ADDR(X, Y, ADDRESS) (::tp::noc_xy(X, Y) | (ADDRESS))
ALWI uint32_t get_noc_id() { return noc_index; }
#define VIRTUAL_TENSIX_START_X TP_ORIGIN_X
#define VIRTUAL_TENSIX_START_Y TP_ORIGIN_Y
namespace tp {
// The firmware's tables from a worker's logical column and row to its coordinates (tt-metal `firmware_common.h`).
struct VirtualColumns {
    constexpr uint8_t operator[](uint32_t column) const {
        const uint32_t x = TP_ORIGIN_X + column;
        return uint8_t(x >= TP_GAP_X ? x + TP_GAP_COLUMNS : x);
    }
};
struct VirtualRows {
    constexpr uint8_t operator[](uint32_t row) const { return uint8_t(TP_ORIGIN_Y + row); }
};
}  // namespace tp
constexpr tp::VirtualColumns worker_logical_col_to_virtual_col;
constexpr tp::VirtualRows worker_logical_row_to_virtual_row;
struct coord_t {
    uint8_t x, y;
};
constexpr coord_t get_virtual_coord_from_worker_logical_coord(uint8_t column, uint8_t row) {
    return {worker_logical_col_to_virtual_col[column], worker_logical_row_to_virtual_row[row]};
}

ALWI uint64_t get_noc_addr(uint32_t noc_x, uint32_t noc_y, uint32_t addr, uint8_t = noc_index) {
    return tp::noc_xy(noc_x, noc_y) | addr;
}
ALWI uint64_t get_noc_addr(uint32_t addr, uint8_t noc = noc_index) {
    return tp::noc_xy(my_x[noc], my_y[noc]) | addr;
}
// The end of the rectangle, its start 12 bits higher, both as given: on NoC 1, where a rectangle runs from its high corner down
// to the low one, the kernel or the host exchanges them (tt-metal `dataflow_api.h`).
ALWI uint64_t get_noc_multicast_addr(uint32_t x_start, uint32_t y_start, uint32_t x_end, uint32_t y_end, uint32_t addr,
                                     uint8_t = noc_index) {
    return tp::noc_xy(x_start, y_start) << tp::noc_address::start_shift | tp::noc_xy(x_end, y_end) | addr;
}
namespace tp {
ALWI uint64_t bank_address(Site site, bool dram, uint32_t number, uint32_t noc) {
    return machine()->bank_address(site, dram ? bank::dram : bank::l1, number, noc);
}
}  // namespace tp
template <bool DRAM>
ALWI uint64_t get_noc_addr_from_bank_id(uint32_t bank, uint32_t offset, uint8_t noc = noc_index) {
    return tp::bank_address(TP_SITE(), DRAM, bank, noc) + offset;
}
// Out of an entry of the firmware's tables.
constexpr uint64_t get_noc_addr_helper(uint32_t noc_xy, uint32_t addr) {
    return uint64_t(noc_xy) << NOC_ADDR_COORD_SHIFT | addr;
}
ALWI uint64_t get_dram_noc_addr(uint32_t bank, uint32_t offset, uint8_t noc = noc_index) {
    return get_noc_addr_from_bank_id<true>(bank, offset, noc);
}

// The firmware's tables of banks: where a bank lies, and from which offset. The machine answers for each entry.
namespace tp {
template <bool DRAM>
struct BankOffsets {
    ALWI uint32_t operator[](uint32_t bank) const { return uint32_t(bank_address(TP_SITE(), DRAM, bank, noc_index)); }
};
template <bool DRAM>
struct BankCoordinates {
    struct OfNoc {
        uint32_t noc;
        ALWI uint16_t operator[](uint32_t bank) const {
            return uint16_t(bank_address(TP_SITE(), DRAM, bank, noc) >> NOC_ADDR_COORD_SHIFT);
        }
    };
    ALWI OfNoc operator[](uint32_t noc) const { return {noc}; }
};
}  // namespace tp
constexpr tp::BankOffsets<true> bank_to_dram_offset;
constexpr tp::BankOffsets<false> bank_to_l1_offset;
constexpr tp::BankCoordinates<true> dram_bank_to_noc_xy;
constexpr tp::BankCoordinates<false> l1_bank_to_noc_xy;

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool enable_noc_tracing = true>
ALWI void noc_async_read(uint64_t from, uint32_t to, uint32_t bytes, uint8_t noc = noc_index, uint32_t = 0) {
    tp::issue_read(TP_SITE(), noc | tp::as_packets(max_page_size), from, to, bytes);
}
template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool enable_noc_tracing = true, bool posted = false>
ALWI void noc_async_write(uint32_t from, uint64_t to, uint32_t bytes, uint8_t noc = noc_index, uint32_t = 0) {
    tp::issue_write(TP_SITE(), noc | tp::as_packets(max_page_size), from, to, bytes, posted);
}
ALWI void noc_async_read_one_packet(uint64_t from, uint32_t to, uint32_t bytes, uint8_t noc = noc_index) {
    tp::issue_read(TP_SITE(), noc | tp::noc_flag::one_packet, from, to, bytes);
}
ALWI void noc_async_write_one_packet(uint32_t from, uint64_t to, uint32_t bytes, uint8_t noc = noc_index) {
    tp::issue_write(TP_SITE(), noc | tp::noc_flag::one_packet, from, to, bytes, false);
}

// A multicast that leaves out its sender, and one that does not.
template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1>
ALWI void noc_async_write_multicast(uint32_t from, uint64_t to, uint32_t bytes, uint32_t num_dests, bool = false,
                                    uint8_t noc = noc_index) {
    TP_CALL(noc_multicast, noc | tp::as_packets(max_page_size), from, to, bytes, num_dests, false);
}
ALWI void noc_async_write_multicast_loopback_src(uint32_t from, uint64_t to, uint32_t bytes, uint32_t num_dests,
                                                 bool = false, uint8_t noc = noc_index) {
    TP_CALL(noc_multicast, noc, from, to, bytes, num_dests, true);
}

ALWI void noc_async_read_barrier(uint8_t noc = noc_index) { TP_CALL(noc_barrier, noc, tp::barrier::reads); }
ALWI void noc_async_write_barrier(uint8_t noc = noc_index) { TP_CALL(noc_barrier, noc, tp::barrier::writes); }
ALWI void noc_async_writes_flushed(uint8_t noc = noc_index) { TP_CALL(noc_barrier, noc, tp::barrier::writes_flushed); }
ALWI void noc_async_posted_writes_flushed(uint8_t noc = noc_index) {
    TP_CALL(noc_barrier, noc, tp::barrier::posted_flushed);
}
ALWI void noc_async_atomic_barrier(uint8_t noc = noc_index) { TP_CALL(noc_barrier, noc, tp::barrier::atomics); }
ALWI void noc_async_full_barrier(uint8_t noc = noc_index) { TP_CALL(noc_barrier, noc, tp::barrier::full); }

// Pages of an address generator or accessor, whatever its kind.
template <typename Generator>
    requires std::is_class_v<Generator>
ALWI uint64_t get_noc_addr(uint32_t page, const Generator& generator, uint32_t offset = 0, uint8_t noc = noc_index) {
    return generator.get_noc_addr(page, offset, noc);
}
template <typename Generator>
ALWI void noc_async_read_page(uint32_t page, const Generator& generator, uint32_t to, uint32_t offset = 0,
                              uint8_t noc = noc_index) {
    tp::issue_read(TP_SITE(), noc, generator.get_noc_addr(page, offset, noc), to, generator.page_bytes());
}
template <typename Generator>
ALWI void noc_async_read_tile(uint32_t page, const Generator& generator, uint32_t to, uint32_t offset = 0,
                              uint8_t noc = noc_index) {
    noc_async_read_page(page, generator, to, offset, noc);
}
template <typename Generator>
ALWI void noc_async_write_page(uint32_t page, const Generator& generator, uint32_t from, uint32_t bytes = 0,
                               uint32_t offset = 0, uint8_t noc = noc_index) {
    tp::issue_write(TP_SITE(), noc, from, generator.get_noc_addr(page, offset, noc),
                    bytes != 0 ? bytes : generator.page_bytes(), false);
}
template <typename Generator>
ALWI void noc_async_write_tile(uint32_t page, const Generator& generator, uint32_t from, uint8_t noc = noc_index) {
    noc_async_write_page(page, generator, from, 0, 0, noc);
}

// A piece of L1 that holds zeros, for reads that clear memory (tt-metal `dev_mem_map.h`). Where it lies is the firmware's choice; here it is below
// what a program can allocate, and is written whenever its address is taken.
#define MEM_ZEROS_SIZE 512
#define MEM_ZEROS_BASE (::tp::zeros(TP_SITE()))
namespace tp {
ALWI uint32_t zeros(Site site) {
    constexpr uint32_t base = 16384;
    static constexpr uint32_t words[MEM_ZEROS_SIZE / 4] = {};
    machine()->l1_store(site, base, words, MEM_ZEROS_SIZE / 4);
    return base;
}
}  // namespace tp

// Semaphores, and writes of one word, which share a command buffer.
namespace tp {
// What noc_inline_dw_write_set_state has put into it; whatever else takes the buffer leaves nothing of that.
struct InlineWrite {
    uint64_t to;
    uint32_t value;
    bool is_set, has_value;
};
inline InlineWrite inline_writes[NUM_NOCS];
}  // namespace tp
template <ProgrammableCoreType = ProgrammableCoreType::TENSIX>
ALWI uint32_t get_semaphore(uint32_t id) { return TP_CALL(semaphore_address, id); }
ALWI void noc_semaphore_set(volatile tt_l1_ptr uint32_t* semaphore, uint32_t value) {
    TP_CALL(semaphore_set, tp::l1_address(semaphore), value);
}
ALWI void noc_semaphore_wait(volatile tt_l1_ptr uint32_t* semaphore, uint32_t value) {
    TP_CALL(semaphore_wait, tp::l1_address(semaphore), tp::compare::equal, value);
}
ALWI void noc_semaphore_wait_min(volatile tt_l1_ptr uint32_t* semaphore, uint32_t value) {
    TP_CALL(semaphore_wait, tp::l1_address(semaphore), tp::compare::at_least, value);
}
template <bool posted = false>
ALWI void noc_semaphore_inc(uint64_t address, uint32_t value, uint8_t noc = noc_index, uint8_t = 0) {
    tp::inline_writes[noc & 1] = {};
    TP_CALL(noc_semaphore_inc, (posted ? tp::noc_flag::posted : 0) | noc, address, value);
}
ALWI void noc_semaphore_set_remote(uint32_t from, uint64_t to, uint8_t noc = noc_index) {
    TP_CALL(noc_write, noc, from, to, 4, false);
}
ALWI void noc_semaphore_set_multicast(uint32_t from, uint64_t to, uint32_t num_dests, bool = false,
                                      uint8_t noc = noc_index) {
    TP_CALL(noc_multicast, noc, from, to, 4, num_dests, false);
}
ALWI void noc_semaphore_set_multicast_loopback_src(uint32_t from, uint64_t to, uint32_t num_dests, bool = false,
                                                   uint8_t noc = noc_index) {
    TP_CALL(noc_multicast, noc, from, to, 4, num_dests, true);
}
ALWI void noc_inline_dw_write(uint64_t to, uint32_t value, uint8_t be = 0xf, uint8_t noc = noc_index) {
    if (be != 0xf) {
        tp::unsupported(TP_SITE(), "noc_inline_dw_write of some bytes of a word");
    }
    tp::inline_writes[noc & 1] = {};
    TP_CALL(noc_inline_write, noc, value, to);
}
// Since tt-metal of late 2025 the target and whether it is posted are template arguments. The machine has no stream registers.
enum class InlineWriteDst { DEFAULT, L1, REG };
template <InlineWriteDst to_what, bool posted = false>
ALWI void noc_inline_dw_write(uint64_t to, uint32_t value, uint8_t be = 0xf, uint8_t noc = noc_index,
                              uint8_t = NOC_UNICAST_WRITE_VC, uint32_t = 0) {
    if (to_what == InlineWriteDst::REG || posted) {
        tp::unsupported(TP_SITE(), "noc_inline_dw_write that is posted or goes to a register");
    }
    noc_inline_dw_write(to, value, be, noc);
}
// The same in two steps: the state is the destination and, if asked for, the word; the call may bring another word, and another
// offset or another core (tt-metal 0.66 and 0.79 `dataflow_api.h`, which says that on Blackhole it hangs for L1).
template <bool posted = false, bool set_val = false>
ALWI void noc_inline_dw_write_set_state(uint64_t to, uint32_t value = 0, uint8_t be = 0xf, uint8_t buffer = write_at_cmd_buf,
                                        uint8_t noc = noc_index, uint8_t = NOC_UNICAST_WRITE_VC) {
#ifdef ARCH_BLACKHOLE
    tp::unsupported(TP_SITE(), "noc_inline_dw_write_set_state on Blackhole");
#endif
    if (posted || be != 0xf || buffer != write_at_cmd_buf) {
        tp::unsupported(TP_SITE(), "noc_inline_dw_write_set_state that is posted, of some bytes or of another command buffer");
    }
    tp::inline_writes[noc & 1] = {to, value, true, set_val};
}
template <bool update_addr_lo = false, bool update_counter = true, bool posted = false, bool update_addr_hi = false,
          bool update_val = false>
ALWI void noc_inline_dw_write_with_state(uint32_t value, uint32_t address = 0, uint8_t buffer = write_at_cmd_buf,
                                         uint8_t noc = noc_index) {
    static_assert(!(update_addr_lo && update_addr_hi), "an offset or a core");
    if (posted || !update_counter || buffer != write_at_cmd_buf) {
        tp::unsupported(TP_SITE(), "noc_inline_dw_write_with_state that is not counted or of another command buffer");
    }
    tp::InlineWrite& state = tp::inline_writes[noc & 1];
    if (!state.is_set || !(update_val || state.has_value)) {
        tp::unsupported(TP_SITE(), "noc_inline_dw_write_with_state without a state that has a word");
    }
    constexpr uint64_t offsets = (1ull << NOC_ADDR_COORD_SHIFT) - 1;
    if constexpr (update_addr_lo) {
        state.to = (state.to & ~offsets) | address;
    }
    if constexpr (update_addr_hi) {
        state.to = uint64_t(address) << NOC_ADDR_COORD_SHIFT | (state.to & offsets);
    }
    if constexpr (update_val) {
        state.value = value;
        state.has_value = true;
    }
    TP_CALL(noc_inline_write, noc, state.value, state.to);
}
