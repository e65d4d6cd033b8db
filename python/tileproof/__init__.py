"""Runs Tensix tile kernels without the hardware, bit for bit, and says what is wrong with them.

`run` runs a program file; `tileproof.ttnn` takes the place of `ttnn` in scripts and tests that use `generic_op`.
"""

import os

from . import _core
from ._core import __version__, explain
from .report import FindingsError, FindingsWarning, Report
from .settings import Settings, configure, current, settings

__all__ = [
    "FindingsError",
    "FindingsWarning",
    "Report",
    "Settings",
    "__version__",
    "configure",
    "current",
    "explain",
    "run",
    "settings",
]


def run(program, *, parameters=None, **changes):
    """Runs a program file. `parameters` are values of its `[params]`, `changes` are settings for this run.

    What is wrong with the program is in the report; a program that cannot be run raises RuntimeError.
    """
    with settings(**changes):
        options = current().options()
    options["parameters"] = [(name, str(value)) for name, value in (parameters or {}).items()]
    return Report(_core.run_program(os.fspath(program), options))
