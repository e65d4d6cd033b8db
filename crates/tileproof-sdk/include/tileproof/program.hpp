// Programs: kernels, circular buffers and semaphores, as CreateKernel and its sisters make them or as descriptors say.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "buffer.hpp"
#include "tiles.hpp"

namespace tt::tt_metal {

struct DataMovementConfig {
    DataMovementProcessor processor = DataMovementProcessor::RISCV_0;
    NOC noc = NOC::RISCV_0_default;
    NOC_MODE noc_mode = NOC_MODE::DM_DEDICATED_NOC;
    std::vector<std::uint32_t> compile_args{};
    std::map<std::string, std::string> defines{};
    std::unordered_map<std::string, std::uint32_t> named_compile_args{};
    KernelBuildOptLevel opt_level = KernelBuildOptLevel::O2;
    std::vector<std::string> compiler_include_paths{};
};

struct ReaderDataMovementConfig : DataMovementConfig {
    ReaderDataMovementConfig(
        std::vector<std::uint32_t> compile_args = {},
        std::map<std::string, std::string> defines = {},
        std::unordered_map<std::string, std::uint32_t> named_compile_args = {},
        KernelBuildOptLevel = KernelBuildOptLevel::O2) :
        DataMovementConfig{
            .processor = DataMovementProcessor::RISCV_1,
            .noc = NOC::NOC_0,
            .compile_args = std::move(compile_args),
            .defines = std::move(defines),
            .named_compile_args = std::move(named_compile_args)} {}
};

struct WriterDataMovementConfig : DataMovementConfig {
    WriterDataMovementConfig(
        std::vector<std::uint32_t> compile_args = {},
        std::map<std::string, std::string> defines = {},
        std::unordered_map<std::string, std::uint32_t> named_compile_args = {},
        KernelBuildOptLevel = KernelBuildOptLevel::O2) :
        DataMovementConfig{
            .processor = DataMovementProcessor::RISCV_0,
            .noc = NOC::NOC_1,
            .compile_args = std::move(compile_args),
            .defines = std::move(defines),
            .named_compile_args = std::move(named_compile_args)} {}
};

struct ComputeConfig {
    MathFidelity math_fidelity = MathFidelity::HiFi4;
    bool fp32_dest_acc_en = false;
    bool dst_full_sync_en = false;
    std::vector<UnpackToDestMode> unpack_to_dest_mode{};
    bool bfp8_pack_precise = false;
    bool math_approx_mode = false;
    std::vector<std::uint32_t> compile_args{};
    std::map<std::string, std::string> defines{};
    std::unordered_map<std::string, std::uint32_t> named_compile_args{};
    KernelBuildOptLevel opt_level = KernelBuildOptLevel::O3;
    std::vector<std::string> compiler_include_paths{};
};

enum Eth : std::uint8_t { SENDER = 0, RECEIVER = 1, IDLE = 2 };

// Kernels on ethernet cores, of which there are none here: they are refused where they are made.
struct EthernetConfig {
    Eth eth_mode = Eth::SENDER;
    NOC noc = NOC::NOC_0;
    DataMovementProcessor processor = DataMovementProcessor::RISCV_0;
    std::vector<std::uint32_t> compile_args{};
    std::map<std::string, std::string> defines{};
    std::unordered_map<std::string, std::uint32_t> named_compile_args{};
    KernelBuildOptLevel opt_level = KernelBuildOptLevel::Os;
};

struct TileDescriptor {
    std::uint32_t height = constants::TILE_HEIGHT;
    std::uint32_t width = constants::TILE_WIDTH;
    bool transpose = false;
    TileDescriptor() = default;
    TileDescriptor(const Tile& tile) : height(tile.get_height()), width(tile.get_width()), transpose(tile.get_transpose_of_faces()) {}
    TileDescriptor(std::uint32_t height, std::uint32_t width, bool transpose) : height(height), width(width), transpose(transpose) {}
    bool operator==(const TileDescriptor&) const = default;
};

struct CBFormatDescriptor {
    std::uint8_t buffer_index = 0;
    DataFormat data_format = DataFormat::Float32;
    std::uint32_t page_size = 0;
    std::optional<TileDescriptor> tile{};
};

struct CBDescriptor {
    using FormatDescriptors = ttsl::SmallVector<CBFormatDescriptor, 1>;
    std::uint32_t total_size = 0;
    CoreRangeSet core_ranges{};
    FormatDescriptors format_descriptors{};
    FormatDescriptors remote_format_descriptors{};
    const Buffer* buffer = nullptr;
    std::uint32_t address_offset = 0;
};

struct SemaphoreDescriptor {
    std::uint32_t id{};
    CoreType core_type = CoreType::WORKER;
    CoreRangeSet core_ranges{};
    std::uint32_t initial_value = 0;
};

struct ReaderConfigDescriptor {};
struct WriterConfigDescriptor {};

struct DataMovementConfigDescriptor {
    DataMovementProcessor processor = DataMovementProcessor::RISCV_0;
    NOC noc = NOC::RISCV_0_default;
    NOC_MODE noc_mode = NOC_MODE::DM_DEDICATED_NOC;
};

struct ComputeConfigDescriptor {
    using UnpackToDestModes = std::vector<UnpackToDestMode>;
    MathFidelity math_fidelity = MathFidelity::HiFi4;
    bool fp32_dest_acc_en = false;
    bool dst_full_sync_en = false;
    UnpackToDestModes unpack_to_dest_mode{};
    bool bfp8_pack_precise = false;
    bool math_approx_mode = false;
};

struct KernelDescriptor {
    using CompileTimeArgs = std::vector<std::uint32_t>;
    using NamedCompileTimeArgs = std::vector<std::pair<std::string, std::uint32_t>>;
    using Defines = std::vector<std::pair<std::string, std::string>>;
    using CoreRuntimeArgs = std::vector<std::uint32_t>;
    using RuntimeArgs = std::vector<std::pair<CoreCoord, CoreRuntimeArgs>>;
    using CommonRuntimeArgs = CoreRuntimeArgs;
    using ConfigDescriptor =
        std::variant<ReaderConfigDescriptor, WriterConfigDescriptor, DataMovementConfigDescriptor, ComputeConfigDescriptor>;
    enum class SourceType { FILE_PATH, SOURCE_CODE };

    std::string kernel_source{};
    SourceType source_type = SourceType::FILE_PATH;
    CoreRangeSet core_ranges{};
    CompileTimeArgs compile_time_args{};
    NamedCompileTimeArgs named_compile_time_args{};
    Defines defines{};
    RuntimeArgs runtime_args{};
    CommonRuntimeArgs common_runtime_args{};
    std::optional<KernelBuildOptLevel> opt_level = std::nullopt;
    ConfigDescriptor config{};
    std::vector<std::string> compiler_include_paths{};
};

struct ProgramDescriptor {
    using KernelDescriptors = ttsl::SmallVector<KernelDescriptor, 3>;
    using SemaphoreDescriptors = ttsl::SmallVector<SemaphoreDescriptor, 3>;
    using CBDescriptors = ttsl::SmallVector<CBDescriptor, 5>;
    KernelDescriptors kernels{};
    SemaphoreDescriptors semaphores{};
    CBDescriptors cbs{};
    std::optional<std::uint64_t> custom_program_hash{};

    std::optional<std::uint32_t> find_available_semaphore_id(const CoreCoord& core, CoreType) const {
        for (std::uint32_t id = 0; id < 16; ++id) {
            const auto takes = [&](const SemaphoreDescriptor& other) { return other.id == id && other.core_ranges.contains(core); };
            if (std::none_of(semaphores.begin(), semaphores.end(), takes)) {
                return id;
            }
        }
        return std::nullopt;
    }
};

class CircularBufferConfig {
public:
    CircularBufferConfig(std::uint32_t total_size, const std::map<std::uint8_t, DataFormat>& data_format_spec) : total_size_(total_size) {
        for (const auto& [index, format] : data_format_spec) {
            formats_.push_back({.buffer_index = index, .data_format = format});
        }
    }
    explicit CircularBufferConfig(std::uint32_t total_size) : total_size_(total_size) {}
    CircularBufferConfig(
        std::uint32_t total_size, const std::map<std::uint8_t, DataFormat>& data_format_spec, const Buffer& buffer, const Here& here = Here::current()) :
        CircularBufferConfig(total_size, data_format_spec) {
        set_globally_allocated_address(buffer, here);
    }
    CircularBufferConfig(const CBDescriptor& descriptor, const Here& here = Here::current()) :
        total_size_(descriptor.total_size), formats_(descriptor.format_descriptors), address_offset_(descriptor.address_offset) {
        if (!descriptor.remote_format_descriptors.empty()) {
            tileproof::refuse(here, "CBDescriptor: remote_format_descriptors are not modelled: a circular buffer is filled and emptied on its core");
        }
        if (descriptor.buffer) {
            set_globally_allocated_address(*descriptor.buffer, here);
        }
    }

    CircularBufferConfig& set_page_size(std::uint8_t buffer_index, std::uint32_t page_size, const Here& here = Here::current()) {
        if (page_size == 0 || total_size_ % page_size != 0) {
            tileproof::refuse(here, "cb {}: total_size {} is not a multiple of page_size {}", buffer_index, total_size_, page_size);
        }
        format(buffer_index, here).page_size = page_size;
        return *this;
    }
    CircularBufferConfig& set_total_size(std::uint32_t total_size) {
        total_size_ = total_size;
        return *this;
    }
    CircularBufferConfig& set_globally_allocated_address(const Buffer& buffer, const Here& here = Here::current()) {
        if (!buffer.is_l1()) {
            tileproof::refuse(here, "a circular buffer lies in L1, and the buffer for its memory is in DRAM");
        }
        buffer_ = Backing{buffer.device()->number(), buffer.usable(here)};
        return *this;
    }
    CircularBufferConfig& set_globally_allocated_address_and_total_size(const Buffer& buffer, std::uint32_t total_size, const Here& here = Here::current()) {
        total_size_ = total_size;
        return set_globally_allocated_address(buffer, here);
    }
    CircularBufferConfig& set_tile_dims(std::uint8_t buffer_index, const Tile& tile, const Here& here = Here::current()) {
        format(buffer_index, here).tile = TileDescriptor(tile);
        return *this;
    }
    CircularBufferConfig& set_address_offset(std::uint32_t offset) {
        address_offset_ = offset;
        return *this;
    }

    std::uint32_t total_size() const { return total_size_; }
    bool dynamic_cb() const { return buffer_.has_value(); }

    // One index of it at a time.
    class Builder {
    public:
        Builder(CircularBufferConfig& parent, std::uint8_t index) : parent_(parent), index_(index) {}
        const Builder& set_data_format(DataFormat format, const Here& here = Here::current()) const {
            parent_.format(index_, here).data_format = format;
            return *this;
        }
        const Builder& set_total_size(std::uint32_t total_size) const {
            parent_.set_total_size(total_size);
            return *this;
        }
        const Builder& set_page_size(std::uint32_t page_size, const Here& here = Here::current()) const {
            parent_.set_page_size(index_, page_size, here);
            return *this;
        }
        const Builder& set_tile_dims(const Tile& tile, const Here& here = Here::current()) const {
            parent_.set_tile_dims(index_, tile, here);
            return *this;
        }

    private:
        CircularBufferConfig& parent_;
        std::uint8_t index_;
    };
    Builder index(std::uint8_t buffer_index) {
        if (!known(buffer_index)) {
            formats_.push_back({.buffer_index = buffer_index, .data_format = DataFormat::Invalid});
        }
        return Builder(*this, buffer_index);
    }

private:
    friend class Program;
    std::uint32_t total_size_;
    CBDescriptor::FormatDescriptors formats_;
    // A buffer by its number and that of its device, since it may be gone when the program runs.
    struct Backing {
        std::uint64_t device, id;
    };
    std::optional<Backing> buffer_;
    std::uint32_t address_offset_ = 0;

    CBFormatDescriptor* known(std::uint8_t index) {
        const auto found = std::find_if(formats_.begin(), formats_.end(), [&](const auto& format) { return format.buffer_index == index; });
        return found == formats_.end() ? nullptr : &*found;
    }
    CBFormatDescriptor& format(std::uint8_t index, const Here& here) {
        if (CBFormatDescriptor* format = known(index)) {
            return *format;
        }
        tileproof::refuse(here, "cb {}: no data format was given for this index, which the buffer does not have", index);
    }
};

// Runtime arguments of a core, which may be changed between runs.
struct RuntimeArgsData {
    std::vector<std::uint32_t> words{};
    std::uint32_t& operator[](std::size_t index) { return words.at(index); }
    const std::uint32_t& operator[](std::size_t index) const { return words.at(index); }
    std::uint32_t& at(std::size_t index) { return words.at(index); }
    const std::uint32_t& at(std::size_t index) const { return words.at(index); }
    std::uint32_t* data() { return words.data(); }
    const std::uint32_t* data() const { return words.data(); }
    std::size_t size() const { return words.size(); }
    auto begin() { return words.begin(); }
    auto end() { return words.end(); }
};

}  // namespace tt::tt_metal
