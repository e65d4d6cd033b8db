"""Operations that are ready: all of them under one roof."""

from . import combined, elementwise, moves, normalization, reductions
from .combined import *  # noqa: F403
from .elementwise import *  # noqa: F403
from .moves import *  # noqa: F403
from .normalization import *  # noqa: F403
from .reductions import *  # noqa: F403

__all__ = combined.__all__ + elementwise.__all__ + moves.__all__ + normalization.__all__ + reductions.__all__
