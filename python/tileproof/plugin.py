"""With the real `ttnn` installed: what it does on a device is done here, and its own tensors and programs go in.

    import ttnn
    import tileproof.plugin

    tileproof.plugin.install()      # from here on ttnn.open_device, ttnn.generic_op, ... are those of tileproof.ttnn

Names that `tileproof.ttnn` has take the place of those of `ttnn`; all others stay. Tensors on the host, memory configs, cores and
descriptors that the real package made, before or by code that keeps names of its own, are taken wherever ours are.
"""

import contextlib
import functools
import importlib
import inspect
from collections.abc import Iterator
from typing import Any

import tileproof.ttnn as ours

from .ttnn import descriptors, enums

__all__ = ["from_real", "install", "installed", "to_real", "uninstall"]

_replaced: dict[str, Any] = {}
"""What stood in the real module, by name; empty when it is as it was."""


_applied: dict[str, Any] = {}
"""What stands there instead."""


class _Missing:
    """What the real module does not have."""


def _real():
    try:
        module = importlib.import_module("ttnn")
    except ImportError as error:
        raise ImportError("tileproof.plugin needs the real ttnn; without it tileproof.ttnn takes its place: import tileproof.ttnn as ttnn") from error
    if module is ours:
        raise RuntimeError("ttnn is tileproof.ttnn already: there is no real one to change")
    return module


_FORMATS = {number: dtype for dtype, number in descriptors._TT_FORMATS.items()}
"""Formats of circular buffers by the number that the real package gives them."""


def _set(ttnn, names):
    for name, value in names.items():
        if value is _Missing:
            delattr(ttnn, name)
        else:
            setattr(ttnn, name, value)


@contextlib.contextmanager
def _as_it_was(ttnn):
    """The real module with its own names: its functions look them up."""
    _set(ttnn, _replaced)
    try:
        yield
    finally:
        _set(ttnn, _applied)


def _kernel(kernel):
    cores = [core for core_range in from_real(kernel.core_ranges).ranges() for core in ours.corerange_to_cores(ours.CoreRangeSet([core_range]))]
    runtime_args = []
    for core in cores:
        # The real object has no list of what is set: a core that has none says so.
        with contextlib.suppress(IndexError):
            runtime_args.append((core, list(kernel.runtime_args[core.x][core.y])))
    return ours.KernelDescriptor(
        kernel_source=kernel.kernel_source,
        source_type=ours.KernelDescriptor.SourceType[kernel.source_type.name],
        core_ranges=from_real(kernel.core_ranges),
        compile_time_args=list(kernel.compile_time_args),
        named_compile_time_args=list(kernel.named_compile_time_args),
        defines=list(kernel.defines),
        runtime_args=runtime_args,
        common_runtime_args=list(kernel.common_runtime_args),
        config=from_real(kernel.config),
    )


def _format(form):
    number = form.data_format_as_uint8
    if number not in _FORMATS:
        raise RuntimeError(f"cb {form.buffer_index}: data format {number} is not modelled")
    data_format: Any = _FORMATS[number]
    return ours.CBFormatDescriptor(form.buffer_index, data_format, form.page_size)


def _cb(cb):
    if cb.has_buffer():
        raise RuntimeError("CBDescriptor: it lies on a tensor of a real device; make it of a tensor of the simulated one")
    return ours.CBDescriptor(cb.total_size, from_real(cb.core_ranges), [_format(form) for form in cb.format_descriptors])


def _compute(config):
    made = ours.ComputeConfigDescriptor(
        math_fidelity=from_real(config.math_fidelity),
        math_approx_mode=config.math_approx_mode,
        fp32_dest_acc_en=config.fp32_dest_acc_en,
        dst_full_sync_en=config.dst_full_sync_en,
        bfp8_pack_precise=config.bfp8_pack_precise,
    )
    made.unpack_to_dest_mode = ours.VectorUnpackToDestMode([from_real(mode) for mode in config.unpack_to_dest_mode])
    return made


def _tensor(tensor):
    if tensor.storage_type().name != "HOST":
        raise RuntimeError("Tensor: it lies on a real device; ttnn.from_device brings it to the host first")
    ttnn = _real()
    with _as_it_was(ttnn):
        values = ttnn.to_torch(tensor)
    return ours.from_torch(values, dtype=from_real(tensor.dtype), layout=from_real(tensor.layout))


_MADE_OF = {
    "Tensor": _tensor,
    "KernelDescriptor": _kernel,
    "CBDescriptor": _cb,
    "CBFormatDescriptor": _format,
    "ComputeConfigDescriptor": _compute,
    "ReaderConfigDescriptor": lambda _: ours.ReaderConfigDescriptor(),
    "WriterConfigDescriptor": lambda _: ours.WriterConfigDescriptor(),
    "DataMovementConfigDescriptor": lambda c: ours.DataMovementConfigDescriptor(from_real(c.processor), from_real(c.noc), from_real(c.noc_mode)),
    "SemaphoreDescriptor": lambda s: ours.SemaphoreDescriptor(s.id, from_real(s.core_type), from_real(s.core_ranges), s.initial_value),
    "ProgramDescriptor": lambda p: ours.ProgramDescriptor(
        [from_real(kernel) for kernel in p.kernels], [from_real(semaphore) for semaphore in p.semaphores], [from_real(cb) for cb in p.cbs]
    ),
    "CoreCoord": lambda c: ours.CoreCoord(c.x, c.y),
    "CoreRange": lambda r: ours.CoreRange(from_real(r.start), from_real(r.end)),
    "CoreRangeSet": lambda s: ours.CoreRangeSet([from_real(r) for r in s.ranges()]),
    "CoreGrid": lambda g: ours.CoreGrid(y=g.y, x=g.x),
    "Shape": lambda s: ours.Shape(list(s)),
    "Tile": lambda t: ours.Tile(tuple(t.tile_shape)),
    "ShardSpec": lambda s: ours.ShardSpec(from_real(s.grid), list(s.shape), from_real(s.orientation)),
    "MemoryConfig": lambda m: ours.MemoryConfig(from_real(m.memory_layout), from_real(m.buffer_type), m.shard_spec and from_real(m.shard_spec)),
}
"""How ours is made of an object of the real package, by the name of its class."""


def from_real(value: Any) -> Any:
    """Ours for an object of the real package, also within lists, tuples and dictionaries; anything else is as it is."""
    kind = type(value)
    if kind in (list, tuple):
        return kind(from_real(each) for each in value)
    if kind is dict:
        return {from_real(key): from_real(each) for key, each in value.items()}
    if not kind.__module__.startswith("ttnn."):
        return value
    known = getattr(enums, kind.__name__, None)
    if inspect.isclass(known) and issubclass(known, enums.Named):
        if value.name not in known.__members__:
            raise RuntimeError(f"{kind.__name__}.{value.name}: there is none in tileproof.ttnn")
        return known[value.name]
    make = _MADE_OF.get(kind.__name__)
    return make(value) if make else value


def to_real(tensor: ours.Tensor) -> Any:
    """A tensor of ours, from the device or the host, as one of the real package on the host."""
    ttnn, values = _real(), ours.to_torch(tensor)
    with _as_it_was(ttnn):
        return ttnn.from_torch(values, dtype=ttnn.DataType[tensor.dtype.name], layout=ttnn.Layout[tensor.layout.name])


def _taking_real(function):
    """A function of ours that takes objects of the real package too."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        return function(*from_real(args), **{name: from_real(value) for name, value in kwargs.items()})

    return call


def _kind_taking_real(kind):
    """A class of ours whose objects are made of and set to those of the real package too."""

    class Kind(kind):
        def __init__(self, *args, **kwargs):
            super().__init__(*from_real(args), **{name: from_real(value) for name, value in kwargs.items()})

        def __setattr__(self, name, value):
            super().__setattr__(name, from_real(value))

    Kind.__name__, Kind.__qualname__, Kind.__doc__ = kind.__name__, kind.__qualname__, kind.__doc__
    return Kind


def install() -> None:
    """Has the real `ttnn` do here what it would do on a device."""
    ttnn = _real()
    if _replaced:
        return
    for name in sorted(vars(ours)):
        value = getattr(ours, name)
        if name.startswith("_") or inspect.ismodule(value) and name != "device":
            continue
        if inspect.isfunction(value):
            value = _taking_real(value)
        elif inspect.isclass(value) and issubclass(value, descriptors._Described):
            value = _kind_taking_real(value)
        _replaced[name], _applied[name] = vars(ttnn).get(name, _Missing), value
    _set(ttnn, _applied)


def uninstall() -> None:
    """Leaves the real `ttnn` as it was."""
    _set(_real(), _replaced)
    _replaced.clear()
    _applied.clear()


@contextlib.contextmanager
def installed() -> Iterator[None]:
    """The same for the time of a `with`."""
    install()
    try:
        yield
    finally:
        uninstall()
