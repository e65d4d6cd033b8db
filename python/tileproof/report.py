"""What a run came to, and what becomes of it."""

from __future__ import annotations

import html
import json
import warnings
from typing import Any

from . import _core
from .settings import Settings


class Report:
    """What a run came to: findings, notes, ledger, outputs, timings."""

    def __init__(self, native: _core.Report) -> None:
        self._native = native
        self._document: dict[str, Any] | None = None

    @property
    def document(self) -> dict[str, Any]:
        """All of it, as `tileproof run --format json` prints it."""
        document = self._document
        if document is None:
            document = self._document = json.loads(self._native.json())
        return document

    @property
    def passed(self) -> bool:
        """Whether the program completed, nothing was found and everything came out as expected."""
        return self._native.passed

    @property
    def status(self) -> str:
        """completed, deadlock, crashed or stopped."""
        return self.document["status"]

    @property
    def findings(self) -> list[dict[str, Any]]:
        """What is wrong, each a dictionary: code, message, core, thread, file, line, labels, facts, help."""
        return self.document["findings"]

    @property
    def notes(self) -> list[dict[str, Any]]:
        """What is worth knowing and not wrong."""
        return self.document["notes"]

    @property
    def ledger(self) -> list[dict[str, Any]]:
        """Who did what to each circular buffer and tensor."""
        return self.document["ledger"]

    @property
    def outputs(self) -> list[dict[str, Any]]:
        """Outputs beside what was expected of them."""
        return self.document["outputs"]

    @property
    def cycles(self) -> int:
        """Device time."""
        return self._native.cycles

    @property
    def wall_s(self) -> float:
        """Seconds on this host."""
        return self._native.wall_s

    @property
    def schedule(self) -> str:
        """The schedule of the run, or the one on which it failed: what `schedule=` takes to run it again."""
        return self._native.schedule

    @property
    def prints(self) -> list[tuple[str, str, str]]:
        """What kernels printed: core, thread and text."""
        return self._native.prints

    def text(self, color: bool = False, width: int = 100) -> str:
        """What `tileproof run` prints."""
        return self._native.text(color, width)

    def __str__(self):
        return self.text()

    def __repr__(self):
        verdict = "pass" if self.passed else f"{self.status}, {len(self.findings)} findings"
        return f"<tileproof.Report: {verdict}, {self.cycles} cycles>"

    def _repr_html_(self):
        """A table of findings, and the text."""
        good = "#2a7d2a" if self.passed else "#b00020"
        head = f"<p><b style='color:{good}'>{'pass' if self.passed else html.escape(self.status)}</b> {self.cycles} cycles, {self.wall_s:.3f} s</p>"
        cell = "<td style='text-align:left;vertical-align:top'>{}</td>".format
        rows = "".join(
            "<tr>" + "".join(cell(html.escape(str(v))) for v in (f["code"], f["message"], f"{f.get('file') or ''}:{f.get('line') or ''}", f["core"], f["thread"])) + "</tr>"
            for f in self.findings + self.notes
        )
        table = f"<table><tr><th>code</th><th>message</th><th>place</th><th>core</th><th>thread</th></tr>{rows}</table>" if rows else ""
        return f"{head}{table}<details><summary>text</summary><pre>{html.escape(self.text())}</pre></details>"


class FindingsError(RuntimeError):
    """A program ran, and something is wrong with it. The text is what `tileproof run` prints."""

    def __init__(self, report: Report, text: str | None = None) -> None:
        super().__init__(text or report.text())
        self.report = report
        """The report of the run."""

    @property
    def findings(self) -> list[dict[str, Any]]:
        """What is wrong."""
        return self.report.findings


class FindingsWarning(UserWarning):
    """The same as a warning, where settings ask for that."""


def judge(report: Report, settings: Settings, stacklevel: int = 3) -> None:
    """What becomes of a report under settings: an exception, a warning, or nothing."""
    if report.passed:
        return
    is_allowed = report.findings and all(finding["code"] in settings.allow for finding in report.findings)
    if is_allowed and report.status == "completed" and all(output["pass"] for output in report.outputs):
        return
    if settings.on_findings == "raise":
        raise FindingsError(report)
    if settings.on_findings == "warn":
        warnings.warn(report.text(), FindingsWarning, stacklevel=stacklevel)
