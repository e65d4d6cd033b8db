"""Shapes of tensors."""

import math

from .enums import unsigned


class Shape(tuple):
    """Dimensions, outermost first."""

    def __new__(cls, dimensions=()):
        return super().__new__(cls, [unsigned("Shape", "shape", side) for side in dimensions])

    @property
    def rank(self):
        """Dimensions."""
        return len(self)

    def volume(self):
        """Elements."""
        return math.prod(self)

    def to_rank(self, rank):
        """The same elements with so many dimensions."""
        if rank >= len(self):
            return Shape([1] * (rank - len(self)) + list(self))
        front = len(self) - rank
        if any(side != 1 for side in self[:front]):
            raise RuntimeError(f"Can't convert shape rank: {self} has more than {rank} dimensions that are not 1")
        return Shape(self[front:])

    def __getitem__(self, place):
        if isinstance(place, slice):
            return Shape(super().__getitem__(place))
        if -4 <= place < -len(self):
            # What is missing of four dimensions is 1.
            return 1
        if not -len(self) <= place < len(self):
            raise RuntimeError(f"Shape index out of range: {place} of {self}")
        return super().__getitem__(place)

    def __eq__(self, other):
        return tuple(self) == tuple(other) if isinstance(other, (tuple, list)) else NotImplemented

    def __hash__(self):
        return hash(tuple(self))

    def __repr__(self):
        return f"Shape({list(self)})"
