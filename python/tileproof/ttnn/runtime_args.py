"""Arguments of kernels: words, by core."""

from .cores import CoreCoord, core_of
from .enums import unsigned, wrong_type


class L1Address(int):
    """An address of L1: an offset, the same on every core. A kernel gets it as an address of its own core."""

    __slots__ = ()

    def __add__(self, other):
        return L1Address(int(self) + other)

    __radd__ = __add__

    def __sub__(self, other):
        return int(self) - other if isinstance(other, L1Address) else L1Address(int(self) - other)


def word(value):
    """A word of a list of words, which must be unsigned."""
    return unsigned("VectorUInt32", "arg", value)


def runtime_arg(value):
    """A runtime argument of a kernel that is being described: ttnn says of a wrong one no more than `std::bad_cast`."""
    try:
        return word(value)
    except TypeError:
        raise RuntimeError(f"std::bad_cast: runtime arg {value!r} of type {type(value).__name__} is no integer from 0 to 2^32 - 1") from None


def encoded(values):
    """Words for the library: an offset in L1 has bit 32 set."""
    return [int(v) | 1 << 32 if isinstance(v, L1Address) else int(v) for v in values]


class Words(list):
    """Arguments of one core; each is checked when it is put in."""

    def __init__(self, values=()):
        super().__init__(map(word, values))

    def append(self, value):
        super().append(word(value))

    def extend(self, values):
        super().extend(map(word, values))

    def insert(self, place, value):
        super().insert(place, word(value))

    def __setitem__(self, place, value):
        super().__setitem__(place, [word(v) for v in value] if isinstance(place, slice) else word(value))

    def __iadd__(self, values):  # type: ignore[misc]
        self.extend(values)
        return self


    def __repr__(self):
        return f"ttnn._ttnn.program_descriptor.VectorUInt32({list(self)})"


class _Column:
    """The cores of a column: `runtime_args[x]`."""

    __slots__ = ("_args", "_x")

    def __init__(self, args, x):
        self._args, self._x = args, unsigned("RuntimeArgs", "x", x)

    def __getitem__(self, y):
        words = self._args._find(self._x, y)
        if words is None:
            raise IndexError(f"No runtime args found for CoreCoord({self._x}, {y})")
        return words

    def __setitem__(self, y, values):
        self._args._set(CoreCoord(self._x, y), Words(values))

    def append(self, y, value):
        """Adds a word to a core's."""
        self[y].append(value)

    def extend(self, y, values):
        """Adds words to a core's."""
        self[y].extend(values)


class RuntimeArgs:
    """Runtime arguments by core: `args[x][y] = [..]`."""

    __slots__ = ("_pairs",)

    def __init__(self):
        self._pairs = []

    def _find(self, x, y):
        return next((words for core, words in self._pairs if (core.x, core.y) == (x, y)), None)

    def _set(self, core, words):
        for place, (known, _) in enumerate(self._pairs):
            if known == core:
                self._pairs[place] = (core, words)
                return
        self._pairs.append((core, words))

    def __getitem__(self, x):
        return _Column(self, x)

    def append(self, core, values):
        """Adds a core with its words."""
        self._pairs.append((core_of("RuntimeArgs.append", "core", core), Words(values)))

    def get(self, place):
        """The core and the words at a place."""
        return self._pairs[place]

    def to_list(self):
        """Cores with their words."""
        return list(self._pairs)

    def clear(self):
        """Forgets all."""
        self._pairs.clear()

    def __iter__(self):
        return iter(self.to_list())

    def __len__(self):
        return len(self._pairs)

    def __repr__(self):
        return f"RuntimeArgs({self._pairs})"

    @staticmethod
    def copy_of(args):
        """A copy of arguments in any of their forms."""
        copy = RuntimeArgs()
        if isinstance(args, RuntimeArgs):
            copy._pairs = [(core, Words(values)) for core, values in args._pairs]
            return copy
        if args is None:
            raise wrong_type("KernelDescriptor", "runtime_args", args, "a RuntimeArgs or a list of (CoreCoord, [words])")
        try:
            copy._pairs = [(core_of("KernelDescriptor", "runtime_args", core), Words(map(runtime_arg, values))) for core, values in args]
        except (TypeError, ValueError):
            raise RuntimeError(f"std::bad_cast: runtime_args is {args!r}, expected a RuntimeArgs or a list of (CoreCoord, [words])") from None
        return copy
