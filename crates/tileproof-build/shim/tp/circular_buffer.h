// Circular buffers: in a compute kernel UNPACK waits and pops, PACK reserves and pushes; elsewhere every call acts.
// Pointers and counters belong to the machine.
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

ALWI CbInterface& interface(Site site, uint32_t cb) {
    CbInterface* found = machine()->cb_interface(site, cb);
    if (found == nullptr) {
        no_buffer(site, cb);
    }
    return *found;
}

// A 16-bit counter that the hardware keeps in a stream register.
struct Counter {
    uint32_t cb;
    uint32_t acked;
    ALWI uint32_t operator[](int) const { return machine()->cb_counter(TP_SITE(), cb, acked); }
    ALWI uint32_t operator*() const { return machine()->cb_counter(TP_SITE(), cb, acked); }
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

// Kernels that walk a buffer in an order of their own move its pointers through this. UNPACK, MATH and PACK count in
// units of 16 bytes, BRISC and NCRISC in bytes (tt-metal `circular_buffer_interface.h`).
#ifdef COMPILE_FOR_TRISC
constexpr uint32_t cb_addr_shift = 4;
namespace tp {
// A field of the thread's copy, which the machine has in bytes. It is read and written as the number that it is on the
// device: a copy of it is a number of its own, and what is assigned to it is written to the buffer.
template <uint32_t shift>
class Field {
public:
    constexpr Field() = default;
    ALWI Field(const Field& other) : own_(other), field_(&own_), shift_(0) {}
    ALWI operator uint32_t() const { return *field_ >> shift_; }
    ALWI Field& operator=(uint32_t value) {
        *field_ = value << shift_;
        return *this;
    }
    ALWI Field& operator=(const Field& other) { return *this = uint32_t(other); }
    ALWI Field& operator+=(uint32_t value) { return *this = *this + value; }
    ALWI Field& operator-=(uint32_t value) { return *this = *this - value; }
    ALWI Field& operator++() { return *this += 1; }
    ALWI Field& operator--() { return *this -= 1; }
    ALWI void stands_for(uint32_t& bytes) {
        field_ = &bytes;
        shift_ = shift;
    }

private:
    uint32_t own_ = 0;
    uint32_t* field_ = nullptr;
    uint32_t shift_ = 0;
};
using Units = Field<cb_addr_shift>;
}  // namespace tp
struct LocalCBInterface {
    tp::Units fifo_size, fifo_limit, fifo_page_size;
    tp::Field<0> fifo_num_pages;
    tp::Units fifo_rd_ptr, fifo_wr_ptr, fifo_wr_tile_ptr;
};
namespace tp {
inline LocalCBInterface interfaces[64];
}
ALWI LocalCBInterface& get_local_cb_interface(uint32_t cb) {
    tp::CbInterface& own = tp::interface(TP_SITE(), cb);
    LocalCBInterface& view = tp::interfaces[cb % 64];
    view.fifo_size.stands_for(own.fifo_size);
    view.fifo_limit.stands_for(own.fifo_limit);
    view.fifo_page_size.stands_for(own.fifo_page_size);
    view.fifo_num_pages.stands_for(own.fifo_num_pages);
    view.fifo_rd_ptr.stands_for(own.fifo_rd_ptr);
    view.fifo_wr_ptr.stands_for(own.fifo_wr_ptr);
    view.fifo_wr_tile_ptr.stands_for(own.fifo_wr_tile_ptr);
    return view;
}
#else
constexpr uint32_t cb_addr_shift = 0;
using LocalCBInterface = tp::CbInterface;
ALWI LocalCBInterface& get_local_cb_interface(uint32_t cb) { return tp::interface(TP_SITE(), cb); }
#endif
ALWI uint32_t get_write_ptr(uint32_t cb) { return tp::interface(TP_SITE(), cb).fifo_wr_ptr; }
ALWI uint32_t get_read_ptr(uint32_t cb) { return tp::interface(TP_SITE(), cb).fifo_rd_ptr; }
ALWI tp::Counter get_cb_tiles_received_ptr(uint32_t cb) { return {cb, 0}; }
ALWI tp::Counter get_cb_tiles_acked_ptr(uint32_t cb) { return {cb, 1}; }

#ifdef COMPILE_FOR_TRISC
namespace tp {
// UNPACK alone knows where its read pointer is: it tells MATH and PACK by mailbox, who wait for the word
// (tt-metal `api/compute/cb_api.h`).
template <typename OnUnpack>
ALWI uint32_t told_by_unpack(Site site, OnUnpack value_of) {
    if (TP_ON_UNPACK) {
        const uint32_t value = value_of();
        machine()->mailbox_write(site, MATH_THREAD, value);
        machine()->mailbox_write(site, PACK_THREAD, value);
        return value;
    }
    return machine()->mailbox_read(site, UNPACK_THREAD);
}
ALWI uint32_t own_tile_address(Site site, uint32_t cb, uint32_t tile) {
    const CbInterface& own = interface(site, cb);
    return own.fifo_rd_ptr + own.fifo_page_size * tile;
}
// Loads through the machine, so that it knows of the page that it is read.
ALWI uint32_t loaded(Site site, uint32_t address) {
    uint32_t word;
    machine()->l1_load(site, address, &word, 1);
    return word;
}
ALWI uint32_t tile_address(Site site, uint32_t cb, uint32_t tile) {
    return told_by_unpack(site, [&] {
        const uint32_t address = own_tile_address(site, cb, tile);
        // Who asks for the address reads there, by loads that the machine does not see.
        (void)loaded(site, address);
        return address;
    });
}
ALWI uint32_t tile_value(Site site, uint32_t cb, uint32_t tile, uint32_t element) {
    return told_by_unpack(site, [&] { return loaded(site, own_tile_address(site, cb, tile) + 4 * element); });
}
}  // namespace tp
#endif

// The object forms of the same calls.
class CircularBuffer {
public:
    enum class AddrSelector { WRITE_PTR, READ_PTR };
    constexpr explicit CircularBuffer(uint32_t cb) : cb_(cb) {}
    ALWI void wait_front(uint32_t pages) const { cb_wait_front(cb_, pages); }
    ALWI void pop_front(uint32_t pages) const { cb_pop_front(cb_, pages); }
    ALWI void reserve_back(uint32_t pages) const { cb_reserve_back(cb_, pages); }
    ALWI void push_back(uint32_t pages) const { cb_push_back(cb_, pages); }
    ALWI bool pages_available_at_front(uint32_t pages) const { return cb_pages_available_at_front(cb_, pages); }
    ALWI bool pages_reservable_at_back(uint32_t pages) const { return cb_pages_reservable_at_back(cb_, pages); }
    // In the units of the thread, as the interface has them.
    ALWI uint32_t get_write_ptr() const { return ::get_write_ptr(cb_) >> cb_addr_shift; }
    ALWI uint32_t get_read_ptr() const { return ::get_read_ptr(cb_) >> cb_addr_shift; }
    constexpr uint32_t get_tile_size() const { return ::get_tile_size(cb_); }
    constexpr uint32_t get_tile_hw() const { return ::get_tile_hw(cb_); }
    constexpr DataFormat get_dataformat() const { return ::get_dataformat(cb_); }
    constexpr uint32_t get_id() const { return cb_; }
    constexpr uint32_t get_cb_id() const { return cb_; }
#ifdef COMPILE_FOR_TRISC
    // Every thread gets the address of the tile that UNPACK would read, or the word there.
    ALWI uint32_t get_tile_address(uint32_t tile) const { return tp::tile_address(TP_SITE(), cb_, tile); }
    ALWI uint32_t read_tile_value(uint32_t tile, uint32_t element) const {
        return tp::tile_value(TP_SITE(), cb_, tile, element);
    }
#endif
    [[nodiscard]] ALWI auto scoped_lock() const {
        return Lock([] {});
    }

private:
    uint32_t cb_;
};

template <bool IsWrite>
class DfbScopedLock {
public:
    ALWI explicit DfbScopedLock(uint32_t pointer) : pointer_(pointer) {}
    DfbScopedLock(const DfbScopedLock&) = delete;
    template <typename T = uint32_t>
    ALWI CoreLocalMem<std::conditional_t<IsWrite, T, const T>> get_ptr() const {
        return CoreLocalMem<std::conditional_t<IsWrite, T, const T>>(uintptr_t(pointer_));
    }

private:
    uint32_t pointer_;
};

class DataflowBuffer : public CircularBuffer {
public:
    constexpr DataflowBuffer(DFBBindingToken token) : CircularBuffer(uint32_t(token)) {}
    constexpr DataflowBuffer(uint32_t id) : CircularBuffer(id) {}
    ALWI uint32_t get_entry_size() const { return tp::interface(TP_SITE(), get_id()).fifo_page_size; }
    ALWI uint32_t get_stride_size() const { return get_entry_size(); }
    ALWI uint32_t get_total_num_entries() const { return tp::interface(TP_SITE(), get_id()).fifo_num_pages; }
    ALWI uint32_t get_total_size_bytes() const { return tp::interface(TP_SITE(), get_id()).fifo_size; }
    ALWI uint32_t get_local_num_entries() const { return get_total_num_entries(); }
    ALWI uint32_t get_local_size_bytes() const { return get_total_size_bytes(); }
    ALWI uint32_t get_ring_span_bytes() const { return get_total_size_bytes(); }
    ALWI uint32_t get_ring_span_num_entries() const { return get_total_num_entries(); }
    constexpr uint32_t get_tile_r_dim() const { return ::get_tile_r_dim(get_id()); }
    constexpr uint32_t get_tile_c_dim() const { return ::get_tile_c_dim(get_id()); }
    constexpr uint32_t get_tile_num_faces() const { return ::get_tile_num_faces(get_id()); }
    constexpr uint32_t get_face_r_dim() const { return unpack_tile_face_r_dim[get_id()]; }
    constexpr uint32_t get_partial_face() const { return unpack_partial_face[get_id()]; }
    constexpr uint32_t get_narrow_tile() const { return unpack_narrow_tile[get_id()]; }
    constexpr uint32_t get_num_faces_r_dim() const { return get_tile_r_dim() / get_face_r_dim(); }
    constexpr uint32_t get_num_faces_c_dim() const { return get_tile_c_dim() / FACE_C_DIM; }
    constexpr DataFormat get_unpack_dst_format() const { return DataFormat(unpack_dst_format[get_id()]); }
    constexpr DataFormat get_pack_src_format() const { return DataFormat(pack_src_format[get_id()]); }
    constexpr DataFormat get_pack_dst_format() const { return DataFormat(pack_dst_format[get_id()]); }
    ALWI void finish() const {}
    template <typename AnyNoc>
    ALWI void write_barrier(const AnyNoc& noc) const {
        noc.async_write_barrier();
    }
    ALWI void evil_set_write_ptr(uint32_t address) const { get_local_cb_interface(get_id()).fifo_wr_ptr = address; }
    ALWI void evil_set_read_ptr(uint32_t address) const { get_local_cb_interface(get_id()).fifo_rd_ptr = address; }
    [[nodiscard]] ALWI DfbScopedLock<true> scoped_write_lock(uint16_t = 1) const {
        return DfbScopedLock<true>(get_write_ptr());
    }
    [[nodiscard]] ALWI DfbScopedLock<false> scoped_read_lock(uint16_t = 1) const {
        return DfbScopedLock<false>(get_read_ptr());
    }
};

namespace experimental {
using CircularBuffer = ::CircularBuffer;
using DataflowBuffer = ::DataflowBuffer;
}  // namespace experimental

#ifdef COMPILE_FOR_TRISC
// The older form writes the address into a pointer. UNPACK waits in the release until the other two have taken it; here a
// word that is under way is its own.
template <typename T>
ALWI void cb_get_tile(uint32_t cb, uint32_t tile, T* pointer) {
    *reinterpret_cast<uintptr_t*>(pointer) = tp::tile_address(TP_SITE(), cb, tile);
}
ALWI void cb_release_tile(uint32_t) {}
ALWI uint32_t get_tile_address(uint32_t cb, uint32_t tile) { return tp::tile_address(TP_SITE(), cb, tile); }
ALWI uint32_t read_tile_value(uint32_t cb, uint32_t tile, uint32_t element) {
    return tp::tile_value(TP_SITE(), cb, tile, element);
}
#endif
