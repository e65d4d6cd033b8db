// Data movement, continued: transfers that share a state, transaction ids, posted writes.
// A transaction id is not modelled: a barrier on one waits for all, so that what it promises holds, and more.
// Start at noc_async_read_set_state.
#pragma once

// A state holds the far core and, for single packets, the size; each call brings the offset (tt-metal `dataflow_api.h`).
namespace tp {
inline uint64_t set_read_from;
inline uint32_t set_read_bytes;
inline uint64_t set_write_to;
inline uint32_t set_write_bytes;
constexpr uint64_t with_offset(uint64_t core, uint32_t offset) { return (core >> 36 << 36) | offset; }
}  // namespace tp

ALWI void noc_async_read_set_state(uint64_t from, uint8_t = noc_index) { tp::set_read_from = from; }
template <bool inc_num_issued = true>
ALWI void noc_async_read_with_state(uint32_t from, uint32_t to, uint32_t bytes, uint8_t noc = noc_index) {
    TP_CALL(noc_read, noc, tp::with_offset(tp::set_read_from, from), to, bytes);
}
template <bool use_vc = false>
ALWI void noc_async_read_one_packet_set_state(uint64_t from, uint32_t bytes, uint32_t = 0, uint8_t = noc_index) {
    tp::set_read_from = from;
    tp::set_read_bytes = bytes;
}
template <bool inc_num_issued = true, bool use_vc = false>
ALWI void noc_async_read_one_packet_with_state(uint64_t from, uint32_t to, uint32_t = 0, uint8_t noc = noc_index) {
    TP_CALL(noc_read, noc, tp::with_offset(tp::set_read_from, uint32_t(from)), to, tp::set_read_bytes);
}
template <bool skip_ptr_update = false, bool skip_cmdbuf_chk = false>
ALWI void noc_async_read_one_packet_with_state_with_trid(uint32_t base, uint32_t from, uint32_t to, uint32_t = 0,
                                                         uint8_t noc = noc_index) {
    TP_CALL(noc_read, noc, tp::with_offset(tp::set_read_from, base + from), to, tp::set_read_bytes);
}
ALWI void noc_async_read_set_trid(uint32_t = 0, uint8_t = noc_index) {}
ALWI void noc_async_write_set_trid(uint32_t = 0, uint8_t = noc_index) {}
ALWI void noc_async_read_barrier_with_trid(uint32_t, uint8_t noc = noc_index) { TP_CALL(noc_barrier, noc, 0); }
ALWI void noc_async_write_barrier_with_trid(uint32_t, uint8_t noc = noc_index) { TP_CALL(noc_barrier, noc, 1); }
ALWI void noc_async_write_flushed_with_trid(uint32_t, uint8_t noc = noc_index) { TP_CALL(noc_barrier, noc, 2); }
ALWI bool ncrisc_noc_read_with_transaction_id_flushed(uint32_t noc, uint32_t) {
    TP_CALL(noc_barrier, noc, 0);
    return true;
}
ALWI bool ncrisc_noc_nonposted_write_with_transaction_id_flushed(uint32_t noc, uint32_t) {
    TP_CALL(noc_barrier, noc, 1);
    return true;
}
ALWI uint32_t noc_available_transactions(uint32_t, uint32_t) { return NOC_MAX_TRANSACTION_ID_COUNT; }
ALWI void reset_noc_trid_barrier_counter(uint32_t = 0, uint32_t = noc_index) {}

template <bool posted = false>
ALWI void noc_async_write_one_packet_set_state(uint64_t to, uint32_t bytes, uint8_t = noc_index, uint8_t = 0) {
    tp::set_write_to = to;
    tp::set_write_bytes = bytes;
}
template <bool posted = false>
ALWI void noc_async_write_one_packet_with_state(uint32_t from, uint32_t to, uint8_t noc = noc_index) {
    TP_CALL(noc_write, noc, from, tp::with_offset(tp::set_write_to, to), tp::set_write_bytes, posted);
}
template <bool update_counter = true, bool posted = false>
ALWI void noc_async_write_one_packet_with_trid(uint32_t from, uint64_t to, uint32_t bytes, uint32_t, uint8_t = 0,
                                               uint8_t noc = noc_index, uint8_t = 0) {
    TP_CALL(noc_write, noc, from, to, bytes, posted);
}
template <bool posted = false>
ALWI void noc_async_write_one_packet_with_trid_set_state(uint64_t to, uint8_t = 0, uint8_t = noc_index, uint8_t = 0) {
    tp::set_write_to = to;
}
template <bool posted = false>
ALWI void noc_async_write_one_packet_with_trid_with_state(uint32_t from, uint32_t to, uint32_t bytes, uint32_t,
                                                          uint8_t = 0, uint8_t noc = noc_index) {
    TP_CALL(noc_write, noc, from, tp::with_offset(tp::set_write_to, to), bytes, posted);
}
ALWI void noc_async_write_multicast_one_packet(uint32_t from, uint64_t to, uint32_t bytes, uint32_t num_dests,
                                               bool = false, uint8_t noc = noc_index) {
    TP_CALL(noc_multicast, noc, from, to, bytes, num_dests, 0);
}
ALWI void noc_async_write_multicast_exclude_region(uint32_t, uint64_t, uint32_t, uint32_t, bool = false,
                                                   uint8_t = noc_index) {
    tp::unsupported(TP_SITE(), "noc_async_write_multicast_exclude_region");
}
template <bool posted = false>
ALWI void noc_semaphore_inc_multicast(uint64_t, uint32_t, uint32_t, uint8_t = noc_index) {
    tp::unsupported(TP_SITE(), "noc_semaphore_inc_multicast");
}

// Pages in the layout of a shard, read and written through an accessor.
template <typename Accessor>
ALWI void noc_async_read_shard(uint32_t, const Accessor&, uint32_t, uint8_t = noc_index) {
    tp::unsupported(TP_SITE(), "noc_async_read_shard");
}
template <typename Accessor>
ALWI void noc_async_write_shard(uint32_t, const Accessor&, uint32_t, uint8_t = noc_index) {
    tp::unsupported(TP_SITE(), "noc_async_write_shard");
}

constexpr uint32_t align_power_of_2(uint32_t value, uint32_t alignment) { return (value + alignment - 1) & ~(alignment - 1); }
constexpr uint32_t align(uint32_t value, uint32_t alignment) { return align_power_of_2(value, alignment); }
