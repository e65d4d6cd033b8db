// Device operations: checked, given output tensors, made into a program once, and run. A program is kept by its hash and run again
// with what `override_runtime_arguments` changes, as on a card; what it forgets is found (TP0105).
#pragma once

#include <any>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>

#include "../difference.hpp"
#include "../run.hpp"
#include "hash.hpp"

namespace tt::tt_metal::program_cache::detail {

template <typename Shared>
struct CachedProgram {
    Program program;
    Shared shared_variables;
    CachedProgram(Program&& program, Shared&& shared) : program(std::move(program)), shared_variables(std::move(shared)) {}
};

template <typename Shared>
struct CachedMeshWorkload {
    distributed::MeshWorkload workload;
    Shared shared_variables;
    CachedMeshWorkload(distributed::MeshWorkload&& workload, Shared&& shared) :
        workload(std::move(workload)), shared_variables(std::move(shared)) {}
};

template <typename Shared>
using AdaptedCachedMeshWorkload = CachedMeshWorkload<std::unordered_map<distributed::MeshCoordinateRange, Shared>>;

}  // namespace tt::tt_metal::program_cache::detail

namespace tt::tt_metal::operation {

using Tensors = std::vector<Tensor>;

// What an operation expects of itself, for tt-metal's profiler, which alone asks for it: here nobody does.
template <typename Outputs = Tensors>
struct OpPerformanceModelGeneral {
    using OutputTensors = Outputs;
    int ideal_compute_cycles = 1;
    OpPerformanceModelGeneral() = default;
    OpPerformanceModelGeneral(const Tensors&, const Outputs&, int ideal_compute_cycles) : ideal_compute_cycles(ideal_compute_cycles) {}
};
using OpPerformanceModel = OpPerformanceModelGeneral<>;

}  // namespace tt::tt_metal::operation

namespace ttnn {

using tt::tt_metal::distributed::MeshCoordinate;
using tt::tt_metal::distributed::MeshCoordinateRange;
using tt::tt_metal::distributed::MeshDevice;

// The places of a mesh that an operation runs on: here the only one that there is.
class MeshCoordinateRangeSet {
public:
    MeshCoordinateRangeSet() : ranges_{MeshCoordinateRange(MeshCoordinate(0, 0))} {}
    explicit MeshCoordinateRangeSet(const MeshCoordinateRange& range) : ranges_{range} {}
    void merge(const MeshCoordinateRange&) {}
    const std::vector<MeshCoordinateRange>& ranges() const { return ranges_; }
    std::vector<MeshCoordinate> coords() const { return {ranges_[0].start_coord()}; }
    bool empty() const { return false; }

private:
    std::vector<MeshCoordinateRange> ranges_;
};

}  // namespace ttnn

namespace ttnn::device_operation {

using tt::tt_metal::program_cache::detail::AdaptedCachedMeshWorkload;
using tt::tt_metal::program_cache::detail::CachedMeshWorkload;
using tt::tt_metal::program_cache::detail::CachedProgram;
using tileproof::Here;

template <typename Operation>
concept DeviceOperationConcept = requires {
    typename Operation::operation_attributes_t;
    typename Operation::tensor_args_t;
    typename Operation::tensor_return_value_t;
} && requires(const typename Operation::operation_attributes_t& attributes, const typename Operation::tensor_args_t& tensors) {
    Operation::create_output_tensors(attributes, tensors);
};

namespace detail {

template <typename Operation>
using Attributes = typename Operation::operation_attributes_t;
template <typename Operation>
using Tensors = typename Operation::tensor_args_t;
template <typename Operation>
using Returned = typename Operation::tensor_return_value_t;

// A program or workload of one factory: made, changed for the tensors of a later call, run.
template <typename Operation, typename Factory>
class Made {
public:
    static constexpr bool describes = requires(const Attributes<Operation>& a, const Tensors<Operation>& t, Returned<Operation>& r) {
        Factory::create_descriptor(a, t, r);
    };
    static constexpr bool is_of_mesh = requires { typename Factory::cached_mesh_workload_t; };

    static auto make(const Attributes<Operation>& attributes, const Tensors<Operation>& tensors, Returned<Operation>& returned, const Here& here) {
        if constexpr (describes) {
            return tt::tt_metal::Program(Factory::create_descriptor(attributes, tensors, returned), here);
        } else if constexpr (requires { Factory::create_mesh_workload(attributes, MeshCoordinateRangeSet(), tensors, returned); }) {
            return Factory::create_mesh_workload(attributes, MeshCoordinateRangeSet(), tensors, returned);
        } else if constexpr (is_of_mesh) {
            const MeshCoordinate only(0, 0);
            auto made = Factory::create_at(attributes, only, tensors, returned);
            tt::tt_metal::distributed::MeshWorkload workload;
            workload.add_program(MeshCoordinateRange(only), std::move(made.program));
            std::unordered_map<MeshCoordinateRange, typename Factory::shared_variables_t> shared;
            shared.emplace(MeshCoordinateRange(only), std::move(made.shared_variables));
            return typename Factory::cached_mesh_workload_t(std::move(workload), std::move(shared));
        } else {
            return Factory::create(attributes, tensors, returned);
        }
    }
    using Kept = decltype(make(std::declval<const Attributes<Operation>&>(), std::declval<const Tensors<Operation>&>(), std::declval<Returned<Operation>&>(), std::declval<const Here&>()));

    static void renew(Kept& kept, const Attributes<Operation>& attributes, const Tensors<Operation>& tensors, Returned<Operation>& returned, const Here& here) {
        if constexpr (describes) {
            // A description has its arguments in it: it is made anew, as on a card its arguments are.
            kept = make(attributes, tensors, returned, here);
        } else {
            Factory::override_runtime_arguments(kept, attributes, tensors, returned);
        }
    }

    // What a kept program has left of an earlier call: what one that is made for this call has otherwise. A factory that makes buffers
    // of its own, or the same thing never twice, cannot be asked.
    static std::optional<tt::tt_metal::Program::Difference> left(
        const Kept& kept, const Attributes<Operation>& attributes, const Tensors<Operation>& tensors, Returned<Operation>& returned, const Here& here) {
        if constexpr (!describes) {
            if (tileproof::door::tileproof_looks_for_stale()) {
                const std::uint64_t buffers = tt::tt_metal::Buffer::made;
                const Kept once = make(attributes, tensors, returned, here);
                const auto left = program(kept).difference(program(once));
                if (left && !program(once).difference(program(make(attributes, tensors, returned, here))) && tt::tt_metal::Buffer::made == buffers) {
                    return left;
                }
            }
        }
        return std::nullopt;
    }

    static const tt::tt_metal::Program& program(const Kept& kept) {
        if constexpr (describes) {
            return kept;
        } else if constexpr (requires { kept.workload; }) {
            return kept.workload.get_programs().begin()->second;
        } else {
            return kept.program;
        }
    }

    // It is told of where the factory makes it: who launches an operation by its name is in no file.
    static void run(const Kept& kept, std::uint64_t device, const Here& here) { program(kept).run(device, program(kept).made_at(here)); }
};

template <typename Operation>
void validate(bool is_kept, const Attributes<Operation>& attributes, const Tensors<Operation>& tensors) {
    if constexpr (requires { Operation::validate_on_program_cache_hit(attributes, tensors); }) {
        if (is_kept) {
            return Operation::validate_on_program_cache_hit(attributes, tensors);
        }
    }
    if constexpr (requires { Operation::validate_on_program_cache_miss(attributes, tensors); }) {
        Operation::validate_on_program_cache_miss(attributes, tensors);
    }
}

// The number that a program is kept by; none where a field is of a kind that has no number.
template <typename Operation>
std::optional<std::uint64_t> program_hash(const Attributes<Operation>& attributes, const Tensors<Operation>& tensors) {
    if constexpr (requires { Operation::compute_program_hash(attributes, tensors); }) {
        return Operation::compute_program_hash(attributes, tensors);
    } else {
        tileproof::Hasher hasher;
        hasher.add(tileproof::type_number<Operation>());
        hasher.of(attributes);
        hasher.of(tensors);
        return hasher.complete ? std::optional(hasher.hash) : std::nullopt;
    }
}

template <typename Operation, typename Factory>
void run(
    const Factory&, std::optional<std::uint64_t> hash, tt::tt_metal::distributed::MeshDevice& device, const Attributes<Operation>& attributes,
    const Tensors<Operation>& tensors, Returned<Operation>& returned, const Here& here) {
    using Program = Made<Operation, Factory>;
    std::any* kept = hash ? device.get_program_cache().find(*hash) : nullptr;
    if (!kept) {
        auto made = std::make_shared<typename Program::Kept>(Program::make(attributes, tensors, returned, here));
        Program::run(*made, device.number(), here);
        if (hash) {
            device.get_program_cache().keep(*hash, std::move(made));
        }
        return;
    }
    auto* program = std::any_cast<std::shared_ptr<typename Program::Kept>>(kept);
    if (!program) {
        tileproof::refuse(here, "{}: another operation has a program with the same hash {}: its compute_program_hash leaves out which operation it is, or which factory", tileproof::type_name<Operation>(), *hash);
    }
    Program::renew(**program, attributes, tensors, returned, here);
    if (const auto left = Program::left(**program, attributes, tensors, returned, here)) {
        const tileproof::door::Where where(here);
        const std::string operation(tileproof::type_name<Operation>());
        const auto word = [](std::size_t at) { return static_cast<std::uint32_t>(at); };
        const tileproof::door::Stale stale{
            operation, left->what, left->own, left->others, left->is_argument, {word(left->core.x), word(left->core.y)}, left->here};
        tileproof::judge(tileproof::door::tileproof_stale(device.number(), &stale, &where));
    }
    Program::run(**program, device.number(), here);
}

}  // namespace detail

template <typename Operation>
typename Operation::tensor_return_value_t launch(
    const typename Operation::operation_attributes_t& attributes, const typename Operation::tensor_args_t& tensors, const Here& here = Here::current()) {
    auto returned = Operation::create_output_tensors(attributes, tensors);
    tt::tt_metal::distributed::MeshDevice* device = nullptr;
    const auto take = [&](const tt::tt_metal::Tensor& tensor) { device = device ? device : tensor.device(); };
    tileproof::each_tensor(tensors, take);
    tileproof::each_tensor(returned, take);
    const std::optional<std::uint64_t> hash =
        device && device->get_program_cache().is_enabled() ? detail::program_hash<Operation>(attributes, tensors) : std::nullopt;
    const bool is_kept = hash && device->get_program_cache().find(*hash);
    detail::validate<Operation>(is_kept, attributes, tensors);
    if (!device) {
        tileproof::refuse(here, "{}: none of its tensors is on a device", tileproof::type_name<Operation>());
    }
    if constexpr (requires { Operation::select_program_factory(attributes, tensors); }) {
        std::visit(
            [&](const auto& factory) { detail::run<Operation>(factory, hash, *device, attributes, tensors, returned, here); },
            Operation::select_program_factory(attributes, tensors));
    } else if constexpr (requires { typename Operation::program_factory_t; }) {
        static_assert(std::variant_size_v<typename Operation::program_factory_t> == 1, "an operation with several factories has select_program_factory");
        using Only = std::variant_alternative_t<0, typename Operation::program_factory_t>;
        detail::run<Operation>(Only{}, hash, *device, attributes, tensors, returned, here);
    } else {
        // An operation that is its own factory.
        detail::run<Operation>(Operation{}, hash, *device, attributes, tensors, returned, here);
    }
    return returned;
}

namespace detail {
template <typename Operation>
auto invoke(const Attributes<Operation>& attributes, const Tensors<Operation>& tensors, const Here& here = Here::current()) {
    return launch<Operation>(attributes, tensors, here);
}
}  // namespace detail

}  // namespace ttnn::device_operation
