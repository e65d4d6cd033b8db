"""The command lines that start the command again, and a server for programs."""

import sys

from . import _core

_SERVE = """
import sys
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location
loader = ExtensionFileLoader("_core", sys.argv[1])
core = module_from_spec(spec_from_file_location("_core", sys.argv[1], loader=loader))
loader.exec_module(core)
core.serve()
"""


def itself():
    """The words of the command; a worker is started so too."""
    return [sys.executable, "-m", "tileproof"]


def server():
    """The words of a server: an interpreter that loads nothing but the library."""
    return [sys.executable, "-I", "-S", "-c", _SERVE, _core.__file__] if sys.executable else []
