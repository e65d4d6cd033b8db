"""Programs on a device: `generic_op`."""

import hashlib
import os
import tempfile

from .._audits import trial
from ..report import Report, judge
from ..settings import current
from .descriptors import (
    CBDescriptor,
    CBFormatDescriptor,
    ComputeConfigDescriptor,
    DataMovementConfigDescriptor,
    KernelDescriptor,
    MeshProgramDescriptor,
    ProgramDescriptor,
    ReaderConfigDescriptor,
    WriterConfigDescriptor,
)
from .enums import NOC, NOC_MODE, UnpackToDestMode, require, unsigned
from .runtime_args import L1Address, encoded
from .tensor import NAMES, NUMPY, Origin, Tensor

class TensorAccessorArgs:
    """The words by which kernels find the pages of a tensor."""

    def __init__(self, tensor):
        require("TensorAccessorArgs", "tensor", tensor, Tensor)._alive()
        if tensor.device() is None:
            raise RuntimeError("Expected Tensor with DeviceStorage, got StorageType::HOST: the tensor is not on a device")
        self._words = list(tensor.device()._core().accessor_words(tensor._id))

    def get_compile_time_args(self):
        """Words for `compile_time_args`."""
        return list(self._words)

    def get_common_runtime_args(self):
        """Words for `common_runtime_args`: none, all are compile-time."""
        return []


def cb_descriptor_from_sharded_tensor(cb_index, tensor, address_offset=0, total_size=0, core_ranges=None):
    """A circular buffer whose memory is a sharded tensor's."""
    unsigned("cb_descriptor_from_sharded_tensor", "cb_index", cb_index, 8)
    require("cb_descriptor_from_sharded_tensor", "tensor", tensor, Tensor)._on_device("Tensor")
    if not tensor.is_sharded():
        raise RuntimeError("Tensor must be sharded to automatically create a CBDescriptor")
    page = tensor.buffer_page_size()
    spec = tensor.memory_config().shard_spec
    rows, columns = spec.shape
    pages = rows // 32 * (columns // 32) if tensor.layout.name == "TILE" else rows
    size = pages * tensor.buffer_aligned_page_size() if total_size == 0 else total_size
    form = CBFormatDescriptor(buffer_index=cb_index, data_format=tensor.dtype, page_size=page)
    cb = CBDescriptor(total_size=size, core_ranges=core_ranges or spec.grid, format_descriptors=[form])
    cb.address_offset = address_offset
    cb._set_buffer(tensor)
    return cb


def get_cb_address(cb):
    """The address of a circular buffer that a tensor backs; the offset alone without one."""
    require("get_cb_address", "descriptor", cb, CBDescriptor)
    return L1Address(cb.address_offset if cb._tensor is None else int(cb._tensor.buffer_address()) + cb.address_offset)


def _ranges(core_ranges):
    return [(r.start.x, r.start.y, r.end.x, r.end.y) for r in core_ranges.ranges()]


def _source(kernel):
    """The file of a kernel: that of a text is named by what is in it."""
    if kernel.source_type is KernelDescriptor.SourceType.SOURCE_CODE:
        return _kept(kernel.kernel_source)
    roots = ["", *(os.environ[name] for name in ("TT_METAL_KERNEL_PATH", "TT_METAL_HOME") if os.environ.get(name))]
    for root in roots:
        path = os.path.join(root, kernel.kernel_source)
        if os.path.isfile(path):
            return path
    raise RuntimeError(f"Kernel file {kernel.kernel_source} doesn't exist in any of the searched paths: the current folder, $TT_METAL_KERNEL_PATH, $TT_METAL_HOME")


def _kept(text):
    name = hashlib.sha256(text.encode()).hexdigest()[:16]
    folder = os.path.join(tempfile.gettempdir(), f"tileproof-sources-{os.getuid()}")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if os.stat(folder).st_uid != os.getuid():
        raise RuntimeError(f"{folder} belongs to another user")
    path = os.path.join(folder, f"Kernel_Source_Code_{name}.cpp")
    if not os.path.exists(path):
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as file:
            file.write(text)
        os.replace(file.name, path)
    return path


def _config(config):
    """Data movement (processor, NoC, dynamic) or compute, of which one is None."""
    if isinstance(config, ReaderConfigDescriptor):
        return (1, 0, False), None
    if isinstance(config, WriterConfigDescriptor):
        return (0, 1, False), None
    if isinstance(config, DataMovementConfigDescriptor):
        noc = 1 if config.noc in (NOC.NOC_1, NOC.RISCV_1_default) else 0
        return (config.processor.value, noc, config.noc_mode is NOC_MODE.DM_DYNAMIC_NOC), None
    require("KernelDescriptor", "config", config, ComputeConfigDescriptor)
    to_dest = [i for i, mode in enumerate(config.unpack_to_dest_mode) if mode is UnpackToDestMode.UnpackToDestFp32]
    return None, {
        "math_fidelity": config.math_fidelity.name,
        "fp32_dest_acc_en": config.fp32_dest_acc_en,
        "math_approx_mode": config.math_approx_mode,
        "dst_full_sync_en": config.dst_full_sync_en,
        "bfp8_pack_precise": config.bfp8_pack_precise,
        "unpack_to_dest_fp32": to_dest,
    }


def _kernel(kernel):
    data_movement, compute = _config(kernel.config)
    if compute and compute["math_fidelity"] == "Invalid":
        raise RuntimeError("config: math_fidelity is MathFidelity.Invalid")
    cores = [(core.x, core.y) for core, _ in kernel.runtime_args]
    if len(set(cores)) < len(cores):
        raise RuntimeError(f"runtime_args: a core is there twice, among {cores}")
    return {
        "source": _source(kernel),
        "core_ranges": _ranges(kernel.core_ranges),
        "data_movement": data_movement,
        "compute": compute,
        "compile_time_args": encoded(kernel.compile_time_args),
        "named_compile_time_args": [(name, int(value)) for name, value in kernel.named_compile_time_args],
        "defines": list(kernel.defines),
        "include_dirs": [str(path) for path in kernel.compiler_include_paths],
        "runtime_args": [(core.x, core.y, encoded(words)) for core, words in kernel.runtime_args],
        "common_runtime_args": encoded(kernel.common_runtime_args),
    }


def _format(form):
    if form.data_format not in NUMPY:
        raise RuntimeError(f"cb {form.buffer_index}: data_format {form.data_format} is not modelled")
    return NAMES[form.data_format]


def _tile(tile):
    return (32, 32) if tile is None else (tile.height, tile.width)


def _cb(cb):
    if cb.has_buffer():
        cb._tensor._on_device("Tensor of a circular buffer")
    return {
        "total_size": cb.total_size,
        "core_ranges": _ranges(cb.core_ranges),
        "tensor": (cb._tensor._id, cb.address_offset) if cb.has_buffer() else None,
        "formats": [(f.buffer_index, _format(f), f.page_size, _tile(f.tile)) for f in cb.format_descriptors],
    }


def _key(launch, io_tensors):
    """What the program cache knows a program by: everything but addresses and runtime arguments."""
    left_out = ("runtime_args", "common_runtime_args")
    kernels = [[(k, v) for k, v in kernel.items() if k not in left_out] for kernel in launch["kernels"]]
    cbs = [(cb["total_size"], cb["core_ranges"], cb["tensor"] is not None, cb["formats"]) for cb in launch["cbs"]]
    return repr((kernels, cbs, launch["semaphores"], [t._described() for t in io_tensors]))


def _program(program):
    if isinstance(program, MeshProgramDescriptor):
        if len(program) != 1:
            raise RuntimeError(f"a MeshProgramDescriptor of {len(program)} programs: there is one simulated chip")
        (program,) = program.values()
    return require("generic_op", "program_descriptor", program, ProgramDescriptor)


def generic_op(io_tensors, program_descriptor):
    """Runs a program on tensors of a device; the last is its output, which is returned.

    Whatever is found wrong raises `tileproof.FindingsError`, unless settings ask for something else.
    """
    program = _program(program_descriptor)
    io_tensors = [require("generic_op", f"io_tensors[{i}]", tensor, Tensor) for i, tensor in enumerate(io_tensors)]
    if not io_tensors:
        raise RuntimeError("io_tensors must not be empty: give at least one input tensor and one output tensor")
    if len(io_tensors) == 1:
        raise RuntimeError("io_tensors must contain at least one input tensor and one output tensor, got 1 tensors.")
    for i, tensor in enumerate(io_tensors):
        tensor._on_device(f"Tensor io_tensors[{i}]")
    device = io_tensors[-1].device()
    if any(tensor.device() is not device for tensor in io_tensors):
        raise RuntimeError("io_tensors must all be on one device")
    launch = {
        "kernels": [_kernel(kernel) for kernel in program.kernels],
        "cbs": [_cb(cb) for cb in program.cbs],
        "semaphores": [(s.id, _ranges(s.core_ranges), s.initial_value) for s in program.semaphores],
    }
    settings = current()
    undefined = _undefined(io_tensors[:-1])
    ids, watched = [tensor._id for tensor in io_tensors], trial()
    if watched is None:
        report = Report(device._core().run("generic_op", launch, ids, settings.options()))
    else:
        report = Report(watched.run(device._core(), launch, ids, settings.options()))
    if device._cache_enabled:
        device._programs[_key(launch, io_tensors)] = True
    device._keep(report)
    io_tensors[-1].tileproof = Origin(True, "kernels, bit for bit", report)
    if watched is None:
        judge(report, settings)
    elif watched.judge(report, settings):
        return io_tensors[-1]
    _read_undefined(undefined, report)
    return io_tensors[-1]


def _undefined(tensors):
    """Inputs with pages that nobody has written: place, tensor, and how many pages are written."""
    found = []
    for place, tensor in enumerate(tensors):
        pages = tensor.device()._core().undefined_pages(tensor._id)
        if pages is not None:
            found.append((place, tensor, tensor.buffer_num_pages() - pages[0]))
    return found


def _read_undefined(undefined, report):
    """Refuses what came of inputs that kernels read and nobody has written: as many pages were read as are not all among those written."""
    if not undefined or report.status != "completed":
        return
    read = {tensor["name"]: tensor["pages_read"] for tensor in report.document["tensors"] if tensor["pages_written"] == 0}
    for place, tensor, written in undefined:
        pages = read.get(f"io_tensors[{place}]", 0)
        if pages > written:
            total = tensor.buffer_num_pages()
            raise RuntimeError(
                f"io_tensors[{place}]: kernels read {pages} of its {total} pages, of which {written} were ever written: what the others hold is undefined"
            )
