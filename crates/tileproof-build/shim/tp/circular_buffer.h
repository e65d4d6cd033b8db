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
    uint32_t which;
    ALWI uint32_t operator[](int) const { return machine()->cb_counter(TP_SITE(), cb, which); }
    ALWI uint32_t operator*() const { return machine()->cb_counter(TP_SITE(), cb, which); }
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
// The same words read as those of a buffer between cores: on the device both are one union, which nothing tells apart. What a
// local buffer has for an end is where such a one starts (tt-metal `circular_buffer_interface.h`).
struct [[gnu::may_alias]] RemoteSenderCBInterface {
    uint32_t config_ptr, fifo_start_addr, fifo_limit_page_aligned, fifo_page_size, fifo_wr_ptr;
    uint32_t receiver_noc_xy_ptr, aligned_pages_sent_ptr, num_receivers;
};
struct [[gnu::may_alias]] RemoteReceiverCBInterface {
    uint32_t config_ptr, fifo_start_addr, fifo_limit_page_aligned, fifo_page_size, fifo_rd_ptr;
    uint16_t sender_noc_x, sender_noc_y;
    uint32_t aligned_pages_acked_ptr, remote_pages_acked_ptr;
};
static_assert(sizeof(RemoteSenderCBInterface) == sizeof(tp::CbInterface));
static_assert(sizeof(RemoteReceiverCBInterface) == sizeof(tp::CbInterface));
ALWI RemoteSenderCBInterface& get_remote_sender_cb_interface(uint32_t cb) {
    return reinterpret_cast<RemoteSenderCBInterface&>(tp::interface(TP_SITE(), cb));
}
ALWI RemoteReceiverCBInterface& get_remote_receiver_cb_interface(uint32_t cb) {
    return reinterpret_cast<RemoteReceiverCBInterface&>(tp::interface(TP_SITE(), cb));
}
namespace experimental {
using ::get_remote_receiver_cb_interface;
using ::get_remote_sender_cb_interface;
}  // namespace experimental
#endif
ALWI uint32_t get_write_ptr(uint32_t cb) { return tp::interface(TP_SITE(), cb).fifo_wr_ptr; }
ALWI uint32_t get_read_ptr(uint32_t cb) { return tp::interface(TP_SITE(), cb).fifo_rd_ptr; }
ALWI tp::Counter get_cb_tiles_received_ptr(uint32_t cb) { return {cb, tp::counter::received}; }
ALWI tp::Counter get_cb_tiles_acked_ptr(uint32_t cb) { return {cb, tp::counter::acked}; }

#ifdef COMPILE_FOR_TRISC
namespace tp {
// UNPACK alone knows where its read pointer is: it tells MATH and PACK by mailbox, who wait for the word
// (tt-metal `api/compute/cb_api.h`).
template <typename OnUnpack>
ALWI uint32_t told_by_unpack(Site site, OnUnpack value_of) {
    if (TP_ON_UNPACK) {
        const uint32_t value = value_of();
        machine()->mailbox_write(site, thread::math, value);
        machine()->mailbox_write(site, thread::pack, value);
        return value;
    }
    return machine()->mailbox_read(site, thread::unpack);
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
