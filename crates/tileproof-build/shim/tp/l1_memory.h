// L1 as typed memory: what a kernel reads and writes by itself.
// An address is a pointer's 32 bits, here as on the device; nothing is bounds-checked that the device does not check.
// Start at CoreLocalMem.
#pragma once

// Something that is undone at the end of its scope.
template <typename Release>
class Lock {
public:
    ALWI Lock(Release release) : release_(release) {}
    ALWI ~Lock() { release_(); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

private:
    Release release_;
};

template <typename T, typename AddressType = uintptr_t>
class CoreLocalMem {
public:
    using difference_type = std::ptrdiff_t;
    ALWI CoreLocalMem(AddressType address) : address_(address) {}
    ALWI CoreLocalMem(T* pointer) : address_(reinterpret_cast<AddressType>(pointer)) {}
    ALWI T* get_unsafe_ptr() const { return reinterpret_cast<T*>(address_); }
    ALWI AddressType get_address() const { return address_; }
    ALWI T& operator[](uint32_t index) const { return get_unsafe_ptr()[index]; }
    ALWI T& operator*() const { return *get_unsafe_ptr(); }
    ALWI T* operator->() const { return get_unsafe_ptr(); }
    ALWI CoreLocalMem& operator+=(difference_type n) {
        address_ += n * difference_type(sizeof(T));
        return *this;
    }
    ALWI CoreLocalMem& operator-=(difference_type n) { return *this += -n; }
    ALWI CoreLocalMem& operator++() { return *this += 1; }
    ALWI CoreLocalMem& operator--() { return *this += -1; }
    ALWI CoreLocalMem operator++(int) {
        const CoreLocalMem old = *this;
        ++*this;
        return old;
    }
    ALWI CoreLocalMem operator--(int) {
        const CoreLocalMem old = *this;
        --*this;
        return old;
    }
    ALWI CoreLocalMem operator+(difference_type n) const { return CoreLocalMem(*this) += n; }
    ALWI CoreLocalMem operator-(difference_type n) const { return CoreLocalMem(*this) += -n; }
    ALWI difference_type operator-(const CoreLocalMem& other) const { return get_unsafe_ptr() - other.get_unsafe_ptr(); }
    ALWI bool operator==(const CoreLocalMem& other) const { return address_ == other.address_; }
    ALWI auto operator<=>(const CoreLocalMem& other) const { return address_ <=> other.address_; }
    ALWI explicit operator bool() const { return address_ != 0; }
    [[nodiscard]] ALWI auto scoped_lock(size_t = 0) const {
        return Lock([] {});
    }

private:
    AddressType address_;
};

// Memory of a program that is no circular buffer, as the host bound it. Its size is part of the binding, where a program
// file has no word for it.
template <typename T>
class Scratchpad {
public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    using size_type = uint32_t;
    ALWI explicit Scratchpad(const ScratchpadBindingToken& token)
        : start_(get_common_arg_val<uint32_t>(int(token.crta))), bytes_(token.bytes) {}
    ALWI T& operator[](uint32_t index) const {
        ASSERT(bytes_ == ScratchpadBindingToken::UNKNOWN || index < size());
        return start_[index];
    }
    ALWI size_type size() const { return size_in_bytes() / sizeof(T); }
    ALWI size_type size_in_bytes() const {
        if (bytes_ == ScratchpadBindingToken::UNKNOWN) {
            tp::unsupported(TP_SITE(), "the size of a Scratchpad, which the program does not say");
        }
        return bytes_;
    }
    ALWI uint32_t get_base_address() const { return uint32_t(start_.get_address()); }
    ALWI CoreLocalMem<T> begin() const { return start_; }
    ALWI CoreLocalMem<T> end() const { return start_ + size(); }
    ALWI CoreLocalMem<T> local_mem() const { return start_; }

private:
    CoreLocalMem<T> start_;
    uint32_t bytes_;
};

// The part of a tensor that lies in this core's L1.
template <typename T>
class LocalTensorAccessor {
public:
    template <uint32_t CTA_OFFSET, uint32_t ADDR_CRTA_OFFSET>
    ALWI explicit LocalTensorAccessor(tensor_accessor::TensorBindingToken<CTA_OFFSET, ADDR_CRTA_OFFSET>)
        : memory_(get_common_arg_val<uint32_t>(ADDR_CRTA_OFFSET / 4)) {}
    ALWI explicit LocalTensorAccessor(const tensor_accessor::NullTensorBindingToken&) : memory_(uintptr_t(0)) {}
    ALWI explicit LocalTensorAccessor(uint32_t address) : memory_(uintptr_t(address)) {}
    ALWI T& operator[](uint32_t index) const { return memory_[index]; }
    ALWI uint32_t get_bank_base_address() const { return uint32_t(memory_.get_address()); }
    ALWI CoreLocalMem<T> local_mem() const { return memory_; }

private:
    CoreLocalMem<T> memory_;
};

namespace experimental {
using ::CoreLocalMem;
using ::Lock;
}  // namespace experimental
