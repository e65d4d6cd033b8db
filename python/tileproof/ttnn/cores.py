"""Cores, rectangles and sets of them, and how work is divided over them."""

from .enums import require, unsigned


class CoreCoord:
    """A core by its logical coordinates."""

    __slots__ = ("x", "y")

    def __init__(self, x, y=None):
        if y is None:
            require("CoreCoord", "x", x, (tuple, list))
            x, y = x
        self.x = unsigned("CoreCoord", "x", x)
        self.y = unsigned("CoreCoord", "y", y)

    def __eq__(self, other):
        return (self.x, self.y) == (other.x, other.y) if isinstance(other, CoreCoord) else NotImplemented

    def __lt__(self, other):
        return (self.x, self.y) < (other.x, other.y)

    def __hash__(self):
        return hash((self.x, self.y))

    def __repr__(self):
        return f"{self.x}-{self.y}"


class CoreRange:
    """A rectangle of cores, both corners included."""

    __slots__ = ("start", "end")

    def __init__(self, start, end):
        self.start = require("CoreRange", "start", start, CoreCoord)
        self.end = require("CoreRange", "end", end, CoreCoord)
        if start.x > end.x or start.y > end.y:
            raise RuntimeError(f"Invalid core range for start_coord: {start}, end_coord: {end}")

    def contains(self, other):
        """Whether a core, a range or all ranges of a set lie in it."""
        if isinstance(other, CoreCoord):
            other = CoreRange(other, other)
        if isinstance(other, CoreRangeSet):
            return all(self.contains(r) for r in other.ranges())
        return self.start.x <= other.start.x and self.start.y <= other.start.y and other.end.x <= self.end.x and other.end.y <= self.end.y

    def intersects(self, other):
        """Whether both have a core."""
        return self.start.x <= other.end.x and other.start.x <= self.end.x and self.start.y <= other.end.y and other.start.y <= self.end.y

    def grid_size(self):
        """Columns and rows."""
        return CoreCoord(self.end.x - self.start.x + 1, self.end.y - self.start.y + 1)

    def size(self):
        """Cores."""
        grid = self.grid_size()
        return grid.x * grid.y

    def __eq__(self, other):
        return (self.start, self.end) == (other.start, other.end) if isinstance(other, CoreRange) else NotImplemented

    def __lt__(self, other):
        return (self.start, self.end) < (other.start, other.end)

    def __hash__(self):
        return hash((self.start, self.end))

    def __repr__(self):
        return f"[{self.start} - {self.end}]"


class CoreRangeSet:
    """Rectangles of cores that do not overlap."""

    __slots__ = ("_ranges",)

    def __init__(self, core_ranges=()):
        if isinstance(core_ranges, CoreRange):
            core_ranges = [core_ranges]
        elif isinstance(core_ranges, CoreRangeSet):
            core_ranges = core_ranges.ranges()
        elif isinstance(core_ranges, (set, frozenset)):
            core_ranges = sorted(core_ranges)
        try:
            ranges = list(core_ranges)
        except TypeError:
            raise require("CoreRangeSet", "core_ranges", core_ranges, (list, set, CoreRange)) from None
        for i, r in enumerate(ranges):
            require("CoreRangeSet", "core_ranges", r, CoreRange)
            for other in ranges[:i]:
                if other.intersects(r):
                    raise RuntimeError(f"Cannot create CoreRangeSet with specified core ranges because core ranges {other} and {r} overlap!")
        self._ranges = ranges

    def ranges(self):
        """The rectangles."""
        return list(self._ranges)

    def size(self):
        """Rectangles."""
        return len(self._ranges)

    def empty(self):
        """Whether there is none."""
        return not self._ranges

    def num_cores(self):
        """Cores."""
        return sum(r.size() for r in self._ranges)

    def contains(self, other):
        """Whether all cores of a core, a range or a set are in it."""
        cores = _cores_of(other)
        return all(any(r.contains(c) for r in self._ranges) for c in cores)

    def intersects(self, other):
        """Whether both have a core."""
        return any(self.contains(c) for c in _cores_of(other))

    def bounding_box(self):
        """The smallest rectangle around all."""
        if not self._ranges:
            raise RuntimeError("Cannot get bounding_box of an empty CoreRangeSet!")
        starts, ends = [r.start for r in self._ranges], [r.end for r in self._ranges]
        return CoreRange(
            CoreCoord(min(c.x for c in starts), min(c.y for c in starts)), CoreCoord(max(c.x for c in ends), max(c.y for c in ends))
        )

    def merge(self, other):
        """The cores of both."""
        more = [c for c in _cores_of(other) if not self.contains(c)]
        return CoreRangeSet(self._ranges + _rectangles(more))

    def subtract(self, other):
        """The cores that the other does not have."""
        other = CoreRangeSet(other)
        return CoreRangeSet(_rectangles([c for c in _cores_of(self) if not other.contains(c)]))

    def __eq__(self, other):
        return self._ranges == other._ranges if isinstance(other, CoreRangeSet) else NotImplemented

    def __hash__(self):
        return hash(tuple(self._ranges))

    def __repr__(self):
        return "{" + ", ".join(map(str, self._ranges)) + "}"


class CoreGrid:
    """Rows and columns of cores."""

    __slots__ = ("x", "y")

    def __init__(self, *, y, x):
        self.x, self.y = unsigned("CoreGrid", "x", x), unsigned("CoreGrid", "y", y)

    @property
    def num_cores(self):
        """Cores."""
        return self.x * self.y

    def __eq__(self, other):
        return (self.x, self.y) == (other.x, other.y) if isinstance(other, CoreGrid) else NotImplemented

    def __hash__(self):
        return hash((self.x, self.y))

    def __repr__(self):
        return f"ttnn.CoreGrid(x={self.x}, y={self.y})"


def _cores_of(cores, row_wise=False):
    if isinstance(cores, CoreCoord):
        return [cores]
    ranges = [cores] if isinstance(cores, CoreRange) else cores.ranges()
    found = []
    for r in ranges:
        xs, ys = range(r.start.x, r.end.x + 1), range(r.start.y, r.end.y + 1)
        found += [CoreCoord(x, y) for y in ys for x in xs] if row_wise else [CoreCoord(x, y) for x in xs for y in ys]
    return found


def _rectangles(cores):
    """Columns of cores that follow each other as rectangles."""
    ranges = []
    for core in cores:
        if ranges and ranges[-1].start.x == core.x == ranges[-1].end.x and ranges[-1].end.y + 1 == core.y:
            ranges[-1] = CoreRange(ranges[-1].start, core)
        else:
            ranges.append(CoreRange(core, core))
    return ranges


def corerange_to_cores(core_ranges, max_cores=None, row_wise=False):
    """The cores of ranges, one after the other."""
    cores = _cores_of(core_ranges, row_wise)
    return cores if max_cores is None else cores[:max_cores]


def grid_to_cores(num_cores, grid_size_x, grid_size_y=None, row_wise=False):
    """The first cores of a grid; or those between two corners."""
    if isinstance(num_cores, CoreCoord):
        start, end, row_wise = num_cores, grid_size_x, bool(grid_size_y) or row_wise
        return _cores_of(CoreRange(start, end), row_wise)
    if num_cores > grid_size_x * grid_size_y:
        raise RuntimeError(f"Number of cores {num_cores} exceeds grid size {grid_size_x}x{grid_size_y}")
    if row_wise:
        return [CoreCoord(i % grid_size_x, i // grid_size_x) for i in range(num_cores)]
    return [CoreCoord(i // grid_size_y, i % grid_size_y) for i in range(num_cores)]


def _grid_ranges(first, count, grid, row_wise):
    """Places `first` to `first + count` of a grid as rectangles: the rest of a line, whole lines, the begin of one."""
    line, lines = (grid.x, grid.y) if row_wise else (grid.y, grid.x)

    def piece(a0, b0, a1, b1):
        corners = ((a0, b0), (a1, b1)) if row_wise else ((b0, a0), (b1, a1))
        return CoreRange(CoreCoord(*corners[0]), CoreCoord(*corners[1]))

    if first + count > line * lines:
        raise RuntimeError(f"{first + count} cores are more than the grid of {grid.x} x {grid.y} has")
    ranges, end = [], first + count
    if first % line and first < end:
        until = min(end, (first // line + 1) * line)
        ranges.append(piece(first % line, first // line, (until - 1) % line, first // line))
        first = until
    if (end - first) >= line:
        ranges.append(piece(0, first // line, line - 1, end // line - 1))
        first = end // line * line
    if first < end:
        ranges.append(piece(0, first // line, (end - 1) % line, first // line))
    return CoreRangeSet(ranges)


def num_cores_to_corerangeset(target_num_cores, grid_size, row_wise=False):
    """The first cores of a grid as rectangles."""
    return _grid_ranges(0, target_num_cores, grid_size, row_wise)


def split_work_to_cores(grid_size, units_to_divide, row_wise=False):
    """Divides units over the cores of a grid: the number of cores, all of them, those that get more and those that get fewer, and how many units each of them gets."""
    empty = CoreRangeSet()
    if units_to_divide == 0:
        return 0, empty, empty, empty, 0, 0
    is_grid = isinstance(grid_size, (CoreCoord, CoreGrid))
    if is_grid:
        most = grid_size.x * grid_size.y
    else:
        cores = _cores_of(require("split_work_to_cores", "core_grid", grid_size, (CoreRangeSet, CoreRange, CoreCoord)), row_wise)
        most = len(cores)
    if most == 0:
        raise RuntimeError("split_work_to_cores: there is no core to divide the work over")
    num_cores = min(units_to_divide, most)

    def part(first, count):
        return _grid_ranges(first, count, grid_size, row_wise) if is_grid else CoreRangeSet(_rectangles(cores[first : first + count]))

    few, rest = divmod(units_to_divide, num_cores)
    if rest == 0:
        return num_cores, part(0, num_cores), part(0, num_cores), empty, few, 0
    return num_cores, part(0, num_cores), part(0, rest), part(rest, num_cores - rest), few + 1, few
