// Circular buffers as objects: each method is the free call of circular_buffer.h of the same name.
// It must declare nothing that a kernel can see without the headers that declare it on the device.
// Start at CircularBuffer; names follow tt-metal 0.79 `api/dataflow/{circular_buffer,dataflow_buffer}.h`.
#pragma once

class CircularBuffer {
public:
    enum class AddrSelector { WRITE_PTR, READ_PTR };
    // Its name of early 2026.
    using AddrSel = AddrSelector;
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
    constexpr uint32_t get_num_faces_c_dim() const { return get_tile_c_dim() / ckernel::FACE_C_DIM; }
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

#ifndef COMPILE_FOR_TRISC
// A buffer between cores, which is not modelled (tt-metal `api/remote_circular_buffer.h`).
class RemoteCircularBuffer {
public:
    constexpr explicit RemoteCircularBuffer(uint32_t cb) : cb_(cb) {}
    constexpr uint32_t get_id() const { return cb_; }
#define TP_UNMODELLED(NAME)                                                       \
    template <auto... Values, typename... Arguments>                              \
    ALWI uint32_t NAME(Arguments&&...) const {                                    \
        ::tp::unsupported(TP_SITE(), "RemoteCircularBuffer::" #NAME);             \
    }
    TP_UNMODELLED(reserve_back)
    TP_UNMODELLED(push_back)
    TP_UNMODELLED(wait_front)
    TP_UNMODELLED(pop_front)
    TP_UNMODELLED(sender_barrier)
    TP_UNMODELLED(set_receiver_page_size)
    TP_UNMODELLED(set_sender_page_size)
    TP_UNMODELLED(commit)
#undef TP_UNMODELLED

private:
    uint32_t cb_;
};
#endif

namespace experimental {
#ifndef COMPILE_FOR_TRISC
using RemoteCircularBuffer = ::RemoteCircularBuffer;
#endif
using CircularBuffer = ::CircularBuffer;
using DataflowBuffer = ::DataflowBuffer;
}  // namespace experimental
