// What can stand at either end of a transfer of Noc: endpoints, buffers, memory, pages of tensors, and traits that say where each is.
// Traits make addresses and start nothing. Start at noc_traits_t of UnicastEndpoint; names follow tt-metal 0.79
// `api/dataflow/endpoints.h` and `api/tensor/noc_traits.h`.
#pragma once

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
