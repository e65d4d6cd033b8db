"""How programs run: what is looked for, on which chip, and what happens with findings."""

import contextlib
import contextvars
import dataclasses
import os


@dataclasses.dataclass(frozen=True)
class Settings:
    """How programs run."""

    checks: str = "all"
    """all, none, or families of checks with commas between."""
    explore: int = 0
    """Other schedules to try, until the program fails on one as it does not by default."""
    schedule: str | None = None
    """The schedule to follow, as a finding gives it."""
    allow: tuple = ()
    """Codes that may be found."""
    threads: int | None = None
    """Host threads at most; all when left out. Results do not depend on it."""
    in_process: bool = False
    """Whether kernels run in this process: then one that crashes may take it along."""
    limit: int | None = None
    """Seconds that one run may take."""
    arch: str = "wormhole"
    """The chip of devices to come."""
    api: str = "0.79"
    """The generation of ttnn whose accessors kernels use: 0.79 or 0.66."""
    on_findings: str = "raise"
    """raise, warn, or keep: then they are in the device's reports alone."""

    def options(self):
        """For the library."""
        return {
            "checks": self.checks,
            "explore": self.explore or None,
            "schedule": self.schedule,
            "threads": self.threads,
            "in_process": self.in_process,
            "limit": self.limit,
            "parameters": [],
        }


def _of_environment():
    """Settings that the environment asks for: TILEPROOF_CHECKS, TILEPROOF_EXPLORE, TILEPROOF_SCHEDULE, TILEPROOF_ARCH, TILEPROOF_THREADS."""
    words = {name: os.environ.get(f"TILEPROOF_{name.upper()}") for name in ("checks", "schedule", "arch")}
    numbers = {name: os.environ.get(f"TILEPROOF_{name.upper()}") for name in ("explore", "threads")}
    given = {name: word for name, word in words.items() if word}
    given.update({name: int(number) for name, number in numbers.items() if number})
    return Settings(**given)


_SETTINGS = contextvars.ContextVar("tileproof_settings", default=None)
_default = _of_environment()


def current():
    """The settings in force."""
    return _SETTINGS.get() or _default


def configure(**changes):
    """Changes settings for the whole process: see `Settings`."""
    global _default
    _default = dataclasses.replace(_default, **_checked(changes))


@contextlib.contextmanager
def settings(**changes):
    """Changes settings for the time of a `with`: see `Settings`."""
    token = _SETTINGS.set(dataclasses.replace(current(), **_checked(changes)))
    try:
        yield current()
    finally:
        _SETTINGS.reset(token)


def _checked(changes):
    allowed = {"on_findings": ("raise", "warn", "keep"), "arch": ("wormhole", "blackhole"), "api": ("0.66", "0.79")}
    for name, values in allowed.items():
        if name in changes and changes[name] not in values:
            raise ValueError(f"{name} is {changes[name]!r}, expected one of {', '.join(values)}")
    if "allow" in changes:
        changes = {**changes, "allow": tuple(changes["allow"])}
    return changes
