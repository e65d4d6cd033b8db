"""Shapes of tensors."""

import math


class Shape(tuple):
    """Dimensions, outermost first."""

    def __new__(cls, dimensions=()):
        sides = [side.__index__() for side in dimensions]
        if any(side < 0 for side in sides):
            raise TypeError(f"Shape(): incompatible function arguments: {sides} has a negative dimension")
        return super().__new__(cls, sides)

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
        try:
            item = super().__getitem__(place)
        except IndexError:
            raise IndexError(f"Shape index out of range: {place} of {self}") from None
        return Shape(item) if isinstance(place, slice) else item

    def __eq__(self, other):
        return tuple(self) == tuple(other) if isinstance(other, (tuple, list)) else NotImplemented

    def __hash__(self):
        return hash(tuple(self))

    def __repr__(self):
        return f"Shape({list(self)})"
