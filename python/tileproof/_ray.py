"""Sweeps on Ray: it hands out cells and retries those whose worker is lost; what carries them out is the same worker process."""

import os

from . import _core
from ._itself import itself

_RETRIES = 20
_AHEAD = 4
"""Cells that wait at Ray, for each processor: enough that none is idle."""

_workers: dict[tuple[str, float, int], _core.SweepWorker] = {}
"""The worker process of each process of Ray, by its terms."""


def carry_out(terms, cell):
    """On Ray: what a cell comes to."""
    if terms not in _workers:
        _workers[terms] = _core.SweepWorker([*itself(), "sweep-worker"], *terms)
    return _workers[terms].run(cell)


def run(sweep, pending, workers, done):
    """Carries out the cells `pending` of a sweep on Ray."""
    try:
        import ray
    except ImportError as error:
        raise ImportError('engine "ray" needs Ray: pip install \'tileproof[ray]\'') from error
    started = not ray.is_initialized()
    if started:
        # Whoever has a cluster has called ray.init, or has RAY_ADDRESS say where it is.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        here = {} if "RAY_ADDRESS" in os.environ else {"num_cpus": workers or os.cpu_count(), "include_dashboard": False}
        ray.init(log_to_driver=False, logging_level="error", **here)
    try:
        remote = ray.remote(num_cpus=1, max_retries=_RETRIES)(carry_out)
        terms = sweep.terms()
        terms = (os.path.abspath(terms[0]), *terms[1:])
        # What waits at Ray it may start at once: of a cluster that has more room no more than was asked for is taken.
        ahead = workers or _AHEAD * int(ray.cluster_resources().get("CPU", 1))
        waiting, numbers = {}, iter(pending)
        while True:
            while len(waiting) < ahead and (number := next(numbers, None)) is not None:
                waiting[remote.remote(terms, sweep.cell(number))] = number
            if not waiting:
                return
            ready, _ = ray.wait(list(waiting), num_returns=1)
            for task in ready:
                number = waiting.pop(task)
                done(sweep.add(number, ray.get(task)))
    finally:
        if started:
            ray.shutdown()
