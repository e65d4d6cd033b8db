"""Runs Tensix tile kernels without the hardware, bit for bit, and says what is wrong with them.

`run` runs a program file; `tileproof.ttnn` takes the place of `ttnn` in scripts and tests that use `generic_op`.
"""

import os
from collections.abc import Mapping
from typing import Any

from . import _core
from ._core import __version__, explain
from ._itself import server as _server
from .report import FindingsError, FindingsWarning, Report
from .settings import Settings, configure, current, settings
from .sweeps import Comparison, Sweep, compare, sweep

__all__ = [
    "Comparison",
    "FindingsError",
    "FindingsWarning",
    "Report",
    "Settings",
    "Sweep",
    "__version__",
    "compare",
    "configure",
    "current",
    "explain",
    "run",
    "settings",
    "sweep",
]


_core.serve_with(_server())

_OF_DEVICES = {
    "allow": "every finding is in the report",
    "on_findings": "findings are in the report",
    "arch": "the program file says it",
    "api": "the program file says it",
}
"""Settings that mean nothing to the run of a program file, and why."""


def run(program: str | os.PathLike[str], *, parameters: Mapping[str, object] | None = None, **changes: Any) -> Report:
    """Runs a program file. `parameters` are values of its `[params]`, `changes` are settings for this run.

    What is wrong with the program is in the report; a program that cannot be run raises RuntimeError.
    """
    for name in changes:
        if name in _OF_DEVICES:
            raise TypeError(f"run() takes no {name}: {_OF_DEVICES[name]}")
    with settings(**changes):
        options = current().options()
    options["parameters"] = [(name, str(value)) for name, value in (parameters or {}).items()]
    return Report(_core.run_program(os.fspath(program), options))
