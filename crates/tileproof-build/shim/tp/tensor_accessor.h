// From a page of a tensor to its NoC address: TensorAccessor and the older address generators.
// A sharded tensor's words follow its first one: rank, cores, tensor and shard in pages, then the cores, two to a word.
// What the machine's own tensors never are must be told by name, before an address is made of it. Start at TensorAccessor.
#pragma once

#include <tuple>

// Words of an interleaved accessor: its configuration, and since 0.79 its page size (tt-metal `tensor_accessor_args.h`).
#ifndef TP_ACCESSOR_WORDS
#define TP_ACCESSOR_WORDS 1
#endif

namespace tensor_accessor {
// Bits of the first word (tt-metal `hostdevcommon/tensor_accessor/arg_config.hpp`).
enum class ArgConfig : uint8_t {
    None = 0, Sharded = 1, IsDram = 2, RuntimeRank = 4, RuntimeNumBanks = 8, RuntimeTensorShape = 16,
    RuntimeShardShape = 32, RuntimeBankCoords = 64, RuntimePageSize = 128,
};

// A page of a tensor, as its iterators give it.
class Page {
public:
    constexpr Page(uint64_t noc_addr, uint32_t page_id) : noc_addr_(noc_addr), page_id_(page_id) {}
    constexpr uint64_t noc_addr() const { return noc_addr_; }
    constexpr uint32_t page_id() const { return page_id_; }

private:
    uint64_t noc_addr_;
    uint32_t page_id_;
};

// Pages from the first to before the last.
template <typename Accessor>
class Pages {
public:
    class iterator {
    public:
        ALWI iterator(const Accessor& accessor, uint32_t page, uint32_t stride, uint8_t noc)
            : accessor_(&accessor), page_(page), stride_(stride), noc_(noc) {}
        ALWI Page operator*() const { return Page(accessor_->get_noc_addr(page_, 0, noc_), page_); }
        struct Arrow {
            Page page;
            ALWI const Page* operator->() const { return &page; }
        };
        ALWI Arrow operator->() const { return {**this}; }
        ALWI iterator& operator++() { return *this += 1; }
        ALWI iterator operator++(int) {
            const iterator old = *this;
            ++*this;
            return old;
        }
        ALWI iterator& operator+=(uint32_t n) {
            page_ += n * stride_;
            return *this;
        }
        ALWI uint32_t page_id() const { return page_; }
        ALWI bool operator==(const iterator& other) const { return page_ == other.page_; }
        ALWI bool operator!=(const iterator& other) const { return page_ < other.page_; }

    private:
        const Accessor* accessor_;
        uint32_t page_, stride_;
        uint8_t noc_;
    };
    ALWI Pages(const Accessor& accessor, uint32_t first, uint32_t end, uint32_t stride, uint8_t noc)
        : accessor_(accessor), first_(first), end_(end), stride_(stride), noc_(noc) {}
    ALWI iterator begin() const { return iterator(accessor_, first_, stride_, noc_); }
    ALWI iterator end() const { return iterator(accessor_, end_, stride_, noc_); }

private:
    const Accessor& accessor_;
    uint32_t first_, end_, stride_;
    uint8_t noc_;
};
}  // namespace tensor_accessor

namespace tp {

// Bank page mod N, row page div N; DRAM pages are aligned as DRAM is, L1 pages as L1 is (`noc_parameters.h`).
ALWI uint64_t interleaved(Site site, bool dram, uint32_t base, uint32_t page_bytes, uint32_t page, uint32_t offset,
                          uint32_t noc) {
    const uint32_t alignment = dram ? TP_DRAM_ALIGNMENT : TP_L1_ALIGNMENT;
    const uint32_t aligned = (page_bytes + alignment - 1) / alignment * alignment;
    const uint32_t banks = machine()->bank_count(dram ? bank::dram : bank::l1);
    return bank_address(site, dram, page % banks, noc) + base + uint64_t(page / banks) * aligned + offset;
}

// Where a sharded tensor's words lie, from its first one on.
namespace sharded {
constexpr uint32_t CORES = 2, TENSOR = 3, SHARD = 5, FIRST_CORE = 7;
}

// Shards row by row, shard s on core s mod N; pages in a shard row by row (`dspec.h`). Whoever makes the accessor gives the
// distance from page to page, aligned or not (`tensor_accessor.h`).
ALWI uint64_t in_shard(uint32_t first_word, uint32_t base, uint32_t page_bytes, uint32_t page, uint32_t offset) {
    const uint32_t* words = kernel_compile_time_args.data() + first_word;
    const uint32_t columns = words[sharded::TENSOR + 1];
    const uint32_t height = words[sharded::SHARD], width = words[sharded::SHARD + 1];
    const uint32_t row = page / columns, column = page % columns;
    const uint32_t shard = row / height * ((columns + width - 1) / width) + column / width;
    const uint32_t within = row % height * width + column % width;
    const uint32_t cores = words[sharded::CORES], core = shard % cores;
    const uint32_t xy = words[sharded::FIRST_CORE + core / 2] >> (core % 2 * 16) & 0xffff;
    return noc_xy(xy >> 8, xy & 0xff) | (base + (shard / cores * height * width + within) * page_bytes + offset);
}

}  // namespace tp

template <uint32_t CTA_OFFSET, uint32_t CRTA_OFFSET = 0>
struct TensorAccessorArgs {
    static constexpr uint32_t args_config = tp::compile_time_arg<CTA_OFFSET>();
    static constexpr bool is_sharded = (args_config & 1) != 0;
    static constexpr bool is_dram = (args_config & 2) != 0;

private:
    static constexpr bool has(tensor_accessor::ArgConfig bit) { return (args_config & uint32_t(bit)) != 0; }
    static constexpr bool has_page_size = TP_ACCESSOR_WORDS > 1 && !has(tensor_accessor::ArgConfig::RuntimePageSize);
    static constexpr uint32_t first = CTA_OFFSET + 1 + has_page_size;
    // A sharded accessor goes on with rank, banks, both shapes and two bank coordinates a word, unless they come as
    // common runtime arguments (tt-metal `tensor_accessor_args.h`).
    static constexpr bool rank_is_known = is_sharded && !has(tensor_accessor::ArgConfig::RuntimeRank);
    static constexpr bool banks_are_known = is_sharded && !has(tensor_accessor::ArgConfig::RuntimeNumBanks);
    template <bool known, uint32_t offset>
    static constexpr uint32_t word_if() {
        if constexpr (known) {
            return tp::compile_time_arg<offset>();
        }
        return 0;
    }
    static constexpr uint32_t rank = word_if<rank_is_known, first>();
    static constexpr uint32_t banks_word = word_if<banks_are_known, first + rank_is_known>();
    static constexpr uint32_t sharded_words() {
        using enum tensor_accessor::ArgConfig;
        return 1 + has_page_size + rank_is_known + banks_are_known + (has(RuntimeTensorShape) ? 0 : rank) +
               (has(RuntimeShardShape) ? 0 : rank) + (has(RuntimeBankCoords) ? 0 : ((banks_word & 0x7fffffff) + 1) / 2);
    }
    // The top bit of the word of banks says that shards follow each other on a bank instead of going round
    // (`arg_config.hpp`, `ShardContiguousBit`).
    static constexpr bool runs_on_one_bank = (banks_word >> 31) != 0;

public:
    // Where the words of a shard are counted from, as if there were no page size.
    static constexpr uint32_t shard_words = CTA_OFFSET + has_page_size;
    constexpr TensorAccessorArgs() = default;
    constexpr explicit TensorAccessorArgs(uint32_t) {}
    static constexpr uint32_t num_compile_time_args() { return is_sharded ? sharded_words() : 1 + has_page_size; }
    static constexpr uint32_t next_compile_time_args_offset() { return CTA_OFFSET + num_compile_time_args(); }
    // 0 if the arguments do not hold it.
    static constexpr uint32_t get_aligned_page_size() {
        if constexpr (has_page_size) {
            return tp::compile_time_arg<CTA_OFFSET + 1>();
        }
        return 0;
    }
    static constexpr uint32_t crta_offset() { return CRTA_OFFSET; }
    // What of it the machine's tensors never have: nullptr for an accessor that is modelled.
    static constexpr const char* unmodelled() {
        using enum tensor_accessor::ArgConfig;
        constexpr uint32_t at_runtime = uint32_t(RuntimeRank) | uint32_t(RuntimeNumBanks) | uint32_t(RuntimeTensorShape) |
                                        uint32_t(RuntimeShardShape) | uint32_t(RuntimeBankCoords);
        return has(RuntimePageSize)                           ? "a TensorAccessor with its page size as a runtime argument"
               : (args_config & at_runtime) != 0              ? "a TensorAccessor with runtime arguments"
               : is_sharded && is_dram                        ? "a TensorAccessor of shards in DRAM"
               : is_sharded && rank != 2                      ? "a TensorAccessor of shards of a rank other than 2"
               : runs_on_one_bank                             ? "a TensorAccessor of shards that follow each other on a bank"
                                                              : nullptr;
    }
    static constexpr uint32_t num_common_runtime_args() { return has(tensor_accessor::ArgConfig::RuntimePageSize); }
    static constexpr uint32_t next_common_runtime_args_offset() { return CRTA_OFFSET + num_common_runtime_args(); }
};

namespace tp {
template <uint32_t Index, uint32_t CTA_OFFSET>
constexpr uint32_t accessor_offset() {
    if constexpr (Index == 0) {
        return CTA_OFFSET;
    } else {
        return TensorAccessorArgs<accessor_offset<Index - 1, CTA_OFFSET>()>::next_compile_time_args_offset();
    }
}
}  // namespace tp
template <uint32_t NUM_TENSORS, uint32_t CTA_OFFSET>
constexpr auto make_tensor_accessor_args_tuple() {
    return []<uint32_t... I>(std::integer_sequence<uint32_t, I...>) {
        return std::make_tuple(TensorAccessorArgs<tp::accessor_offset<I, CTA_OFFSET>()>()...);
    }(std::make_integer_sequence<uint32_t, NUM_TENSORS>());
}

namespace tp {
template <bool Sharded, bool Dram>
struct Distribution {
    static constexpr bool is_interleaved = !Sharded;
    static constexpr bool is_dram = Dram;
    static constexpr bool has_static_rank = true;
    static constexpr bool has_static_num_banks = true;
    static constexpr bool is_static = true;
};
}  // namespace tp

// A template over the distribution, as on the device; kernels leave the argument to be deduced.
template <typename DSpecT>
struct TensorAccessor {
    using DSpec = DSpecT;
    static constexpr bool is_dram = DSpecT::is_dram;
    uint32_t base;
    uint32_t page_size;
    bool dram;
    // Where a sharded tensor's words begin, plus 1; 0 for an interleaved one.
    uint32_t shards = 0;

    template <uint32_t CTA_OFFSET, uint32_t CRTA_OFFSET>
    ALWI TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>&, uint32_t base,
                        uint32_t page_size = TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>::get_aligned_page_size())
        : base(base), page_size(page_size), dram(TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>::is_dram) {
        TP_KNOWN(EVERY, TP_ACCESSOR_PAGES, "a TensorAccessor");
        if constexpr (TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>::unmodelled() != nullptr) {
            tp::unsupported(TP_SITE(), (TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>::unmodelled()));
        }
        if constexpr (TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>::is_sharded) {
            shards = TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>::shard_words + 1;
        }
        if (page_size == 0) {
            tp::unsupported(TP_SITE(), "a TensorAccessor without a page size; with api = \"0.79\" in the program file its arguments hold one");
        }
    }
    template <uint32_t CTA_OFFSET, uint32_t ADDR_CRTA_OFFSET>
    ALWI TensorAccessor(tensor_accessor::TensorBindingToken<CTA_OFFSET, ADDR_CRTA_OFFSET>)
        : TensorAccessor(TensorAccessorArgs<CTA_OFFSET, ADDR_CRTA_OFFSET / 4 + 1>{},
                         get_common_arg_val<uint32_t>(ADDR_CRTA_OFFSET / 4)) {}
    ALWI explicit TensorAccessor(const tensor_accessor::NullTensorBindingToken&) : base(0), page_size(0), dram(true) {}

    ALWI uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0, uint8_t noc = noc_index) const {
        if (shards != 0) {
            return tp::in_shard(shards - 1, base, page_size, page, offset);
        }
        return tp::interleaved(TP_SITE(), dram, base, page_size, page, offset, noc);
    }
    ALWI uint32_t page_bytes() const { return page_size; }
    ALWI uint32_t get_bank_base_address() const { return base; }
    // As it was given.
    ALWI uint32_t get_aligned_page_size() const { return page_size; }
    // Only a sharded tensor knows how many pages it has: there, an end of 0 is the last one. A core's reader and writer are one
    // thread each, which has every page.
    ALWI tensor_accessor::Pages<TensorAccessor> pages(uint32_t first, uint32_t end, uint8_t noc = noc_index) const
        requires DSpecT::is_interleaved
    {
        return {*this, first, end, 1, noc};
    }
    ALWI tensor_accessor::Pages<TensorAccessor> pages(uint32_t first = 0, uint32_t end = 0, uint8_t noc = noc_index) const
        requires(!DSpecT::is_interleaved)
    {
        return {*this, first, end != 0 ? end : volume(), 1, noc};
    }
    ALWI tensor_accessor::Pages<TensorAccessor> strided_pages(uint32_t end, uint8_t noc = noc_index) const
        requires DSpecT::is_interleaved
    {
        return {*this, 0, end, 1, noc};
    }
    ALWI tensor_accessor::Pages<TensorAccessor> strided_pages(uint8_t noc = noc_index) const
        requires(!DSpecT::is_interleaved)
    {
        return {*this, 0, volume(), 1, noc};
    }
    // Shards and locality: only a sharded tensor has them.
    ALWI uint64_t get_shard_noc_addr(uint32_t, uint32_t = 0, uint8_t = noc_index) const {
        tp::unsupported(TP_SITE(), "TensorAccessor::get_shard_noc_addr");
    }
    ALWI tensor_accessor::Pages<TensorAccessor> shard_pages(uint32_t, uint32_t = 0, uint32_t = 0,
                                                            uint8_t = noc_index) const {
        tp::unsupported(TP_SITE(), "TensorAccessor::shard_pages");
    }
    ALWI bool is_local_bank(uint32_t, uint32_t, uint8_t = noc_index) const {
        tp::unsupported(TP_SITE(), "TensorAccessor::is_local_bank");
    }
    ALWI bool is_local_addr(uint64_t, uint8_t = noc_index) const {
        tp::unsupported(TP_SITE(), "TensorAccessor::is_local_addr");
    }
    ALWI bool is_local_page(uint32_t, uint8_t = noc_index) const {
        tp::unsupported(TP_SITE(), "TensorAccessor::is_local_page");
    }
    ALWI bool is_local_shard(uint32_t, uint8_t = noc_index) const {
        tp::unsupported(TP_SITE(), "TensorAccessor::is_local_shard");
    }

private:
    ALWI uint32_t volume() const {
        const uint32_t* words = kernel_compile_time_args.data() + (shards - 1);
        return words[tp::sharded::TENSOR] * words[tp::sharded::TENSOR + 1];
    }
};
template <uint32_t CTA_OFFSET, uint32_t CRTA_OFFSET>
TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>&, uint32_t)
    -> TensorAccessor<tp::Distribution<TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>::is_sharded,
                                       TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>::is_dram>>;
template <uint32_t CTA_OFFSET, uint32_t CRTA_OFFSET>
TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>&, uint32_t, uint32_t)
    -> TensorAccessor<tp::Distribution<TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>::is_sharded,
                                       TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>::is_dram>>;
template <uint32_t CTA_OFFSET, uint32_t ADDR_CRTA_OFFSET>
TensorAccessor(tensor_accessor::TensorBindingToken<CTA_OFFSET, ADDR_CRTA_OFFSET>)
    -> TensorAccessor<tp::Distribution<TensorAccessorArgs<CTA_OFFSET, ADDR_CRTA_OFFSET / 4 + 1>::is_sharded,
                                       TensorAccessorArgs<CTA_OFFSET, ADDR_CRTA_OFFSET / 4 + 1>::is_dram>>;
TensorAccessor(const tensor_accessor::NullTensorBindingToken&) -> TensorAccessor<tp::Distribution<false, true>>;

template <typename... Args>
ALWI auto make_tensor_accessor_tuple(const std::tuple<Args...>& args, uint32_t first_address,
                                     uint32_t first_page_size) {
    return [&]<uint32_t... I>(std::integer_sequence<uint32_t, I...>) {
        return std::make_tuple(TensorAccessor(std::get<I>(args), get_arg_val<uint32_t>(int(first_address + I)),
                                              kernel_compile_time_args[first_page_size + I])...);
    }(std::make_integer_sequence<uint32_t, sizeof...(Args)>());
}
template <typename... Args>
ALWI auto make_tensor_accessor_tuple(const std::tuple<Args...>& args, uint32_t first_address) {
    return [&]<uint32_t... I>(std::integer_sequence<uint32_t, I...>) {
        return std::make_tuple(TensorAccessor(std::get<I>(args), get_arg_val<uint32_t>(int(first_address + I)))...);
    }(std::make_integer_sequence<uint32_t, sizeof...(Args)>());
}
template <typename... Tokens>
ALWI auto make_tensor_accessors(const std::tuple<Tokens...>& tokens) {
    return std::apply([](const auto&... token) { return std::make_tuple(TensorAccessor(token)...); }, tokens);
}

// Accessors of different kinds in one array.
class AbstractTensorAccessorWrapper {
public:
    AbstractTensorAccessorWrapper() = default;
    template <typename Accessor>
    AbstractTensorAccessorWrapper(const Accessor& accessor)
        : accessor_(&accessor), address_([](const void* a, uint32_t page, uint32_t offset, uint8_t noc) {
              return static_cast<const Accessor*>(a)->get_noc_addr(page, offset, noc);
          }) {}
    ALWI uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0, uint8_t noc = noc_index) const {
        return address_(accessor_, page, offset, noc);
    }

private:
    const void* accessor_ = nullptr;
    uint64_t (*address_)(const void*, uint32_t, uint32_t, uint8_t) = nullptr;
};
template <typename... Accessors>
ALWI auto make_abstract_tensor_accessor_wrappers(const std::tuple<Accessors...>& accessors) {
    return std::apply(
        [](const auto&... accessor) {
            return std::array<AbstractTensorAccessorWrapper, sizeof...(Accessors)>{
                AbstractTensorAccessorWrapper(accessor)...};
        },
        accessors);
}
template <typename Accessor>
struct PageView {
    const Accessor& accessor;
    explicit PageView(const Accessor& a) : accessor(a) {}
    ALWI uint64_t get_noc_addr(uint32_t page, uint32_t offset, uint8_t noc) const {
        return accessor.get_noc_addr(page, offset, noc);
    }
};
template <typename Accessor>
struct ShardView {
    const Accessor& accessor;
    explicit ShardView(const Accessor& a) : accessor(a) {}
    ALWI bool is_local_shard(uint32_t shard, uint8_t noc) const { return accessor.is_local_shard(shard, noc); }
    ALWI uint64_t get_noc_addr(uint32_t shard, uint32_t offset, uint8_t noc) const {
        return accessor.get_shard_noc_addr(shard, offset, noc);
    }
};

template <bool DRAM>
struct InterleavedAddrGen {
    uint32_t bank_base_address;
    uint32_t page_size;
    ALWI uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0, uint8_t noc = noc_index) const {
        return tp::interleaved(TP_SITE(), DRAM, bank_base_address, page_size, page, offset, noc);
    }
    ALWI uint32_t page_bytes() const { return page_size; }
};

template <bool DRAM>
struct InterleavedPow2AddrGen {
    uint32_t bank_base_address;
    uint32_t log_base_2_of_page_size;
    ALWI uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0, uint8_t noc = noc_index) const {
        return tp::interleaved(TP_SITE(), DRAM, bank_base_address, page_bytes(), page, offset, noc);
    }
    ALWI uint32_t page_bytes() const { return uint32_t(1) << log_base_2_of_page_size; }
};
template <bool DRAM>
using InterleavedPow2AddrGenFast = InterleavedPow2AddrGen<DRAM>;

template <bool DRAM, uint32_t tile_hw = 1024>
struct InterleavedAddrGenFast {
    uint32_t bank_base_address;
    uint32_t page_size;
    DataFormat data_format;
    ALWI uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0, uint8_t noc = noc_index) const {
        return tp::interleaved(TP_SITE(), DRAM, bank_base_address, page_size, page, offset, noc);
    }
    ALWI uint32_t page_bytes() const { return page_size; }
};

// Whether an address generator knows its pages' size in memory (tt-metal `dataflow_api_addrgen.h`).
template <typename Generator>
inline constexpr bool has_get_aligned_page_size_v = requires(Generator generator) { generator.get_aligned_page_size(); };
