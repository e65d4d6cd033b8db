// The object form of the NoC: Noc and its endpoints. Each method is the free call of noc.h of the same name.
// What an endpoint may be is said by its traits; one without must not compile, as on the device.
// Start at Noc::async_read; names follow tt-metal 0.79 `api/dataflow/{noc,endpoints}.h`.
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

// Endpoints.
struct UnicastEndpoint {
    ALWI uint64_t get_noc_unicast_addr(uint32_t x, uint32_t y, uint32_t address, uint8_t noc) const {
        return ::get_noc_addr(x, y, address, noc);
    }
};
struct PrecomposedUnicastEndpoint {};
struct MulticastEndpoint {
    ALWI uint64_t get_noc_multicast_addr(uint32_t x_start, uint32_t y_start, uint32_t x_end, uint32_t y_end,
                                         uint32_t address, uint8_t noc) const {
        return ::get_noc_multicast_addr(x_start, y_start, x_end, y_end, address, noc);
    }
};
enum class AllocatorBankType { L1, DRAM };
template <AllocatorBankType bank_type>
struct AllocatorBank {
    ALWI uint64_t get_noc_addr_from_bank_id(uint32_t bank, uint32_t address, uint8_t noc) const {
        return ::get_noc_addr_from_bank_id<bank_type == AllocatorBankType::DRAM>(bank, address, noc);
    }
};

namespace tp {

struct OffsetArgs {
    uint32_t offset_bytes{};
};
struct MulticastArgs {
    uint32_t noc_x_start{}, noc_y_start{}, noc_x_end{}, noc_y_end{}, offset_bytes{};
};
// Memory of this core: the address is what `read` or `write` of it gives.
template <typename T, uint32_t (*read)(const T&), uint32_t (*write)(const T&)>
struct LocalTraits {
    using src_args_type = OffsetArgs;
    using dst_args_type = OffsetArgs;
    using dst_args_mcast_type = MulticastArgs;
    template <Noc::AddressType type>
    ALWI static uint32_t src_addr(const T& src, const Noc&, const src_args_type& args) {
        static_assert(type == Noc::AddressType::LOCAL_L1, "this is memory of the core itself");
        return read(src) + args.offset_bytes;
    }
    template <Noc::AddressType type>
    ALWI static uint32_t dst_addr(const T& dst, const Noc&, const dst_args_type& args) {
        static_assert(type == Noc::AddressType::LOCAL_L1, "this is memory of the core itself");
        return write(dst) + args.offset_bytes;
    }
    template <Noc::AddressType>
    ALWI static uint64_t dst_addr_mcast(const T& dst, const Noc& noc, const dst_args_mcast_type& args) {
        return ::get_noc_multicast_addr(args.noc_x_start, args.noc_y_start, args.noc_x_end, args.noc_y_end,
                                        write(dst) + args.offset_bytes, noc.get_noc_id());
    }
};
// Pages of a tensor.
struct PageArgs {
    uint32_t page_id{};
    uint32_t offset_bytes = 0;
};
template <typename T>
struct PageTraits {
    using src_args_type = PageArgs;
    using dst_args_type = PageArgs;
    template <Noc::AddressType type>
    ALWI static auto src_addr(const T& src, const Noc& noc, const PageArgs& args) {
        const uint64_t address = src.get_noc_addr(args.page_id, args.offset_bytes, noc.get_noc_id());
        if constexpr (type == Noc::AddressType::LOCAL_L1) {
            return uint32_t(address);
        } else {
            return address;
        }
    }
    template <Noc::AddressType type>
    ALWI static auto dst_addr(const T& dst, const Noc& noc, const PageArgs& args) {
        return src_addr<type>(dst, noc, args);
    }
};

}  // namespace tp

// Which pointer of a buffer is meant, where the default (read what leaves, write what comes) is not.
template <CircularBuffer::AddrSelector selector>
struct CircularBufferView {
    const CircularBuffer& cb;
    explicit constexpr CircularBufferView(const CircularBuffer& c) : cb(c) {}
};
template <CircularBuffer::AddrSelector selector>
constexpr auto use(const CircularBuffer& cb) {
    return CircularBufferView<selector>(cb);
}
namespace tp {
template <typename T>
ALWI uint32_t read_pointer(const T& cb) { return cb.get_read_ptr(); }
template <typename T>
ALWI uint32_t write_pointer(const T& cb) { return cb.get_write_ptr(); }
template <CircularBuffer::AddrSelector selector>
ALWI uint32_t chosen_pointer(const CircularBufferView<selector>& view) {
    return selector == CircularBuffer::AddrSelector::READ_PTR ? view.cb.get_read_ptr() : view.cb.get_write_ptr();
}
template <typename T>
ALWI uint32_t base_address(const T& memory) { return uint32_t(memory.get_base_address()); }
template <typename T>
ALWI uint32_t bank_base(const T& memory) { return memory.get_bank_base_address(); }
template <typename T>
ALWI uint32_t plain_address(const T& memory) { return uint32_t(memory.get_address()); }
}  // namespace tp

template <>
struct noc_traits_t<CircularBuffer>
    : tp::LocalTraits<CircularBuffer, tp::read_pointer<CircularBuffer>, tp::write_pointer<CircularBuffer>> {};
template <>
struct noc_traits_t<DataflowBuffer>
    : tp::LocalTraits<DataflowBuffer, tp::read_pointer<DataflowBuffer>, tp::write_pointer<DataflowBuffer>> {};
using DataflowBufferArgs = tp::OffsetArgs;
template <CircularBuffer::AddrSelector selector>
struct noc_traits_t<CircularBufferView<selector>>
    : tp::LocalTraits<CircularBufferView<selector>, tp::chosen_pointer<selector>, tp::chosen_pointer<selector>> {};
template <typename T, typename A>
struct noc_traits_t<CoreLocalMem<T, A>>
    : tp::LocalTraits<CoreLocalMem<T, A>, tp::plain_address<CoreLocalMem<T, A>>, tp::plain_address<CoreLocalMem<T, A>>> {};
template <typename T>
struct noc_traits_t<Scratchpad<T>>
    : tp::LocalTraits<Scratchpad<T>, tp::base_address<Scratchpad<T>>, tp::base_address<Scratchpad<T>>> {};
template <typename T>
struct noc_traits_t<LocalTensorAccessor<T>>
    : tp::LocalTraits<LocalTensorAccessor<T>, tp::bank_base<LocalTensorAccessor<T>>, tp::bank_base<LocalTensorAccessor<T>>> {};

template <typename DSpec>
struct noc_traits_t<TensorAccessor<DSpec>> : tp::PageTraits<TensorAccessor<DSpec>> {};
template <typename Accessor>
struct noc_traits_t<PageView<Accessor>> : tp::PageTraits<PageView<Accessor>> {};
template <>
struct noc_traits_t<AbstractTensorAccessorWrapper> : tp::PageTraits<AbstractTensorAccessorWrapper> {};
template <bool DRAM>
struct noc_traits_t<InterleavedAddrGen<DRAM>> : tp::PageTraits<InterleavedAddrGen<DRAM>> {};
template <bool DRAM, uint32_t tile_hw>
struct noc_traits_t<InterleavedAddrGenFast<DRAM, tile_hw>> : tp::PageTraits<InterleavedAddrGenFast<DRAM, tile_hw>> {};
template <typename Accessor>
struct noc_traits_t<ShardView<Accessor>> {
    struct src_args_type {
        uint32_t shard_id{};
        uint32_t offset_bytes = 0;
    };
    using dst_args_type = src_args_type;
    template <Noc::AddressType type>
    ALWI static uint64_t src_addr(const ShardView<Accessor>& src, const Noc& noc, const src_args_type& args) {
        return src.get_noc_addr(args.shard_id, args.offset_bytes, noc.get_noc_id());
    }
    template <Noc::AddressType type>
    ALWI static uint64_t dst_addr(const ShardView<Accessor>& dst, const Noc& noc, const dst_args_type& args) {
        return src_addr<type>(dst, noc, args);
    }
};
template <>
struct noc_traits_t<tensor_accessor::Page> {
    using src_args_type = tp::OffsetArgs;
    using dst_args_type = tp::OffsetArgs;
    template <Noc::AddressType type>
    ALWI static uint64_t src_addr(const tensor_accessor::Page& src, const Noc&, const src_args_type& args) {
        return src.noc_addr() + args.offset_bytes;
    }
    template <Noc::AddressType type>
    ALWI static uint64_t dst_addr(const tensor_accessor::Page& dst, const Noc&, const dst_args_type& args) {
        return dst.noc_addr() + args.offset_bytes;
    }
};
template <>
struct noc_traits_t<PrecomposedUnicastEndpoint> {
    struct src_args_type {
        uint64_t noc_addr{};
    };
    using dst_args_type = src_args_type;
    template <Noc::AddressType type>
    ALWI static uint64_t src_addr(const PrecomposedUnicastEndpoint&, const Noc&, const src_args_type& args) {
        return args.noc_addr;
    }
    template <Noc::AddressType type>
    ALWI static uint64_t dst_addr(const PrecomposedUnicastEndpoint&, const Noc&, const dst_args_type& args) {
        return args.noc_addr;
    }
};
template <>
struct noc_traits_t<UnicastEndpoint> {
    struct src_args_type {
        uint32_t noc_x{}, noc_y{}, addr{};
    };
    using dst_args_type = src_args_type;
    template <Noc::AddressType type>
    ALWI static auto src_addr(const UnicastEndpoint& src, const Noc& noc, const src_args_type& args) {
        if constexpr (type == Noc::AddressType::LOCAL_L1) {
            return args.addr;
        } else {
            return src.get_noc_unicast_addr(args.noc_x, args.noc_y, args.addr, noc.get_noc_id());
        }
    }
    template <Noc::AddressType type>
    ALWI static auto dst_addr(const UnicastEndpoint& dst, const Noc& noc, const dst_args_type& args) {
        return src_addr<type>(dst, noc, args);
    }
};
template <>
struct noc_traits_t<MulticastEndpoint> {
    struct dst_args_mcast_type {
        uint32_t noc_x_start{}, noc_y_start{}, noc_x_end{}, noc_y_end{}, addr{};
    };
    template <Noc::AddressType type>
    ALWI static uint64_t dst_addr_mcast(const MulticastEndpoint& dst, const Noc& noc, const dst_args_mcast_type& args) {
        return dst.get_noc_multicast_addr(args.noc_x_start, args.noc_y_start, args.noc_x_end, args.noc_y_end, args.addr,
                                          noc.get_noc_id());
    }
};
template <AllocatorBankType bank_type>
struct noc_traits_t<AllocatorBank<bank_type>> {
    struct src_args_type {
        uint32_t bank_id{}, addr{};
    };
    using dst_args_type = src_args_type;
    template <Noc::AddressType type>
    ALWI static uint64_t src_addr(const AllocatorBank<bank_type>& src, const Noc& noc, const src_args_type& args) {
        return src.get_noc_addr_from_bank_id(args.bank_id, args.addr, noc.get_noc_id());
    }
    template <Noc::AddressType type>
    ALWI static uint64_t dst_addr(const AllocatorBank<bank_type>& dst, const Noc& noc, const dst_args_type& args) {
        return src_addr<type>(dst, noc, args);
    }
};

namespace experimental {
using ::AbstractTensorAccessorWrapper;
using ::AllocatorBank;
using ::AllocatorBankType;
using ::MulticastEndpoint;
using ::Noc;
using ::noc_traits_t;
using ::UnicastEndpoint;
using ::use;
}  // namespace experimental
