// Circular buffers: in a compute kernel UNPACK waits and pops, PACK reserves and pushes; elsewhere every call acts.
// Pointers and counters belong to the machine and are only read here.
// Start at cb_wait_front.
#pragma once

#ifdef COMPILE_FOR_TRISC
#define TP_CONSUMER TP_ON_UNPACK
#define TP_PRODUCER TP_ON_PACK
#else
#define TP_CONSUMER true
#define TP_PRODUCER true
#endif

namespace tp {

ALWI const CbInterface& interface(Site site, uint32_t cb) {
    const CbInterface* found = state.abi->cb_interface(site, cb);
    if (found == nullptr) {
        no_buffer(site, cb);
    }
    return *found;
}

// A 16-bit counter that the hardware keeps in a stream register.
struct Counter {
    uint32_t cb;
    uint32_t acked;
    ALWI uint32_t operator[](int) const { return state.abi->cb_counter(TP_SITE(), cb, acked); }
    ALWI uint32_t operator*() const { return state.abi->cb_counter(TP_SITE(), cb, acked); }
};

}  // namespace tp

ALWI void cb_wait_front(uint32_t cb, uint32_t pages) {
    if (TP_CONSUMER) {
        TP_CALL(cb_wait_front, cb, pages);
    }
}
ALWI void cb_pop_front(uint32_t cb, uint32_t pages) {
    if (TP_CONSUMER) {
        TP_CALL(cb_pop_front, cb, pages);
    }
}
ALWI void cb_reserve_back(uint32_t cb, uint32_t pages) {
    if (TP_PRODUCER) {
        TP_CALL(cb_reserve_back, cb, pages);
    }
}
ALWI void cb_push_back(uint32_t cb, uint32_t pages) {
    if (TP_PRODUCER) {
        TP_CALL(cb_push_back, cb, pages);
    }
}
ALWI bool cb_pages_available_at_front(uint32_t cb, uint32_t pages) {
    return TP_CALL(cb_pages_available_at_front, cb, pages) != 0;
}
ALWI bool cb_pages_reservable_at_back(uint32_t cb, uint32_t pages) {
    return TP_CALL(cb_pages_reservable_at_back, cb, pages) != 0;
}

using LocalCBInterface = tp::CbInterface;
ALWI const LocalCBInterface& get_local_cb_interface(uint32_t cb) { return tp::interface(TP_SITE(), cb); }
ALWI uint32_t get_write_ptr(uint32_t cb) { return tp::interface(TP_SITE(), cb).fifo_wr_ptr; }
ALWI uint32_t get_read_ptr(uint32_t cb) { return tp::interface(TP_SITE(), cb).fifo_rd_ptr; }
ALWI tp::Counter get_cb_tiles_received_ptr(uint32_t cb) { return {cb, 0}; }
ALWI tp::Counter get_cb_tiles_acked_ptr(uint32_t cb) { return {cb, 1}; }

// The object forms of the same calls.
class CircularBuffer {
public:
    constexpr explicit CircularBuffer(uint32_t cb) : cb_(cb) {}
    ALWI void wait_front(uint32_t pages) const { cb_wait_front(cb_, pages); }
    ALWI void pop_front(uint32_t pages) const { cb_pop_front(cb_, pages); }
    ALWI void reserve_back(uint32_t pages) const { cb_reserve_back(cb_, pages); }
    ALWI void push_back(uint32_t pages) const { cb_push_back(cb_, pages); }
    ALWI bool pages_available_at_front(uint32_t pages) const { return cb_pages_available_at_front(cb_, pages); }
    ALWI bool pages_reservable_at_back(uint32_t pages) const { return cb_pages_reservable_at_back(cb_, pages); }
    ALWI uint32_t get_write_ptr() const { return ::get_write_ptr(cb_); }
    ALWI uint32_t get_read_ptr() const { return ::get_read_ptr(cb_); }
    constexpr uint32_t get_tile_size() const { return ::get_tile_size(cb_); }
    constexpr uint32_t get_entry_size() const { return ::get_tile_size(cb_); }
    constexpr DataFormat get_dataformat() const { return ::get_dataformat(cb_); }
    constexpr uint32_t get_id() const { return cb_; }
    constexpr uint32_t get_cb_id() const { return cb_; }

private:
    uint32_t cb_;
};
using DataflowBuffer = CircularBuffer;
namespace experimental {
using CircularBuffer = ::CircularBuffer;
using DataflowBuffer = ::CircularBuffer;
}  // namespace experimental
