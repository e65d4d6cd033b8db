"""Which faults a test would miss: its body runs again and again, each time with one thing wrong in the programs that it runs.

What counts is what the test itself sees: with a fault in a kernel it should fail. `pytest_plugin` asks for it where a mark has `audit=True`.
"""

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from . import _core
from .report import FindingsError, Report, judge
from .settings import Settings


class CannotAudit(Exception):
    """Why there is nothing to learn of a test."""


class Trial:
    """One run of the body of a test, and what its programs came to."""

    def __init__(self, fault: _core.Fault | None = None, looks: bool = False) -> None:
        self.fault = fault
        self.looks = looks
        self.faults: list[_core.Fault] = []
        """What can be wrong with its programs, where that is looked for."""
        self.left: list[bytes] = []
        """Digests of what programs left in their tensors, in the order in which they ran."""
        self.not_run: str | None = None
        """Why the fault was not tried after all."""
        self.has_raised = False
        """A program has raised its findings, which the test may have caught."""

    def run(self, core: _core.Device, launch: dict[str, Any], tensors: list[int], options: dict[str, Any]) -> _core.Report:
        """Runs a program of the test."""
        if self.looks:
            found = core.faults("generic_op", launch, tensors, options)
            # A line of a kernel is one fault, however many programs have it.
            known = {(fault.words, fault.place, fault.what) for fault in self.faults}
            self.faults += [fault for fault in found if (fault.words, fault.place, fault.what) not in known]
        try:
            native = core.run("generic_op", launch, tensors, options, self.fault)
        except RuntimeError as error:
            self.not_run = f"its programs cannot be run so: {error}" if self.fault else None
            raise
        self.left.append(hashlib.sha256(b"".join(core.read(tensor).tobytes() for tensor in tensors)).digest())
        return native


    def judge(self, report: Report, settings: Settings) -> bool:
        """What becomes of a report, and whether all that is asked of it is so. With a fault no check is asked: a test sees values, and
        that a program does not end."""
        if self.fault is None:
            try:
                judge(report, settings, stacklevel=4)
            except FindingsError:
                self.has_raised = True
                raise
            return False
        if report.status == "stopped":
            self.not_run = "it asks for something that is not modelled"
        if report.status != "completed":
            raise FindingsError(report)
        return True


_TRIAL: Trial | None = None


def trial() -> Trial | None:
    """The run that is watched."""
    return _TRIAL


@contextmanager
def watched(trial: Trial) -> Iterator[Trial]:
    """Watches the programs that run meanwhile, on any thread."""
    global _TRIAL
    before, _TRIAL = _TRIAL, trial
    try:
        yield trial
    finally:
        _TRIAL = before


class Audit:
    """What a test makes of programs with one thing wrong."""

    def __init__(self) -> None:
        self.found: list[_core.Fault] = []
        """Faults with which the test fails."""
        self.missed: list[_core.Fault] = []
        """Faults with which it passes, although a program left something else in its tensors."""
        self.unchanged: list[_core.Fault] = []
        """Faults that change nothing on the data of the test."""
        self.not_run: list[tuple[_core.Fault, str]] = []
        """Faults that were not tried, and why."""

    @property
    def power(self) -> float:
        """The share of the faults that the test finds."""
        could = len(self.found) + len(self.missed)
        return len(self.found) / could if could else 1.0

    def summary(self) -> str:
        """In one line."""
        could = len(self.found) + len(self.missed)
        text = f"finds {len(self.found)} of {could} faults"
        if self.unchanged:
            text += f"; {len(self.unchanged)} more change nothing on these data"
        if self.not_run:
            text += f"; {len(self.not_run)} were not tried"
        return text

    def blind_spots(self) -> list[str]:
        """What is missed, a line each."""
        return [told(fault) for fault in self.missed]


def told(fault: _core.Fault) -> str:
    """A fault in one line."""
    if fault.place is None:
        return f"compute kernels: {fault.words}"
    path, line = fault.place
    path = os.path.relpath(path) if os.path.abspath(path).startswith(os.getcwd() + os.sep) else path
    return f"{path}:{line}: {fault.what}: {fault.words}"


def audit(body: Callable[[], object], first: Trial, failures: type[BaseException] | tuple[type[BaseException], ...] = Exception) -> Audit:
    """Runs a body, which has passed once, with each fault of its programs. `failures` are what it raises where it does not pass.

    Raises `CannotAudit` where it does not pass again, runs no program, lives on findings, or programs give something else each time.
    """
    if not first.left:
        raise CannotAudit("it runs no program of generic_op")
    if first.has_raised:
        raise CannotAudit("it catches what a program raises, and programs with a fault are not asked for findings")
    with watched(Trial(looks=True)) as again:
        try:
            body()
        except failures as error:
            raise CannotAudit(f"it does not pass a second time with the same fixtures: {type(error).__name__}: {error}") from error
    if again.left != first.left:
        raise CannotAudit("its programs give something else each time that it runs: seed the data")
    audit = Audit()
    for fault in again.faults:
        with watched(Trial(fault)) as run:
            try:
                body()
                fails = False
            except failures:
                fails = True
        if run.not_run is not None:
            audit.not_run.append((fault, run.not_run))
        elif fails:
            audit.found.append(fault)
        else:
            (audit.unchanged if run.left == first.left else audit.missed).append(fault)
    return audit
