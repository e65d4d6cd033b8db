"""Arguments of kernels: words, by core."""

from .cores import CoreCoord
from .enums import require


class L1Address(int):
    """An address of L1: an offset, the same on every core. A kernel gets it as an address of its own core."""

    __slots__ = ()

    def __add__(self, other):
        return L1Address(int(self) + other)

    __radd__ = __add__

    def __sub__(self, other):
        return int(self) - other if isinstance(other, L1Address) else L1Address(int(self) - other)


def word(value):
    """A runtime argument, which must be an unsigned word."""
    if isinstance(value, bool) or not isinstance(value, int):
        try:
            if isinstance(value, (bool, float)):
                raise AttributeError
            value = value.__index__()
        except AttributeError:
            raise RuntimeError(f"std::bad_cast: runtime arg {value!r} is of type {type(value).__name__}, expected an integer from 0 to 2^32 - 1") from None
    if not 0 <= value < 1 << 32:
        raise RuntimeError(f"std::bad_cast: runtime arg {int(value)} is out of range, expected an integer from 0 to 2^32 - 1")
    return value


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

    def __iadd__(self, values):
        self.extend(values)
        return self


class _Column:
    """The cores of a column: `runtime_args[x]`."""

    __slots__ = ("_args", "_x")

    def __init__(self, args, x):
        self._args, self._x = args, x

    def __getitem__(self, y):
        try:
            return self._args._by_core[self._x, y]
        except KeyError:
            raise IndexError(f"No runtime args found for CoreCoord({self._x}, {y})") from None

    def __setitem__(self, y, values):
        self._args._by_core[self._x, y] = Words(values)

    def append(self, y, value):
        """Adds a word to a core's."""
        self._args._by_core.setdefault((self._x, y), Words()).append(value)

    def extend(self, y, values):
        """Adds words to a core's."""
        self._args._by_core.setdefault((self._x, y), Words()).extend(values)


class RuntimeArgs:
    """Runtime arguments by core: `args[x][y] = [..]`."""

    __slots__ = ("_by_core",)

    def __init__(self, args=()):
        self._by_core = {}
        for core, values in args:
            self.append(core, values)

    def __getitem__(self, x):
        return _Column(self, x)

    def append(self, core, values):
        """Adds words to a core's."""
        core = require("RuntimeArgs.append", "core", core, CoreCoord)
        self._by_core.setdefault((core.x, core.y), Words()).extend(values)

    def extend(self, args):
        """Adds words to those of several cores."""
        for core, values in args:
            self.append(core, values)

    def get(self, place):
        """The core and the words at a place."""
        return self.to_list()[place]

    def to_list(self):
        """Cores with their words."""
        return [(CoreCoord(x, y), values) for (x, y), values in self._by_core.items()]

    def clear(self):
        """Forgets all."""
        self._by_core.clear()

    def __iter__(self):
        return iter(self.to_list())

    def __len__(self):
        return len(self._by_core)

    def __repr__(self):
        return f"RuntimeArgs({self.to_list()})"

    @staticmethod
    def copy_of(args):
        """A copy of arguments in any of their forms."""
        if isinstance(args, RuntimeArgs):
            copy = RuntimeArgs()
            copy._by_core = {core: Words(values) for core, values in args._by_core.items()}
            return copy
        try:
            pairs = [(core, list(values)) for core, values in args]
        except (TypeError, ValueError):
            pairs = None
        if pairs is None or not all(isinstance(core, CoreCoord) for core, _ in pairs):
            raise TypeError(f"KernelDescriptor(): incompatible function arguments: runtime_args is {args!r}, expected a RuntimeArgs or a list of (CoreCoord, [words])")
        return RuntimeArgs(pairs)
