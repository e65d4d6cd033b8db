// Calls an op that was exported, as a program of tt-metal would.
#include <cmath>
#include <cstdio>

#include <tt-metalium/host_api.hpp>

#include "ttnn/operations/rmsnorm/rmsnorm.hpp"

using namespace tt::tt_metal;

int main() {
    const auto device = distributed::MeshDevice::create_unit_mesh(0);
    const auto tensor = [&](const ttnn::Shape& shape, float scale) {
        std::vector<float> values(shape.volume());
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = bfloat16(scale * (static_cast<float>(i * 7 % 32) - 11) / 16).to_float();
        }
        const TensorSpec spec(shape, TensorLayout(DataType::BFLOAT16, Layout::TILE, MemoryConfig{}));
        return std::pair(values, ttnn::Tensor::from_vector(values, spec, device.get()));
    };
    // Of 70 rows of tiles some cores have two and some one.
    for (const std::uint32_t rows : {40u, 40u, 70u * 32}) {
        const std::uint32_t width = 96;
        const auto [x, x_on_device] = tensor({1, 1, rows, width}, 1);
        const auto [gamma, gamma_on_device] = tensor({1, 1, 1, width}, 2);
        const auto y = ttnn::rmsnorm(x_on_device, gamma_on_device, 1e-3f).to_vector<float>();
        double worst = 0;
        for (std::uint32_t row = 0; row < rows; ++row) {
            double squares = 0;
            for (std::uint32_t i = 0; i < width; ++i) {
                squares += double{x[row * width + i]} * x[row * width + i];
            }
            for (std::uint32_t i = 0; i < width; ++i) {
                const double wanted = x[row * width + i] / std::sqrt(squares / width + 1e-3) * gamma[i];
                worst = std::fmax(worst, std::abs(y[row * width + i] - wanted) / (0.01 + std::abs(wanted)));
            }
        }
        std::printf("%u rows %s, %zu kept\n", rows, worst < 0.01 ? "right" : "wrong", device->num_program_cache_entries());
    }
    // What the conditions of its description refuse.
    for (const auto& [width, of_gamma] : {std::pair(33u, 33u), std::pair(64u, 32u)}) {
        try {
            ttnn::rmsnorm(tensor({1, 1, 32, width}, 1).second, tensor({1, 1, 1, of_gamma}, 1).second);
        } catch (const std::exception& error) {
            const std::string text = error.what();
            std::printf("%s\n", text.substr(text.find("info:") + 6).c_str());
        }
    }
    device->close();
}
