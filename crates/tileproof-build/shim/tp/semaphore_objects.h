// The object form of a semaphore: each method is the free call of noc.h of the same name.
// It must declare nothing but Semaphore, a name that kernels also give to types of their own.
// Start at Semaphore; names follow tt-metal 0.79 `api/dataflow/noc_semaphore.h`.
#pragma once
#include "tp/objects.h"

#ifndef COMPILE_FOR_TRISC

template <ProgrammableCoreType core_type = ProgrammableCoreType::TENSIX, SemScope SCOPE = SemScope::LOCAL_NONATOMIC>
class Semaphore {
    template <ProgrammableCoreType, SemScope>
    friend class Semaphore;

public:
    ALWI explicit Semaphore(uint32_t id) : address_(get_semaphore(id)) {}
    template <uint32_t Id, SemScope scope>
    ALWI explicit Semaphore(SemaphoreBindingToken<Id, scope>) : address_(get_semaphore(Id)) {}
    ALWI void wait(uint32_t value) const { noc_semaphore_wait(pointer(), value); }
    ALWI void wait_min(uint32_t value) const { noc_semaphore_wait_min(pointer(), value); }
    ALWI void set(uint32_t value) const { noc_semaphore_set(pointer(), value); }
    ALWI uint32_t value() const { return *pointer(); }
    ALWI void up(uint32_t value) const { noc_semaphore_set(pointer(), *pointer() + value); }
    ALWI void down(uint32_t value) const {
        noc_semaphore_wait_min(pointer(), value);
        noc_semaphore_set(pointer(), *pointer() - value);
    }
    ALWI void up(const Noc& noc, uint32_t x, uint32_t y, uint32_t value, uint8_t = NOC_UNICAST_WRITE_VC) const {
        noc_semaphore_inc(::get_noc_addr(x, y, address_, noc.get_noc_id()), value, noc.get_noc_id());
    }
    template <ProgrammableCoreType other_type, SemScope other_scope>
    ALWI void relay_unicast(const Noc& noc, const Semaphore<other_type, other_scope>& to, uint32_t x, uint32_t y) const {
        noc_semaphore_set_remote(address_, ::get_noc_addr(x, y, to.address_, noc.get_noc_id()), noc.get_noc_id());
    }
    template <NocOptions options = NocOptions::DEFAULT>
    ALWI void set_multicast(const Noc& noc, uint32_t x_start, uint32_t y_start, uint32_t x_end, uint32_t y_end,
                            uint32_t num_dests, bool = false) const {
        multicast<options>(noc, x_start, y_start, x_end, y_end, address_, num_dests);
    }
    template <Noc::McastMode mode>
    ALWI void set_multicast(const Noc& noc, uint32_t x_start, uint32_t y_start, uint32_t x_end, uint32_t y_end,
                            uint32_t num_dests, bool = false) const {
        constexpr NocOptions options =
            mode == Noc::McastMode::INCLUDE_SRC ? NocOptions::MCAST_INCL_SRC : NocOptions::DEFAULT;
        multicast<options>(noc, x_start, y_start, x_end, y_end, address_, num_dests);
    }
    template <NocOptions options = NocOptions::DEFAULT, ProgrammableCoreType other_type, SemScope other_scope>
    ALWI void relay_multicast(const Noc& noc, const Semaphore<other_type, other_scope>& to, uint32_t x_start,
                              uint32_t y_start, uint32_t x_end, uint32_t y_end, uint32_t num_dests, bool = false) const {
        multicast<options>(noc, x_start, y_start, x_end, y_end, to.address_, num_dests);
    }
    ALWI void inc_multicast(const Noc& noc, uint32_t x_start, uint32_t y_start, uint32_t x_end, uint32_t y_end,
                            uint32_t value, uint32_t num_dests) const {
        const uint64_t to = ::get_noc_multicast_addr(x_start, y_start, x_end, y_end, address_, noc.get_noc_id());
        noc_semaphore_inc_multicast(to, value, num_dests, noc.get_noc_id());
    }

private:
    template <NocOptions options>
    ALWI void multicast(const Noc& noc, uint32_t x_start, uint32_t y_start, uint32_t x_end, uint32_t y_end, uint32_t to,
                        uint32_t num_dests) const {
        const uint64_t address = ::get_noc_multicast_addr(x_start, y_start, x_end, y_end, to, noc.get_noc_id());
        TP_CALL(noc_multicast, noc.get_noc_id(), address_, address, 4, num_dests,
                has_flag(options, NocOptions::MCAST_INCL_SRC));
    }
    ALWI volatile uint32_t* pointer() const { return reinterpret_cast<volatile uint32_t*>(uintptr_t(address_)); }
    uint32_t address_;
};
Semaphore(uint32_t) -> Semaphore<>;
template <uint32_t Id, SemScope scope>
Semaphore(SemaphoreBindingToken<Id, scope>) -> Semaphore<ProgrammableCoreType::TENSIX, scope>;

namespace experimental {
using ::Semaphore;
}  // namespace experimental
#endif
