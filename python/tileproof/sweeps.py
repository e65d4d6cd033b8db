"""Sweeps: shapes x dtypes x data x schedules x kernel folders, each cell in a worker process, the results in one SQLite file."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from . import _core
from ._itself import itself

__all__ = ["Comparison", "Sweep", "compare", "sweep"]

_TABLES = ("cells", "outputs", "findings")


class Sweep:
    """What a sweep came to; all of it is in the SQLite file at `path`."""

    def __init__(self, path: str, document: dict[str, Any], text: str) -> None:
        self.path = path
        self.document = document
        """As `tileproof sweep --format json` prints it."""
        self._text = text

    @property
    def passed(self) -> bool:
        """Whether all cells pass."""
        return self.document["pass"]

    def rows(self, table: str = "cells") -> list[dict[str, Any]]:
        """The rows of a table, each a dictionary: cells, outputs or findings."""
        if table not in _TABLES:
            raise ValueError(f"table {table!r}: must be {', '.join(_TABLES)}")
        connection = sqlite3.connect(f"{Path(self.path).resolve().as_uri()}?mode=ro", uri=True)
        try:
            connection.row_factory = sqlite3.Row
            # The rows lie in the order of their keys.
            return [dict(row) for row in connection.execute(f"SELECT * FROM {table}")]
        finally:
            connection.close()

    def to_parquet(self, path: str | os.PathLike[str], table: str = "cells") -> None:
        """Writes a table as a Parquet file; needs pyarrow."""
        try:
            import pyarrow  # type: ignore[import-untyped]
            import pyarrow.parquet  # type: ignore[import-untyped]
        except ImportError as error:
            raise ImportError("to_parquet needs pyarrow: pip install 'tileproof[parquet]'") from error
        rows = self.rows(table)
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), os.fspath(path))

    def __str__(self):
        return self._text

    def __repr__(self):
        return f"<tileproof.Sweep: {self.document['passed']} of {self.document['cells']} cells pass, {self.path}>"


class Comparison:
    """Two sweeps, cell by cell."""

    def __init__(self, document: dict[str, Any], text: str) -> None:
        self.document = document
        """As `tileproof compare --format json` prints it."""
        self._text = text

    @property
    def passed(self) -> bool:
        """Whether nothing new is found, every cell passes that did, and none is missing."""
        return self.document["pass"]

    @property
    def new(self) -> list[dict[str, Any]]:
        """Findings of the second alone."""
        return self.document["new"]

    @property
    def gone(self) -> list[dict[str, Any]]:
        """Findings of the first alone."""
        return self.document["gone"]

    def __str__(self):
        return self._text

    def __repr__(self):
        return f"<tileproof.Comparison: {len(self.new)} new findings, {len(self.gone)} gone, {self.document['cells']} cells>"


def _progress(total, ran, wanted):
    """Is told whether each cell passes; shows a line that is written over, where somebody looks or it is asked for."""
    is_shown = sys.stderr.isatty() if wanted is None else bool(wanted)
    count = {"ran": ran, "failing": 0}

    def done(passes):
        count["ran"] += 1
        count["failing"] += not passes
        if callable(wanted):
            wanted(count["ran"], total, count["failing"])
        elif is_shown:
            print(f"\r\033[Kcell {count['ran']} of {total}, {count['failing']} do not pass", end="", file=sys.stderr, flush=True)

    def ends():
        if is_shown and not callable(wanted):
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    return done, ends


def sweep(
    spec: str | os.PathLike[str] | dict[str, Any],
    out: str | os.PathLike[str] | None = None,
    *,
    workers: int | None = None,
    anew: bool = False,
    engine: str = "local",
    progress: bool | Callable[[int, int, int], object] | None = None,
) -> Sweep:
    """Runs a sweep and gives what it came to.

    `spec` is a file, as docs/sweep.md tells, or the same as a dictionary. `out` is the SQLite file; one that is there is taken up
    where it was left, unless `anew`. `engine` is "local", or "ray" for the same workers on Ray. `progress` is True, False, or a
    function that is told how many cells ran, of how many, and how many do not pass; a terminal shows it unless told otherwise.
    """
    if engine not in ("local", "ray"):
        raise ValueError(f'engine {engine!r}: must be "local" or "ray"')
    if workers is not None and workers < 1:
        raise ValueError(f"workers {workers}: give at least 1")
    if isinstance(spec, dict):
        if out is None:
            raise ValueError("out: a sweep that is no file needs the name of the file that its results go to")
        native = _core.Sweep(None, json.dumps(spec), os.getcwd(), os.fspath(out), anew)
    else:
        spec = os.fspath(spec)
        out = Path(spec).with_suffix(".sqlite") if out is None else out
        native = _core.Sweep(spec, "", "", os.fspath(out), anew)
    pending = native.pending()
    done, ends = _progress(len(native), len(native) - len(pending), progress)
    try:
        if engine == "ray":
            from ._ray import run

            run(native, pending, workers, done)
        else:
            native.run([*itself(), "sweep-worker"], workers or os.cpu_count() or 1, done)
        document, text = native.finish(len(pending))
    finally:
        ends()
        # A traceback that somebody holds would hold the file too.
        native.close()
    return Sweep(os.fspath(out), json.loads(document), text)


def compare(
    a: Sweep | str | os.PathLike[str],
    b: Sweep | str | os.PathLike[str],
    *,
    across: Iterable[str] = (),
    partial: bool = False,
) -> Comparison:
    """Compares two sweeps, or their files: findings that are new and gone, accuracy, cycles.

    `across` are columns in which cells may differ. Sweeps that were ended before they were complete do not pass, unless `partial`.
    """
    a, b = (os.fspath(it.path if isinstance(it, Sweep) else it) for it in (a, b))
    document, text = _core.compare_sweeps(a, b, list(across), partial)
    return Comparison(json.loads(document), text)
