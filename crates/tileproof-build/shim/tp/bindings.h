// Names that the host gives to a kernel's arguments, buffers, semaphores, tensors and scratch memory.
// Tokens hold numbers only: what they stand for is looked up when the kernel uses them. The host declares one constant a
// name, in the namespaces args, dfb, sem, tensor and scratch, before the kernel's text.
// Start at CtaVal; the shapes follow tt-metal 0.79 `experimental/kernel_args.h` and the binding tokens of `api/`.
#pragma once

#define TT_KERNEL static FORCE_INLINE

namespace experimental {

// Offsets are in bytes from the first argument.
template <typename T>
struct RtaArg {
    uint32_t byte_offset;
};
template <typename T>
struct CrtaArg {
    uint32_t byte_offset;
};
template <typename T>
struct CtaVal {
    T value;
};

template <typename T>
ALWI constexpr T get_arg(CtaVal<T> argument) {
    return argument.value;
}

}  // namespace experimental

struct DFBBindingToken {
    explicit constexpr DFBBindingToken(uint16_t id) noexcept : id_(id) {}
    constexpr operator uint32_t() const noexcept { return id_; }

private:
    uint16_t id_;
};
using RelayDFBBindingToken = DFBBindingToken;

// Only the first exists on Wormhole and Blackhole.
enum class SemScope : uint8_t { LOCAL_NONATOMIC = 0, DM_LOCAL_CACHED = 1, EXTERNAL = 2 };
enum class ProgrammableCoreType : uint8_t { TENSIX = 0, ACTIVE_ETH = 1, IDLE_ETH = 2 };

template <uint32_t Id, SemScope Scope = SemScope::LOCAL_NONATOMIC>
struct SemaphoreBindingToken {
    static constexpr uint32_t id = Id;
    static constexpr SemScope scope = Scope;
};

template <uint32_t CTA_OFFSET, uint32_t CRTA_OFFSET>
struct TensorAccessorArgs;

namespace tensor_accessor {

// The tensor's address is the common runtime argument at this byte; what its accessor needs more comes after it.
template <uint32_t CTA_OFFSET, uint32_t ADDR_CRTA_OFFSET>
struct TensorBindingToken {
    using args_t = TensorAccessorArgs<CTA_OFFSET, ADDR_CRTA_OFFSET / 4 + 1>;
    static constexpr uint32_t addr_crta_offset = ADDR_CRTA_OFFSET;
};
// A tensor that the kernel can name and the program did not give.
struct NullTensorBindingToken {
    NullTensorBindingToken() = delete;
};

}  // namespace tensor_accessor

// `crta` is the common runtime argument that holds the address.
struct ScratchpadBindingToken {
    // A size that nobody has said.
    static constexpr uint32_t UNKNOWN = 0xffffffff;
    uint32_t crta, bytes;
    explicit constexpr ScratchpadBindingToken(uint32_t crta, uint32_t bytes) noexcept : crta(crta), bytes(bytes) {}
};
