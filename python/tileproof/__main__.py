"""The command `tileproof`."""

import signal
import sys

from . import _core
from ._itself import itself


def main():
    """Runs the command; the process ends with its exit code."""
    # As in any other command: Ctrl-C ends it at once.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_core.command(["tileproof", *sys.argv[1:]], itself()))


if __name__ == "__main__":
    main()
