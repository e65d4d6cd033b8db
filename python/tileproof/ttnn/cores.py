"""Cores, rectangles and sets of them, and how work is divided over them."""

from .enums import require, unsigned


class CoreCoord:
    """A core by its logical coordinates."""

    __slots__ = ("_x", "_y")

    def __init__(self, x, y=None):
        if y is None:
            x, y = require("CoreCoord", "x", x, tuple)
        self._x = unsigned("CoreCoord", "x", x)
        self._y = unsigned("CoreCoord", "y", y)

    @property
    def x(self):
        """Column."""
        return self._x

    @property
    def y(self):
        """Row."""
        return self._y

    def __eq__(self, other):
        if isinstance(other, tuple):
            return (self._x, self._y) == other
        return (self._x, self._y) == (other._x, other._y) if isinstance(other, CoreCoord) else NotImplemented

    def __hash__(self):
        return hash((self._x, self._y))

    def __repr__(self):
        return f"{self._x}-{self._y}"


def core_of(where, name, value):
    """The value as a core: a pair of numbers is one too."""
    if isinstance(value, tuple) and len(value) == 2:
        return CoreCoord(*value)
    return require(where, name, value, CoreCoord)


class CoreRange:
    """A rectangle of cores, both corners included."""

    __slots__ = ("_start", "_end")

    def __init__(self, start, end):
        self._start = start = core_of("CoreRange", "start", start)
        self._end = end = core_of("CoreRange", "end", end)
        if start.x > end.x or start.y > end.y:
            raise RuntimeError(f"Invalid core range for start_coord: {start}, end_coord: {end}")

    @property
    def start(self):
        """Upper left corner."""
        return self._start

    @property
    def end(self):
        """Lower right corner."""
        return self._end

    def contains(self, other):
        """Whether a core, a range or all ranges of a set lie in it."""
        if isinstance(other, (CoreCoord, tuple)):
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

    def __hash__(self):
        return hash((self.start, self.end))

    def __repr__(self):
        return f"[{self.start} - {self.end}]"


class CoreRangeSet:
    """Rectangles of cores that do not overlap."""

    __slots__ = ("_ranges",)

    def __init__(self, core_ranges):
        if isinstance(core_ranges, (set, frozenset)):
            core_ranges = sorted(core_ranges, key=_corner)
        ranges = list(require("CoreRangeSet", "core_ranges", core_ranges, (list, tuple, set, frozenset)))
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
        """The cores of both, in rectangles as wide as can be."""
        rows = {}
        for core in _cores_of(self) + _cores_of(other):
            rows.setdefault(core.y, set()).add(core.x)
        done, growing = [], {}
        for y in range(max(rows, default=-1) + 2):
            runs = _runs(rows.get(y, ()))
            # What the row does not go on with is whole.
            done += [(run, first, y - 1) for run, first in growing.items() if run not in runs]
            growing = {run: growing.get(run, y) for run in runs}
        ranges = [CoreRange(CoreCoord(run[0], first), CoreCoord(run[1], end)) for run, first, end in done]
        return CoreRangeSet(sorted(ranges, key=_corner))

    def subtract(self, other):
        """The cores that the other does not have: of each rectangle what is left, right, above and below."""
        left = self.ranges()
        for hole in require("subtract", "other", other, CoreRangeSet).ranges():
            left = [piece for r in left for piece in _without(r, hole)]
        return CoreRangeSet(left)

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

    def __repr__(self):
        return f"ttnn.CoreGrid(x={self.x}, y={self.y})"


def _cores_of(cores, row_wise=False):
    if isinstance(cores, (CoreCoord, tuple)):
        return [core_of("CoreRangeSet", "core", cores)]
    ranges = [cores] if isinstance(cores, CoreRange) else cores.ranges()
    found = []
    for r in ranges:
        xs, ys = range(r.start.x, r.end.x + 1), range(r.start.y, r.end.y + 1)
        found += [CoreCoord(x, y) for y in ys for x in xs] if row_wise else [CoreCoord(x, y) for x in xs for y in ys]
    return found


def _corner(r):
    return r.start.x, r.start.y, r.end.x, r.end.y


def _runs(columns):
    """Columns that follow each other, as pairs of the first and the last."""
    runs = []
    for x in sorted(columns):
        if runs and runs[-1][1] + 1 == x:
            runs[-1] = (runs[-1][0], x)
        else:
            runs.append((x, x))
    return runs


def _without(r, hole):
    """The rectangles of one that another leaves."""
    if not r.intersects(hole):
        return [r]
    x0, x1 = max(r.start.x, hole.start.x), min(r.end.x, hole.end.x)
    y0, y1 = max(r.start.y, hole.start.y), min(r.end.y, hole.end.y)
    corners = [
        (r.start.x, r.start.y, x0 - 1, r.end.y),
        (x1 + 1, r.start.y, r.end.x, r.end.y),
        (x0, r.start.y, x1, y0 - 1),
        (x0, y1 + 1, x1, r.end.y),
    ]
    return [CoreRange(CoreCoord(a, b), CoreCoord(c, d)) for a, b, c, d in corners if a <= c and b <= d]


def corerange_to_cores(core_ranges, max_cores=None, row_wise=False):
    """The cores of ranges, one after the other."""
    cores = _cores_of(core_ranges, row_wise)
    return cores if max_cores is None else cores[:max_cores]


def grid_to_cores(num_cores, grid_size_x, grid_size_y=None, row_wise=False):
    """The first cores of a grid; or those between two corners."""
    if isinstance(num_cores, CoreCoord):
        start, end, row_wise = num_cores, grid_size_x, bool(grid_size_y) or row_wise
        return _cores_of(CoreRange(start, end), row_wise)
    if row_wise:
        return [CoreCoord(i % grid_size_x, i // grid_size_x) for i in range(num_cores)]
    return [CoreCoord(i // grid_size_y, i % grid_size_y) for i in range(num_cores)]


def _grid_ranges(first, count, grid, row_wise, origin=(0, 0)):
    """Places `first` to `first + count` of a grid as rectangles: the rest of a line, whole lines, the begin of one."""
    line, lines = (grid.x, grid.y) if row_wise else (grid.y, grid.x)

    def piece(a0, b0, a1, b1):
        corners = ((a0, b0), (a1, b1)) if row_wise else ((b0, a0), (b1, a1))
        return CoreRange(*(CoreCoord(origin[0] + x, origin[1] + y) for x, y in corners))

    if first + count > line * lines:
        raise RuntimeError(f"Target number of cores {first + count} is greater than total number of available cores {line * lines}")
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
    return ranges


def _set_ranges(first, count, cores, row_wise):
    """The same over the rectangles of a set, one after the other."""
    ranges = []
    for r in cores.ranges():
        here = max(0, min(count, r.size() - first))
        if here:
            ranges += _grid_ranges(first, here, r.grid_size(), row_wise, (r.start.x, r.start.y))
        first, count = max(0, first - r.size()), count - here
    return ranges


def num_cores_to_corerangeset(target_num_cores, grid_size, row_wise=False):
    """The first cores of a grid as rectangles."""
    return CoreRangeSet(_grid_ranges(0, target_num_cores, grid_size, row_wise))


def num_cores_to_corerangeset_in_subcoregrids(start_core, target_num_cores, sub_core_grids, row_wise=False):
    """Cores of a set as rectangles, from one on."""
    first = _cores_of(sub_core_grids, row_wise).index(core_of("num_cores_to_corerangeset_in_subcoregrids", "start_core", start_core))
    if first + target_num_cores > sub_core_grids.num_cores():
        raise RuntimeError(f"Target number of cores {target_num_cores} is greater than total number of available cores {sub_core_grids.num_cores() - first}")
    return CoreRangeSet(_set_ranges(first, target_num_cores, sub_core_grids, row_wise))


def split_work_to_cores(grid_size, units_to_divide, row_wise=False):
    """Divides units over the cores of a grid: the number of cores, all of them, those that get more and those that get fewer, and how many units each of them gets."""
    empty = CoreRangeSet([])
    unsigned("split_work_to_cores", "units_to_divide", units_to_divide)
    if units_to_divide == 0:
        return 0, empty, empty, empty, 0, 0
    if isinstance(grid_size, (CoreCoord, CoreGrid)):
        most = grid_size.x * grid_size.y
        ranges = _grid_ranges
    else:
        most = require("split_work_to_cores", "core_grid", grid_size, CoreRangeSet).num_cores()
        ranges = _set_ranges
    if most == 0:
        raise RuntimeError("split_work_to_cores: there is no core to divide the work over")
    num_cores = min(units_to_divide, most)

    def part(first, count):
        return CoreRangeSet(ranges(first, count, grid_size, row_wise))

    few, rest = divmod(units_to_divide, num_cores)
    if rest == 0:
        return num_cores, part(0, num_cores), part(0, num_cores), empty, few, 0
    return num_cores, part(0, num_cores), part(0, rest), part(rest, num_cores - rest), few + 1, few
