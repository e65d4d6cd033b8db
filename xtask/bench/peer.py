"""Times LayerNorm of ttnn on the full-system simulator, for `cargo xtask bench --peer`.

    peer.py FOLDER LIBTTSIM.so [TT_METAL]

FOLDER keeps the simulator's folder, the kernels as they are compiled, and what ttnn compiles of them. TT_METAL is a checkout
of tt-metal, whose tt-train holds the kernels of backward: no wheel has them.

Prints `ready`, then reads cases from standard input, one a line, and answers each with a line {"seconds": S}:

    forward H W        ttnn.layer_norm of bf16, H rows by W, gamma and beta, 32-bit Dst, HiFi4
    backward N C H W   layernorm_bw of tt-train with its program factory's layout
    program FILE       a program file of C++ kernels, its inputs uniform from -1 (or what its fill says) to 1

The first time that a case is asked for, it runs once before: kernels are compiled then, and its result is looked at.
"""
import importlib.util
import json
import math
import os
import pathlib
import re
import shutil
import sys
import time

try:
    import tomllib
except ModuleNotFoundError:
    # Before Python 3.11 pip brings the reader.
    from pip._vendor import tomli as tomllib

# What ttnn and the simulator print goes to standard error: standard output is for the answers.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

folder, library = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
tt_metal = pathlib.Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else None

spec = importlib.util.find_spec("ttnn")
if spec is None:
    sys.exit("peer.py: this Python has no ttnn")
# The simulator wants the description of the chip beside it.
simulator = folder / "simulator"
simulator.mkdir(parents=True, exist_ok=True)
shutil.copyfile(library, simulator / library.name)
description = pathlib.Path(spec.origin).parent / "tt_metal" / "soc_descriptors" / "wormhole_b0_80_arch.yaml"
shutil.copyfile(description, simulator / "soc_descriptor.yaml")
os.environ.update(
    TT_METAL_SIMULATOR=str(simulator / library.name),
    TT_METAL_SLOW_DISPATCH_MODE="1",
    TT_METAL_DISABLE_SFPLOADMACRO="1",
    TT_METAL_CACHE=str(folder / "compiled"),
)
# It writes a folder `generated` where it is started.
os.chdir(folder)

import numpy as np  # noqa: E402
import ttnn  # noqa: E402

device = ttnn.open_device(device_id=0)
random = np.random.default_rng(0)


def bf16(values):
    """Nearest bf16, as float32."""
    bits = np.asarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)


def put(values):
    tensor = ttnn.Tensor(np.ascontiguousarray(values, np.float32), ttnn.bfloat16)
    return ttnn.to_device(ttnn.to_layout(tensor, ttnn.TILE_LAYOUT), device)


def get(tensor):
    rows = ttnn.to_layout(ttnn.from_device(tensor), ttnn.ROW_MAJOR_LAYOUT)
    return np.array(rows.to_list(), np.float32)


def forward(height, width):
    x = bf16(random.uniform(-1, 1, (1, 1, height, width)))
    gamma = bf16(random.uniform(0, 1, (1, 1, 1, width)))
    beta = np.zeros((1, 1, 1, width), np.float32)
    x_there, gamma_there, beta_there = put(x), put(gamma), put(beta)
    config = ttnn.WormholeComputeKernelConfig(
        math_fidelity=ttnn.MathFidelity.HiFi4, math_approx_mode=False, fp32_dest_acc_en=True, packer_l1_acc=False
    )
    # The other reduction unpacks 32-bit data straight to Dst, which ttsim 1.10.0 refuses for wide rows.
    program = ttnn.LayerNormDefaultProgramConfig(legacy_reduction=True, legacy_rsqrt=True, use_welford=False)

    def run():
        return ttnn.layer_norm(
            x_there, epsilon=1e-5, weight=gamma_there, bias=beta_there, compute_kernel_config=config, program_config=program
        )

    wide = x.astype(np.float64)
    expected = (wide - wide.mean(-1, keepdims=True)) / np.sqrt(wide.var(-1, keepdims=True) + 1e-5) * gamma + beta
    error = np.abs(get(run()) - expected).max()
    if not error < 0.05:
        sys.exit(f"peer.py: ttnn.layer_norm is off by {error}")
    return run


# Names of the older interface that ttnn 0.79 has no more. The product's start-up stands for the same work, with the formats
# of its two sources the other way round: other bits in the result, the same time.
OLD_NAMES = """
#include <algorithm>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"
namespace ckernel {
ALWI void binary_op_init_common(uint32_t a, uint32_t b, uint32_t out) { compute_kernel_hw_startup(a, b, out); }
ALWI void mm_init(uint32_t a, uint32_t b, uint32_t out, uint32_t transpose = 0) {
    compute_kernel_hw_startup<SrcOrder::Reverse>(a, b, out);
    matmul_init(a, b, transpose);
}
}  // namespace ckernel
"""


def kernel(name):
    """A copy of a kernel of tt-train that ttnn 0.79 compiles: includes, entry and names of the older interface renamed."""
    common = "tt-train/sources/ttml/metal/common/"
    text = (tt_metal / "tt-train/sources/ttml/metal/ops/layernorm_bw/device/kernels" / name).read_text()
    # What it includes of tt-train stands in its place, since ttnn has no folder of it to look in.
    text = re.sub(r'#include "(tt-train/[^"]+)"', lambda found: (tt_metal / found[1]).read_text(), text)
    if common in text:
        sys.exit(f"peer.py: {name} includes more of {common} than is known here")
    text = text.replace("#pragma once", "")
    text = re.sub(r'#include "(?:tt_metal/include/)?compute_kernel_api/', '#include "api/compute/', text)
    text = re.sub(r'#include "dataflow_api.h"', '#include "api/dataflow/dataflow_api.h"', text)
    # What only prints, in a way that ttnn 0.79 has no more.
    text = re.sub(r'#include "debug/.*\n', "", text)
    text = re.sub(r"void print_tile\(.*?\n}\n", "", text, flags=re.DOTALL)
    if name.startswith("compute/"):
        text = re.sub(r"namespace\s+NAMESPACE\s*\{", "", text)
        text = re.sub(r"\b(?:inline\s+)?void\s+MAIN\s*\{", "void kernel_main() {", text)
        text = re.sub(r"\}\s*//\s*namespace\s+NAMESPACE", "", text)
        text = OLD_NAMES + text
    path = folder / "kernels" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


def backward(*shape):
    """Layout of the public program factory: crates/tileproof-ops/src/layernorm_bw/public_layout.rs says from where."""
    if tt_metal is None:
        sys.exit("peer.py: backward needs a checkout of tt-metal")
    n, c, height, width = shape
    x, dy = bf16(random.uniform(-1, 1, shape)), bf16(random.uniform(-1, 1, shape))
    gamma = bf16(random.uniform(0, 1, (1, 1, 1, width)))
    wide = x.astype(np.float64)
    mean, rstd = wide.mean(-1, keepdims=True), 1 / np.sqrt(wide.var(-1, keepdims=True) + 1e-6)
    inputs = [put(values) for values in (gamma, x, bf16(mean), bf16(rstd), dy)]
    outputs = [
        ttnn.allocate_tensor_on_device(
            ttnn.Shape(shape), ttnn.bfloat16, ttnn.TILE_LAYOUT, device, ttnn.DRAM_MEMORY_CONFIG
        )
        for _ in ("dx", "dgamma", "dbeta")
    ]

    rows, columns, block = n * c * math.ceil(height / 32), math.ceil(width / 32), 3
    if columns <= 162:
        sys.exit("peer.py: only rows that do not fit in L1 are laid out here")
    grid = device.compute_with_storage_grid_size()
    used = min(rows, grid.x * grid.y)
    parts, start = [], 0
    for index in range(used):
        count = rows // used + (index < rows % used)
        parts.append((ttnn.CoreCoord(index // grid.y, index % grid.y), start, count))
        start += count

    def cores(of):
        return ttnn.CoreRangeSet([ttnn.CoreRange(core, core) for core, _, _ in of])

    def runtime(tensors):
        args = ttnn.RuntimeArgs()
        for core, first, count in parts:
            args[core.x][core.y] = [tensor.buffer_address() for tensor in tensors] + [first, count]
        return args

    def accessors(tensors):
        return [word for tensor in tensors for word in ttnn.TensorAccessorArgs(tensor).get_compile_time_args()]

    pages = [1, 1, 6, 6, 1, 6, 6, 1, 1, 6, 6, 6, 1, 1, 1]
    cbs = []
    for index, count in enumerate(pages):
        data_format, page = (ttnn.float32, 4096) if index >= 13 else (ttnn.bfloat16, 2048)
        entry = ttnn.CBFormatDescriptor(buffer_index=index, data_format=data_format, page_size=page)
        cbs.append(ttnn.CBDescriptor(total_size=count * page, core_ranges=cores(parts), format_descriptors=[entry]))
    defines = [("DO_MASK_W", "1")] if width % 32 else []
    # 1/N in bf16, cut off, twice in a word.
    scaler = int(np.float32(1 / width).view(np.uint32)) >> 16
    scaler |= scaler << 16
    kernels = [
        ttnn.KernelDescriptor(
            kernel_source=kernel("dataflow/reader_layernorm_bw_interleaved_start_id.cpp"),
            core_ranges=cores(parts),
            compile_time_args=[scaler, block, width % 32, columns, *accessors(inputs)],
            defines=defines,
            runtime_args=runtime(inputs),
            config=ttnn.ReaderConfigDescriptor(),
        ),
        ttnn.KernelDescriptor(
            kernel_source=kernel("dataflow/writer_layernorm_bw_interleaved_start_id.cpp"),
            core_ranges=cores(parts),
            compile_time_args=[block, columns, *accessors(outputs)],
            defines=defines,
            runtime_args=runtime(outputs),
            config=ttnn.WriterConfigDescriptor(),
        ),
    ]
    # The number of rows is a compile-time argument: cores with one more have a kernel of their own.
    for count in sorted({count for _, _, count in parts}):
        kernels.append(
            ttnn.KernelDescriptor(
                kernel_source=kernel("compute/layernorm_bw_kernel.cpp"),
                core_ranges=cores([part for part in parts if part[2] == count]),
                compile_time_args=[count, block, width % 32, columns],
                defines=defines,
                runtime_args=ttnn.RuntimeArgs(),
                config=ttnn.ComputeConfigDescriptor(
                    math_fidelity=ttnn.MathFidelity.HiFi4, fp32_dest_acc_en=True, math_approx_mode=False
                ),
            )
        )
    program = ttnn.ProgramDescriptor(kernels=kernels, semaphores=[], cbs=cbs)

    def run():
        ttnn.generic_op([*inputs, *outputs], program)

    run()
    # The gradient of beta is dy of each row, untouched, and tells that every tile has been through.
    if not (get(outputs[2]) == dy).all():
        sys.exit("peer.py: the public kernels gave another dbeta than dy")
    return run


FIDELITIES = {name: getattr(ttnn.MathFidelity, name) for name in ("LoFi", "HiFi2", "HiFi3", "HiFi4")}
FORMATS = {"bfloat16": ttnn.bfloat16, "float32": ttnn.float32}


def filled(tensor):
    """A tensor of a program file on the device."""
    layout = ttnn.TILE_LAYOUT if tensor.get("layout", "tile") == "tile" else ttnn.ROW_MAJOR_LAYOUT
    shape = tensor["shape"]
    if tensor["dtype"] != "bfloat16":
        sys.exit(f"peer.py: tensors of {tensor['dtype']} are not made here")
    if "fill" not in tensor:
        return ttnn.allocate_tensor_on_device(
            ttnn.Shape(shape), ttnn.bfloat16, layout, device, ttnn.DRAM_MEMORY_CONFIG
        )
    kind, _, bounds = tensor["fill"].partition(":")
    bounds = [float(bound) for bound in bounds.split(",")] if bounds else [0, 1]
    values = np.full(shape, bounds[0]) if kind == "constant" else random.uniform(*bounds, shape)
    made = ttnn.Tensor(np.ascontiguousarray(values, np.float32), ttnn.bfloat16)
    return ttnn.to_device(ttnn.to_layout(made, layout), device)


def kernel_of(path, is_compute):
    """A copy of a kernel that ttnn 0.79 compiles; kernels without older names are taken as they are."""
    text = path.read_text()
    if is_compute and "mm_init(" in text:
        text = OLD_NAMES + text
    copy = folder / "kernels" / path.parent.name / path.name
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(text)
    for header in path.parent.glob("*.h"):
        shutil.copyfile(header, copy.parent / header.name)
    return str(copy)


def program(path):
    path = pathlib.Path(path)
    said = tomllib.loads(path.read_text())
    tensors = {tensor["name"]: filled(tensor) for tensor in said["tensor"]}

    def cores(ranges):
        core = lambda at: ttnn.CoreCoord(*at)
        return ttnn.CoreRangeSet([ttnn.CoreRange(core(first), core(last)) for first, last in ranges])

    def words(arguments):
        out = []
        for argument in arguments:
            if not isinstance(argument, dict):
                out.append(argument)
            elif "address" in argument:
                out.append(tensors[argument["address"]].buffer_address())
            elif "tensor_accessor" in argument:
                out += ttnn.TensorAccessorArgs(tensors[argument["tensor_accessor"]]).get_compile_time_args()
            elif "noc_x" in argument or "noc_y" in argument:
                side, at = next(iter(argument.items()))
                there = device.worker_core_from_logical_core(ttnn.CoreCoord(*at))
                out.append(there.x if side == "noc_x" else there.y)
            else:
                sys.exit(f"peer.py: {path}: an argument {argument} is not known here")
        return out

    cbs = []
    for cb in said["cb"]:
        entries = [
            ttnn.CBFormatDescriptor(
                buffer_index=entry["buffer_index"],
                data_format=FORMATS[entry["data_format"]],
                page_size=entry["page_size"],
            )
            for entry in cb["format_descriptors"]
        ]
        cbs.append(
            ttnn.CBDescriptor(
                total_size=cb["total_size"], core_ranges=cores(cb["core_ranges"]), format_descriptors=entries
            )
        )
    kernels = []
    for part in said["kernel"]:
        config = part["config"]
        if config == "reader":
            made = ttnn.ReaderConfigDescriptor()
        elif config == "writer":
            made = ttnn.WriterConfigDescriptor()
        else:
            options = dict(config["compute"])
            fidelity = FIDELITIES[options.pop("math_fidelity", "HiFi4")]
            made = ttnn.ComputeConfigDescriptor(math_fidelity=fidelity, **options)
        runtime = ttnn.RuntimeArgs()
        for given in part.get("runtime_args", []):
            x, y = given["core"]
            runtime[x][y] = words(given["args"])
        kernels.append(
            ttnn.KernelDescriptor(
                kernel_source=kernel_of((path.parent / part["kernel_source"]).resolve(), isinstance(config, dict)),
                core_ranges=cores(part["core_ranges"]),
                compile_time_args=words(part.get("compile_time_args", [])),
                defines=[tuple(pair) for pair in part.get("defines", [])],
                runtime_args=runtime,
                config=made,
            )
        )
    semaphores = [
        ttnn.SemaphoreDescriptor(
            id=semaphore["id"],
            core_ranges=cores(semaphore["core_ranges"]),
            initial_value=semaphore.get("initial_value", 0),
        )
        for semaphore in said.get("semaphore", [])
    ]
    described = ttnn.ProgramDescriptor(kernels=kernels, semaphores=semaphores, cbs=cbs)
    given = [tensors[tensor["name"]] for tensor in sorted(said["tensor"], key=lambda tensor: "output" in tensor)]

    def run():
        ttnn.generic_op(given, described)

    run()
    return run


known = {}
print("ready", file=answers, flush=True)
for line in sys.stdin:
    if line not in known:
        what, *rest = line.split()
        if what == "program":
            known[line] = program(line.split(maxsplit=1)[1].strip())
        else:
            known[line] = {"forward": forward, "backward": backward}[what](*map(int, rest))
    begin = time.perf_counter()
    known[line]()
    ttnn.synchronize_device(device)
    print(json.dumps({"seconds": time.perf_counter() - begin}), file=answers, flush=True)
