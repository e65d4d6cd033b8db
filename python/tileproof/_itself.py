"""The command line that starts the command again."""

import sys


def itself():
    """Its words; a worker is started so too."""
    return [sys.executable, "-m", "tileproof"]
