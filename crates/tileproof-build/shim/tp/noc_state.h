// Data movement, continued: transfers that share a state, transaction ids, posted writes.
// Each NoC has one command buffer for reads and one for writes, and a state or an id is what was last put into it
// (tt-metal `noc_nonblocking_api.h`): nothing here may be shared between the NoCs.
// Start at noc_async_read_set_state.
#pragma once

// A state holds the far core and, for single packets, the size; each call brings the offset (tt-metal `dataflow_api.h`).
ALWI void noc_async_read_set_state(uint64_t from, uint8_t noc = noc_index) { tp::read_buffers[noc & 1].far = from; }
template <bool inc_num_issued = true>
ALWI void noc_async_read_with_state(uint32_t from, uint32_t to, uint32_t bytes, uint8_t noc = noc_index) {
    tp::issue_read(TP_SITE(), noc, tp::read_buffers[noc & 1].at(from), to, bytes);
}
template <bool use_vc = false>
ALWI void noc_async_read_one_packet_set_state(uint64_t from, uint32_t bytes, uint32_t = 0, uint8_t noc = noc_index) {
    tp::read_buffers[noc & 1] = {from, bytes};
}
template <bool inc_num_issued = true, bool use_vc = false>
ALWI void noc_async_read_one_packet_with_state(uint64_t from, uint32_t to, uint32_t = 0, uint8_t noc = noc_index) {
    const tp::CommandBuffer& state = tp::read_buffers[noc & 1];
    TP_CALL(noc_read, noc | tp::noc_flag::one_packet, state.at(uint32_t(from)), to, state.bytes);
}
// The id is the one that was set; here it only says whose requests to wait for if there are too many.
template <bool skip_ptr_update = false, bool skip_cmdbuf_chk = false>
ALWI void noc_async_read_one_packet_with_state_with_trid(uint32_t base, uint32_t from, uint32_t to, uint32_t = 0,
                                                         uint8_t noc = noc_index) {
    const tp::CommandBuffer& state = tp::read_buffers[noc & 1];
    TP_CALL(noc_read, noc | tp::noc_flag::one_packet, state.at(base + from), to, state.bytes);
}

// Transaction ids: a transfer carries the id that was set last for its NoC and direction. One counter an id holds reads and
// writes that are not answered, another writes whose data has not left (ISA documentation, `NoC/Counters.md`).
ALWI void noc_async_read_set_trid(uint32_t trid = 0, uint8_t noc = noc_index) {
    TP_CALL(noc_set_trid, noc, tp::direction::reads, trid);
}
ALWI void noc_async_write_set_trid(uint32_t trid = 0, uint8_t noc = noc_index) {
    TP_CALL(noc_set_trid, noc, tp::direction::writes, trid);
}
ALWI void noc_async_read_barrier_with_trid(uint32_t trid, uint8_t noc = noc_index) {
    TP_CALL(noc_trid_barrier, noc, tp::barrier::reads, trid);
}
ALWI void noc_async_write_barrier_with_trid(uint32_t trid, uint8_t noc = noc_index) {
    TP_CALL(noc_trid_barrier, noc, tp::barrier::writes, trid);
}
ALWI void noc_async_write_flushed_with_trid(uint32_t trid, uint8_t noc = noc_index) {
    TP_CALL(noc_trid_barrier, noc, tp::barrier::writes_flushed, trid);
}
ALWI bool ncrisc_noc_read_with_transaction_id_flushed(uint32_t noc, uint32_t trid) {
    return TP_CALL(noc_trid_poll, noc, tp::barrier::reads, trid) != 0;
}
ALWI bool ncrisc_noc_nonposted_write_with_transaction_id_flushed(uint32_t noc, uint32_t trid) {
    return TP_CALL(noc_trid_poll, noc, tp::barrier::writes, trid) != 0;
}
ALWI bool ncrisc_noc_nonposted_write_with_transaction_id_sent(uint32_t noc, uint32_t trid) {
    return TP_CALL(noc_trid_poll, noc, tp::barrier::writes_flushed, trid) != 0;
}
ALWI void ncrisc_noc_set_transaction_id(uint32_t noc, uint32_t buffer, uint32_t trid) {
    if (buffer != read_cmd_buf && buffer != write_cmd_buf) {
        tp::unsupported(TP_SITE(), "ncrisc_noc_set_transaction_id of another command buffer");
    }
    TP_CALL(noc_set_trid, noc, buffer == write_cmd_buf ? tp::direction::writes : tp::direction::reads, trid);
}
// Requests never run into the limit of an id here: the machine has no counter that could overflow.
ALWI uint32_t noc_available_transactions(uint32_t, uint32_t) { return NOC_MAX_TRANSACTION_ID_COUNT; }
// Counters that nothing has touched are 0 already; of a transfer on its way the machine forgets nothing.
ALWI void reset_noc_trid_barrier_counter(uint32_t = 0, uint32_t = noc_index) {}

template <bool posted = false>
ALWI void noc_async_write_one_packet_set_state(uint64_t to, uint32_t bytes, uint8_t noc = noc_index, uint8_t = 0) {
    tp::write_buffers[noc & 1] = {to, bytes};
}
template <bool posted = false>
ALWI void noc_async_write_one_packet_with_state(uint32_t from, uint32_t to, uint8_t noc = noc_index) {
    const tp::CommandBuffer& state = tp::write_buffers[noc & 1];
    TP_CALL(noc_write, noc | tp::noc_flag::one_packet, from, state.at(to), state.bytes, posted);
}
template <bool update_counter = true, bool posted = false>
ALWI void noc_async_write_one_packet_with_trid(uint32_t from, uint64_t to, uint32_t bytes, uint32_t trid, uint8_t = 0,
                                               uint8_t noc = noc_index, uint8_t = 0) {
    noc_async_write_set_trid(trid, noc);
    tp::issue_write(TP_SITE(), noc | tp::noc_flag::one_packet, from, to, bytes, posted);
}
template <bool posted = false>
ALWI void noc_async_write_one_packet_with_trid_set_state(uint64_t to, uint8_t = 0, uint8_t noc = noc_index, uint8_t = 0) {
    tp::write_buffers[noc & 1].far = to;
}
template <bool update_counter = true, bool posted = false>
ALWI void noc_async_write_one_packet_with_trid_with_state(uint32_t from, uint32_t to, uint32_t bytes, uint32_t trid,
                                                          uint8_t = 0, uint8_t noc = noc_index) {
    noc_async_write_set_trid(trid, noc);
    tp::issue_write(TP_SITE(), noc | tp::noc_flag::one_packet, from, tp::write_buffers[noc & 1].at(to), bytes, posted);
}
ALWI void noc_async_write_multicast_one_packet(uint32_t from, uint64_t to, uint32_t bytes, uint32_t num_dests,
                                               bool = false, uint8_t noc = noc_index) {
    TP_CALL(noc_multicast, noc | tp::noc_flag::one_packet, from, to, bytes, num_dests, false);
}
ALWI void noc_async_write_multicast_exclude_region(uint32_t, uint64_t, uint32_t, uint32_t, bool = false,
                                                   uint8_t = noc_index) {
    tp::unsupported(TP_SITE(), "noc_async_write_multicast_exclude_region");
}
// An increment of each core of a rectangle, of which the sender is none; `num_dests` says how many acknowledge (tt-metal
// `dataflow_api.h`, which never posts it). From the first corner to the last one, as NoC 0 goes; NoC 1 goes the other way.
template <bool posted = false>
ALWI void noc_semaphore_inc_multicast(uint64_t to, uint32_t value, uint32_t num_dests, uint8_t noc = noc_index, uint8_t = 0) {
    constexpr uint32_t mask = (1u << (tp::noc_address::y_shift - tp::noc_address::x_shift)) - 1;
    const auto corner = [&](uint32_t shift) { return uint32_t(to >> shift) & mask; };
    const uint32_t start = tp::noc_address::start_shift;
    const uint32_t first_x = corner(tp::noc_address::x_shift + start), last_x = corner(tp::noc_address::x_shift);
    const uint32_t first_y = corner(tp::noc_address::y_shift + start), last_y = corner(tp::noc_address::y_shift);
    const uint32_t x0 = noc == 0 ? first_x : last_x, x1 = noc == 0 ? last_x : first_x;
    const uint32_t y0 = noc == 0 ? first_y : last_y, y1 = noc == 0 ? last_y : first_y;
    const auto is_worker = [](uint32_t x) { return x < TP_GAP_X || x >= TP_GAP_X + TP_GAP_COLUMNS; };
    uint32_t cores = 0;
    bool has_sender = false;
    for (uint32_t y = y0; y <= y1; ++y) {
        for (uint32_t x = x0; x <= x1; ++x) {
            cores += is_worker(x);
            has_sender |= x == my_x[noc] && y == my_y[noc];
        }
    }
    if (cores != num_dests || has_sender) {
        tp::unsupported(TP_SITE(), "noc_semaphore_inc_multicast to other cores than it counts, or to its sender");
    }
    for (uint32_t y = y0; y <= y1; ++y) {
        for (uint32_t x = x0; x <= x1; ++x) {
            if (is_worker(x)) {
                noc_semaphore_inc(::get_noc_addr(x, y, uint32_t(to), noc), value, noc);
            }
        }
    }
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
