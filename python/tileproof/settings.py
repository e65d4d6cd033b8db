"""How programs run: what is looked for, on which chip, and what happens with findings."""

import contextlib
import contextvars
import dataclasses
import os
import re
from collections.abc import Iterator
from typing import Any


@dataclasses.dataclass(frozen=True)
class Settings:
    """How programs run."""

    checks: str = "all"
    """all, none, or families of checks with commas between."""
    explore: int = 0
    """Other schedules to try, until the program fails on one as it does not by default."""
    schedule: str | None = None
    """The schedule to follow, as a finding gives it."""
    allow: tuple[str, ...] = ()
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

    def options(self) -> dict[str, Any]:
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


_WORDS = {"on_findings": ("raise", "warn", "keep"), "arch": ("wormhole", "blackhole"), "api": ("0.66", "0.79")}
_LEAST = {"explore": 0, "threads": 1, "limit": 1}


def _codes(allow):
    """Codes in a list, or in one text with commas between."""
    codes = tuple(code.strip() for code in allow.split(",")) if isinstance(allow, str) else tuple(allow)
    for code in codes:
        if not isinstance(code, str) or not re.fullmatch(r"TP\d{4}", code):
            raise ValueError(f"allow has {code!r}, which is no code: they are as TP0806")
    return codes


def _checked(changes):
    for name, values in _WORDS.items():
        if name in changes and changes[name] not in values:
            raise ValueError(f"{name} is {changes[name]!r}, expected one of {', '.join(values)}")
    for name, least in _LEAST.items():
        number = changes.get(name)
        if number is not None and (not isinstance(number, int) or number < least):
            raise ValueError(f"{name} is {number!r}, expected a whole number from {least} on")
    return {**changes, "allow": _codes(changes["allow"])} if "allow" in changes else changes


def _of_environment():
    """Settings that the environment asks for: TILEPROOF_CHECKS, TILEPROOF_EXPLORE, TILEPROOF_SCHEDULE, TILEPROOF_ARCH, TILEPROOF_THREADS."""
    given = {}
    for name in ("checks", "explore", "schedule", "arch", "threads"):
        variable = f"TILEPROOF_{name.upper()}"
        word = os.environ.get(variable)
        if not word:
            continue
        try:
            given.update(_checked({name: int(word) if name in _LEAST and word.isdecimal() else word}))
        except ValueError as error:
            raise ValueError(f"{variable}: {error}") from None
    return Settings(**given)


_SETTINGS: contextvars.ContextVar[Settings | None] = contextvars.ContextVar("tileproof_settings", default=None)
_default = _of_environment()


def current() -> Settings:
    """The settings in force."""
    return _SETTINGS.get() or _default


def configure(**changes: Any) -> None:
    """Changes settings for the whole process: see `Settings`."""
    global _default
    _default = dataclasses.replace(_default, **_checked(changes))


@contextlib.contextmanager
def settings(**changes: Any) -> Iterator[Settings]:
    """Changes settings for the time of a `with`: see `Settings`."""
    token = _SETTINGS.set(dataclasses.replace(current(), **_checked(changes)))
    try:
        yield current()
    finally:
        _SETTINGS.reset(token)
