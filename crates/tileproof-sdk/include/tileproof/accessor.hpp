// The words by which kernels find the pages of a buffer.
#pragma once

#include "mesh.hpp"

namespace tensor_accessor {
enum class ArgConfig : std::uint8_t { None = 0, IsDram = 1, RuntimeTensorShape = 2, RuntimeShardShape = 4, RuntimeBankCoords = 8, RuntimeNumBanks = 16, RuntimeRank = 32 };
struct ArgsConfig {
    std::uint8_t bits = 0;
    ArgsConfig(ArgConfig flag = ArgConfig::None) : bits(static_cast<std::uint8_t>(flag)) {}
};
}  // namespace tensor_accessor

namespace tt::tt_metal {

namespace tensor_accessor = ::tensor_accessor;

class TensorAccessorArgs {
public:
    TensorAccessorArgs() = default;
    explicit TensorAccessorArgs(
        const Buffer& buffer, ::tensor_accessor::ArgsConfig config = {}, const Here& here = Here::current()) :
        words_(buffer.accessor_words(here)) {
        if (config.bits > 1) {
            tileproof::refuse(here, "TensorAccessorArgs: parts of an accessor at run time are not modelled");
        }
    }
    // A null pointer stands for a tensor that the program does not have this time.
    explicit TensorAccessorArgs(
        const Buffer* buffer, ::tensor_accessor::ArgsConfig config = {}, const Here& here = Here::current()) :
        TensorAccessorArgs(buffer ? TensorAccessorArgs(*buffer, config, here) : of_none(here)) {}
    explicit TensorAccessorArgs(
        const std::shared_ptr<Buffer>& buffer, ::tensor_accessor::ArgsConfig config = {}, const Here& here = Here::current()) :
        TensorAccessorArgs(buffer.get(), config, here) {}
    explicit TensorAccessorArgs(
        const distributed::MeshBuffer& buffer, ::tensor_accessor::ArgsConfig config = {}, const Here& here = Here::current()) :
        TensorAccessorArgs(*buffer.get_backing_buffer(), config, here) {}
    explicit TensorAccessorArgs(
        const distributed::MeshBuffer* buffer, ::tensor_accessor::ArgsConfig config = {}, const Here& here = Here::current()) :
        TensorAccessorArgs(buffer ? buffer->get_backing_buffer() : nullptr, config, here) {}
    explicit TensorAccessorArgs(
        const std::shared_ptr<distributed::MeshBuffer>& buffer, ::tensor_accessor::ArgsConfig config = {}, const Here& here = Here::current()) :
        TensorAccessorArgs(buffer.get(), config, here) {}

    void append_to(std::vector<std::uint32_t>& compile_time_args) const {
        compile_time_args.insert(compile_time_args.end(), words_.begin(), words_.end());
    }
    void append_to(std::vector<std::uint32_t>& compile_time_args, std::vector<std::uint32_t>&) const { append_to(compile_time_args); }
    std::vector<std::uint32_t> get_compile_time_args() const { return words_; }
    std::vector<std::uint32_t> get_common_runtime_args() const { return {}; }

private:
    std::vector<std::uint32_t> words_;

    static TensorAccessorArgs of_none(const Here& here) {
        const tileproof::door::Where where(here);
        std::uint32_t words[8] = {};
        std::uint64_t count = 8;
        tileproof::door::done(tileproof::door::tileproof_accessor_words(0, 0, words, &count, &where));
        TensorAccessorArgs none;
        none.words_.assign(words, words + count);
        return none;
    }
};

}  // namespace tt::tt_metal
