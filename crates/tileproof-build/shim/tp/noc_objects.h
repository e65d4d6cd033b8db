// The object form of the NoC: each method is the free call of noc.h of the same name.
// What an endpoint may be is said by its traits, in endpoints.h; one without must not compile, as on the device.
// Start at Noc::async_read; names follow tt-metal 0.79 `api/dataflow/noc.h`.
#pragma once

enum class NocOptions : uint32_t {
    DEFAULT = 0,
    TXN_ID = 1,
    POSTED = 2,
    CUSTOM_VC = 4,
    MCAST_INCL_SRC = 8,
    INLINE_L1 = 16,
    INLINE_REG = 32,
};
constexpr NocOptions operator|(NocOptions a, NocOptions b) { return NocOptions(uint32_t(a) | uint32_t(b)); }
constexpr bool has_flag(NocOptions options, NocOptions flag) { return (uint32_t(options) & uint32_t(flag)) != 0; }

struct NocOptVals {
    uint32_t vc = NOC_UNICAST_WRITE_VC;
    uint32_t trid = 0;
};

template <typename T>
struct noc_traits_t {
    static_assert(sizeof(T) == 0, "NoC transactions are not supported for this type");
};

class Noc {
public:
    enum class AddressType { NOC, LOCAL_L1 };
    // Options of the first object form, before they became flags (tt-metal 0.66 `experimental/noc.h`).
    enum class TxnIdMode { ENABLED, DISABLED };
    enum class ResponseMode { NON_POSTED, POSTED };
    enum class BarrierMode { TXN_ID, FULL };
    enum class McastMode { INCLUDE_SRC, EXCLUDE_SRC };
    static constexpr uint32_t INVALID_TXN_ID = 0xffffffff;

private:
    template <typename T>
    using src_args_t = typename noc_traits_t<T>::src_args_type;
    template <typename T>
    using dst_args_t = typename noc_traits_t<T>::dst_args_type;
    template <typename T>
    using dst_args_mcast_t = typename noc_traits_t<T>::dst_args_mcast_type;
    template <AddressType type, typename T>
    ALWI auto source(const T& src, const src_args_t<T>& args) const {
        return noc_traits_t<T>::template src_addr<type>(src, *this, args);
    }
    template <AddressType type, typename T>
    ALWI auto destination(const T& dst, const dst_args_t<T>& args) const {
        return noc_traits_t<T>::template dst_addr<type>(dst, *this, args);
    }

public:
    constexpr Noc() : noc_(noc_index) {}
    constexpr explicit Noc(uint8_t noc) : noc_(noc) {}
    constexpr uint8_t get_noc_id() const { return noc_; }
    ALWI bool is_local_bank(uint32_t x, uint32_t y) const { return x == my_x[noc_] && y == my_y[noc_]; }
    ALWI bool is_local_addr(uint64_t address) const {
        return (address >> 36) == (::get_noc_addr(my_x[noc_], my_y[noc_], 0, noc_) >> 36);
    }

    // A transfer carries its transaction id only if it is asked to; one that is not carries what was set before.
    template <NocOptions options = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
              bool enable_noc_tracing = true, typename Src, typename Dst>
    ALWI void async_read(const Src& src, const Dst& dst, uint32_t bytes, const src_args_t<Src>& src_args,
                         const dst_args_t<Dst>& dst_args, const NocOptVals& values = {}) const {
        if constexpr (has_flag(options, NocOptions::TXN_ID)) {
            noc_async_read_set_trid(values.trid, noc_);
        }
        tp::issue_read(TP_SITE(), noc_ | tp::as_packets(max_page_size), source<AddressType::NOC>(src, src_args),
                       uint32_t(destination<AddressType::LOCAL_L1>(dst, dst_args)), bytes);
    }
    // With a virtual channel alone, as the first object form takes it.
    template <typename Src, typename Dst>
    ALWI void async_read(const Src& src, const Dst& dst, uint32_t bytes, const src_args_t<Src>& src_args,
                         const dst_args_t<Dst>& dst_args, uint32_t vc) const {
        async_read(src, dst, bytes, src_args, dst_args, NocOptVals{vc});
    }
    template <TxnIdMode mode, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool enable_noc_tracing = true,
              typename Src, typename Dst>
    ALWI void async_read(const Src& src, const Dst& dst, uint32_t bytes, const src_args_t<Src>& src_args,
                         const dst_args_t<Dst>& dst_args, uint32_t vc = NOC_UNICAST_WRITE_VC,
                         uint32_t trid = INVALID_TXN_ID) const {
        async_read<with_trid(mode == TxnIdMode::ENABLED), max_page_size>(src, dst, bytes, src_args, dst_args, {vc, trid});
    }
    template <NocOptions options = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, typename Src>
    ALWI void set_async_read_state(const Src& src, uint32_t bytes, const src_args_t<Src>& args,
                                   const NocOptVals& values = {}) const {
        if constexpr (has_flag(options, NocOptions::TXN_ID)) {
            noc_async_read_set_trid(values.trid, noc_);
        }
        tp::read_buffers[noc_ & 1].far = source<AddressType::NOC>(src, args);
        if constexpr (max_page_size <= NOC_MAX_BURST_SIZE) {
            tp::read_buffers[noc_ & 1].bytes = bytes;
        }
    }
    template <NocOptions options = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, typename Src,
              typename Dst>
    ALWI void async_read_with_state(const Src& src, const Dst& dst, uint32_t bytes, const src_args_t<Src>& src_args,
                                    const dst_args_t<Dst>& dst_args, const NocOptVals& = {}) const {
        // Single packets have their size in the state.
        const tp::CommandBuffer state = tp::read_buffers[noc_ & 1];
        tp::issue_read(TP_SITE(), noc_ | tp::as_packets(max_page_size),
                       state.at(uint32_t(source<AddressType::NOC>(src, src_args))),
                       uint32_t(destination<AddressType::LOCAL_L1>(dst, dst_args)),
                       max_page_size <= NOC_MAX_BURST_SIZE ? state.bytes : bytes);
    }
    template <NocOptions options = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
              bool enable_noc_tracing = true, typename Src, typename Dst>
    ALWI void async_write(const Src& src, const Dst& dst, uint32_t bytes, const src_args_t<Src>& src_args,
                          const dst_args_t<Dst>& dst_args, const NocOptVals& values = {}) const {
        if constexpr (has_flag(options, NocOptions::TXN_ID)) {
            noc_async_write_set_trid(values.trid, noc_);
        }
        tp::issue_write(TP_SITE(), noc_ | tp::as_packets(max_page_size),
                        uint32_t(source<AddressType::LOCAL_L1>(src, src_args)),
                        destination<AddressType::NOC>(dst, dst_args), bytes, has_flag(options, NocOptions::POSTED));
    }
    template <typename Src, typename Dst>
    ALWI void async_write(const Src& src, const Dst& dst, uint32_t bytes, const src_args_t<Src>& src_args,
                          const dst_args_t<Dst>& dst_args, uint32_t vc) const {
        async_write(src, dst, bytes, src_args, dst_args, NocOptVals{vc});
    }
    template <TxnIdMode mode, ResponseMode response = ResponseMode::NON_POSTED,
              uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool enable_noc_tracing = true, typename Src, typename Dst>
    ALWI void async_write(const Src& src, const Dst& dst, uint32_t bytes, const src_args_t<Src>& src_args,
                          const dst_args_t<Dst>& dst_args, uint32_t vc = NOC_UNICAST_WRITE_VC,
                          uint32_t trid = INVALID_TXN_ID) const {
        constexpr NocOptions posted = response == ResponseMode::POSTED ? NocOptions::POSTED : NocOptions::DEFAULT;
        async_write<with_trid(mode == TxnIdMode::ENABLED) | posted, max_page_size>(src, dst, bytes, src_args, dst_args,
                                                                                  {vc, trid});
    }
    template <NocOptions options = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
              bool enable_noc_tracing = true, typename Src, typename Dst>
    ALWI void async_write_multicast(const Src& src, const Dst& dst, uint32_t bytes, uint32_t num_dests,
                                    const src_args_t<Src>& src_args, const dst_args_mcast_t<Dst>& dst_args,
                                    bool = false) const {
        // One that includes its sender makes as many packets as it takes, whatever it is told.
        constexpr bool loopback = has_flag(options, NocOptions::MCAST_INCL_SRC);
        TP_CALL(noc_multicast, noc_ | (loopback ? 0 : tp::as_packets(max_page_size)),
                uint32_t(source<AddressType::LOCAL_L1>(src, src_args)),
                noc_traits_t<Dst>::template dst_addr_mcast<AddressType::NOC>(dst, *this, dst_args), bytes, num_dests,
                loopback);
    }
    template <McastMode mode, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool enable_noc_tracing = true,
              typename Src, typename Dst>
    ALWI void async_write_multicast(const Src& src, const Dst& dst, uint32_t bytes, uint32_t num_dests,
                                    const src_args_t<Src>& src_args, const dst_args_mcast_t<Dst>& dst_args,
                                    bool linked = false) const {
        constexpr NocOptions options = mode == McastMode::INCLUDE_SRC ? NocOptions::MCAST_INCL_SRC : NocOptions::DEFAULT;
        async_write_multicast<options, max_page_size>(src, dst, bytes, num_dests, src_args, dst_args, linked);
    }
    template <NocOptions options = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, typename Dst>
    ALWI void set_async_write_state(const Dst& dst, uint32_t bytes, const dst_args_t<Dst>& args,
                                    const NocOptVals& = {}) const {
        tp::write_buffers[noc_ & 1].far = destination<AddressType::NOC>(dst, args);
        if constexpr (max_page_size <= NOC_MAX_BURST_SIZE) {
            tp::write_buffers[noc_ & 1].bytes = bytes;
        }
    }
    template <NocOptions options = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, typename Src,
              typename Dst>
    ALWI void async_write_with_state(const Src& src, const Dst& dst, uint32_t bytes, const src_args_t<Src>& src_args,
                                     const dst_args_t<Dst>& dst_args, const NocOptVals& = {}) const {
        const tp::CommandBuffer state = tp::write_buffers[noc_ & 1];
        tp::issue_write(TP_SITE(), noc_ | tp::as_packets(max_page_size),
                        uint32_t(source<AddressType::LOCAL_L1>(src, src_args)),
                        state.at(uint32_t(destination<AddressType::NOC>(dst, dst_args))),
                        max_page_size <= NOC_MAX_BURST_SIZE ? state.bytes : bytes, has_flag(options, NocOptions::POSTED));
    }
    template <NocOptions options = NocOptions::DEFAULT, typename Dst>
    ALWI void inline_dw_write(const Dst& dst, uint32_t value, const dst_args_t<Dst>& args, uint8_t be = 0xf,
                              const NocOptVals& = {}) const {
        if (be != 0xf) {
            tp::unsupported(TP_SITE(), "Noc::inline_dw_write of some bytes of a word");
        }
        // Its barrier counts those that are acknowledged, and the machine has no stream registers.
        if (has_flag(options, NocOptions::POSTED) || has_flag(options, NocOptions::INLINE_REG)) {
            tp::unsupported(TP_SITE(), "Noc::inline_dw_write that is posted or goes to a register");
        }
        TP_CALL(noc_inline_write, noc_, value, destination<AddressType::NOC>(dst, args));
    }

    ALWI bool is_read_trid_flushed(uint32_t trid) const {
        return ncrisc_noc_read_with_transaction_id_flushed(noc_, trid);
    }
    template <NocOptions options = NocOptions::DEFAULT>
    ALWI void async_read_barrier(const NocOptVals& values = {}) const {
        has_flag(options, NocOptions::TXN_ID) ? noc_async_read_barrier_with_trid(values.trid, noc_)
                                              : noc_async_read_barrier(noc_);
    }
    template <BarrierMode mode>
    ALWI void async_read_barrier(uint32_t trid = INVALID_TXN_ID) const {
        async_read_barrier<with_trid(mode == BarrierMode::TXN_ID)>({.trid = trid});
    }
    template <NocOptions options = NocOptions::DEFAULT>
    ALWI void async_write_barrier(const NocOptVals& values = {}) const {
        has_flag(options, NocOptions::TXN_ID) ? noc_async_write_barrier_with_trid(values.trid, noc_)
                                              : noc_async_write_barrier(noc_);
    }
    template <BarrierMode mode>
    ALWI void async_write_barrier(uint32_t trid = INVALID_TXN_ID) const {
        async_write_barrier<with_trid(mode == BarrierMode::TXN_ID)>({.trid = trid});
    }
    template <NocOptions options = NocOptions::DEFAULT>
    ALWI void async_writes_flushed(const NocOptVals& values = {}) const {
        if constexpr (has_flag(options, NocOptions::POSTED)) {
            noc_async_posted_writes_flushed(noc_);
        } else if constexpr (has_flag(options, NocOptions::TXN_ID)) {
            noc_async_write_flushed_with_trid(values.trid, noc_);
        } else {
            noc_async_writes_flushed(noc_);
        }
    }
    template <ResponseMode response, BarrierMode mode = BarrierMode::FULL>
    ALWI void async_writes_flushed(uint32_t trid = INVALID_TXN_ID) const {
        constexpr NocOptions posted = response == ResponseMode::POSTED ? NocOptions::POSTED : NocOptions::DEFAULT;
        async_writes_flushed<with_trid(mode == BarrierMode::TXN_ID) | posted>({.trid = trid});
    }
    ALWI void async_atomic_barrier() const { noc_async_atomic_barrier(noc_); }
    ALWI void async_full_barrier() const { noc_async_full_barrier(noc_); }

    // Zeroes L1 by reads of the piece that holds zeros, whole ones with a state as on the device (tt-metal
    // `noc_zero_l1.inl`); the memory is zero after the barrier.
    template <typename Dst>
    ALWI void async_write_zeros(const Dst& dst, uint32_t bytes, const dst_args_t<Dst>& args = {}) const {
        const uint64_t zeros = ::get_noc_addr(MEM_ZEROS_BASE, noc_);
        uint32_t to = uint32_t(destination<AddressType::LOCAL_L1>(dst, args));
        while (bytes > 0) {
            const uint32_t now = bytes < MEM_ZEROS_SIZE ? bytes : MEM_ZEROS_SIZE;
            tp::issue_read(TP_SITE(), noc_, zeros, to, now);
            to += now;
            bytes -= now;
        }
    }
    // Zeroes a page of a tensor from memory that holds zeros already.
    template <typename Dst, typename Scratch>
    ALWI void async_write_zeros(const Dst& dst, uint32_t bytes, const dst_args_t<Dst>& args, const Scratch& zeros) const {
        const uint32_t from = uint32_t(source<AddressType::LOCAL_L1>(zeros, src_args_t<Scratch>{}));
        uint64_t to = destination<AddressType::NOC>(dst, args);
        while (bytes > 0) {
            const uint32_t now = bytes > NOC_MAX_BURST_SIZE ? NOC_MAX_BURST_SIZE : bytes;
            tp::issue_write(TP_SITE(), noc_, from, to, now, false);
            to += now;
            bytes -= now;
        }
    }
    template <typename Dst>
    ALWI void write_zeros(const Dst& dst, uint32_t bytes, const dst_args_t<Dst>& args = {}) const {
        async_write_zeros(dst, bytes, args);
    }
    ALWI void write_zeros_l1_barrier() const { noc_async_read_barrier(noc_); }
    ALWI void write_zeros_dram_barrier() const { noc_async_write_barrier(noc_); }

private:
    static constexpr NocOptions with_trid(bool is_so) { return is_so ? NocOptions::TXN_ID : NocOptions::DEFAULT; }
    uint8_t noc_;
};
