"""Operations that are ready: all of them under one roof."""

from . import elementwise, moves, normalization, reductions
from .elementwise import *  # noqa: F403
from .moves import *  # noqa: F403
from .normalization import *  # noqa: F403
from .reductions import *  # noqa: F403

__all__ = elementwise.__all__ + moves.__all__ + normalization.__all__ + reductions.__all__
