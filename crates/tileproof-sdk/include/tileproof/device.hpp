// Devices: one simulated chip each. What they are asked is answered by the library, at the line of whoever asked.
#pragma once

#include <any>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cores.hpp"
#include "door.hpp"
#include "mesh_coord.hpp"
#include "interface.hpp"
#include "types.hpp"

namespace tileproof {

using Here = std::source_location;

// A device that is open; its number in the library is 0 where it is not.
class OpenDevice {
public:
    OpenDevice(std::uint32_t chip, const Here& here) : chip_(chip) {
        const door::Where where(here);
        const door::Text version(std::string_view(TP_HOST_INTERFACE));
        door::done(door::tileproof_fits(&version, &where));
        door::done(door::tileproof_open(chip, &number_, &where));
        door::done(door::tileproof_facts(number_, &facts_, &where));
    }
    OpenDevice(const OpenDevice&) = delete;
    ~OpenDevice() { close(); }

    bool close() {
        const bool was_open = door::tileproof_close(number_);
        number_ = 0;
        return was_open;
    }
    std::uint64_t number() const { return number_; }
    std::uint32_t chip() const { return chip_; }
    bool is_open() const { return number_ != 0; }
    const door::Facts& facts() const { return facts_; }

private:
    std::uint32_t chip_;
    std::uint64_t number_ = 0;
    door::Facts facts_{};
};

}  // namespace tileproof

namespace tt::tt_metal {

using tileproof::Here;

class Buffer;
class CommandQueue;
class SubDevice;

// What is known of the memory of a device.
class Allocator {
public:
    explicit Allocator(const tileproof::door::Facts& facts) : facts_(facts) {}
    std::uint32_t get_num_banks(BufferType type) const {
        return type == BufferType::DRAM ? facts_.dram_banks : facts_.grid[0] * facts_.grid[1];
    }
    DeviceAddr get_bank_size(BufferType type) const {
        return type == BufferType::DRAM ? facts_.dram_bank_bytes : facts_.l1_bytes - facts_.l1_base;
    }
    DeviceAddr get_base_allocator_addr(HalMemType type) const { return type == HalMemType::DRAM ? facts_.dram_base : facts_.l1_base; }
    std::uint32_t get_alignment(BufferType type) const { return type == BufferType::DRAM ? facts_.dram_alignment : facts_.l1_alignment; }
    CoreCoord get_logical_core_from_bank_id(std::uint32_t bank) const { return {bank % facts_.grid[0], bank / facts_.grid[0]}; }
    std::size_t get_worker_l1_size() const { return facts_.l1_bytes; }

private:
    const tileproof::door::Facts& facts_;
};

// The programs of operations (ttnn/device_operation.hpp), which run again by the number that they are kept by.
class ProgramCache {
public:
    bool is_enabled() const { return enabled_; }
    void enable() { enabled_ = true; }
    void disable() { enabled_ = false; }
    void clear() { kept_.clear(); }
    std::size_t num_entries() const { return kept_.size(); }
    std::any* find(std::uint64_t hash) {
        const auto found = kept_.find(hash);
        return found == kept_.end() ? nullptr : &found->second;
    }
    void keep(std::uint64_t hash, std::any program) { kept_.insert_or_assign(hash, std::move(program)); }

private:
    bool enabled_ = true;
    std::unordered_map<std::uint64_t, std::any> kept_;
};

class IDevice {
public:
    IDevice(std::uint32_t chip, const Here& here);
    IDevice(const IDevice&) = delete;
    virtual ~IDevice();

    ARCH arch() const { return std::string_view(facts().arch.first, facts().arch.count) == "blackhole" ? ARCH::BLACKHOLE : ARCH::WORMHOLE_B0; }
    ChipId id() const { return open_.chip(); }
    ChipId build_id() const { return id(); }
    std::uint8_t num_hw_cqs() const { return 2; }
    bool is_initialized() const { return open_.is_open(); }
    bool is_mmio_capable() const { return true; }
    int num_dram_channels() const { return facts().dram_banks; }
    std::uint32_t l1_size_per_core() const { return facts().l1_bytes; }
    std::uint32_t dram_size_per_channel() const { return facts().dram_bank_bytes; }
    int get_clock_rate_mhz() const { return facts().clock_mhz; }
    CoreCoord grid_size() const { return compute_with_storage_grid_size(); }
    CoreCoord logical_grid_size() const { return compute_with_storage_grid_size(); }
    CoreCoord compute_with_storage_grid_size() const { return {facts().grid[0], facts().grid[1]}; }
    CoreCoord dram_grid_size() const { return {facts().dram_grid[0], facts().dram_grid[1]}; }

    CoreCoord worker_core_from_logical_core(const CoreCoord& core, const Here& here = Here::current()) const {
        const tileproof::door::Where where(here);
        std::uint32_t at[2] = {};
        tileproof::door::done(tileproof::door::tileproof_noc_of(open_.number(), core.x, core.y, &at, &where));
        return {at[0], at[1]};
    }
    CoreCoord virtual_core_from_logical_core(const CoreCoord& core, const CoreType&, const Here& here = Here::current()) const {
        return worker_core_from_logical_core(core, here);
    }
    CoreCoord physical_core_from_logical_core(const CoreCoord& core, const CoreType&, const Here& here = Here::current()) const {
        return worker_core_from_logical_core(core, here);
    }
    std::vector<CoreCoord> worker_cores_from_logical_cores(const std::vector<CoreCoord>& cores, const Here& here = Here::current()) const {
        std::vector<CoreCoord> found;
        for (const CoreCoord& core : cores) {
            found.push_back(worker_core_from_logical_core(core, here));
        }
        return found;
    }
    CoreRangeSet worker_cores(HalProgrammableCoreType, SubDeviceId) const {
        return CoreRange({0, 0}, {facts().grid[0] - 1u, facts().grid[1] - 1u});
    }
    std::uint32_t num_worker_cores(HalProgrammableCoreType, SubDeviceId) const { return facts().grid[0] * facts().grid[1]; }
    CoreCoord logical_core_from_dram_channel(std::uint32_t channel) const { return {channel, 0}; }
    std::uint32_t dram_channel_from_logical_core(const CoreCoord& core) const { return core.x; }
    // There are no ethernet cores here.
    std::unordered_set<CoreCoord> get_active_ethernet_cores(bool = false) const { return {}; }
    std::unordered_set<CoreCoord> get_inactive_ethernet_cores() const { return {}; }
    const std::set<CoreCoord>& ethernet_cores() const {
        static const std::set<CoreCoord> none;
        return none;
    }

    const std::unique_ptr<Allocator>& allocator() const { return allocator_; }
    const std::unique_ptr<Allocator>& allocator(SubDeviceId) const { return allocator_; }
    std::uint32_t get_allocator_alignment() const { return facts().dram_alignment; }
    std::uint32_t get_allocator_alignment(BufferType type) const { return allocator_->get_alignment(type); }

    ProgramCache& get_program_cache() { return program_cache_; }
    void enable_program_cache() { program_cache_.enable(); }
    void clear_program_cache() { program_cache_.clear(); }
    void disable_and_clear_program_cache() {
        program_cache_.disable();
        program_cache_.clear();
    }
    std::size_t num_program_cache_entries() const { return program_cache_.num_entries(); }
    void set_program_cache_misses_allowed(bool) {}
    void enable_async(bool) {}
    void synchronize() {}
    bool close() { return open_.close(); }

    CommandQueue& command_queue(std::size_t id = 0, const Here& here = Here::current());
    const std::vector<SubDeviceId>& get_sub_device_ids() const {
        static const std::vector<SubDeviceId> only{SubDeviceId{0}};
        return only;
    }

    // The number of the device in the library, at the line of whoever needs it.
    std::uint64_t number() const { return open_.number(); }

protected:
    tileproof::OpenDevice open_;

private:
    const tileproof::door::Facts& facts() const { return open_.facts(); }
    std::unique_ptr<Allocator> allocator_;
    ProgramCache program_cache_;
    std::vector<std::unique_ptr<CommandQueue>> queues_;
};

using Device = IDevice;

// A card's devices, of which there are as many as TILEPROOF_DEVICES says.
inline std::size_t GetNumAvailableDevices(const Here& here = Here::current()) {
    const tileproof::door::Where where(here);
    std::uint32_t count = 0;
    tileproof::door::done(tileproof::door::tileproof_devices(&count, &where));
    return count;
}
inline std::size_t GetNumPCIeDevices(const Here& here = Here::current()) { return GetNumAvailableDevices(here); }
inline ChipId GetPCIeDeviceID(ChipId device_id) { return device_id; }
inline bool IsGalaxyCluster() { return false; }
inline void SetRootDir(const std::string& root_dir) { setenv("TT_METAL_HOME", root_dir.c_str(), 1); }

}  // namespace tt::tt_metal
