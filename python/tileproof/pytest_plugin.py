"""The pytest plugin: findings fail the test that ran the program, with the text of the command.

It gives the fixture `device`, where a test file has none of its own, and the mark `tileproof`:
`@pytest.mark.tileproof(checks="buffers,memory", explore=20, allow=["TP0806"], schedule="...", arch="blackhole")`.
With `--tileproof-as-ttnn`, `import ttnn` gives `tileproof.ttnn`.
"""

import sys

import pytest

_FIELDS = ("checks", "explore", "schedule", "allow", "threads", "in_process", "limit", "arch", "api", "on_findings")


def pytest_addoption(parser):
    group = parser.getgroup("tileproof", "kernels on a simulated chip")
    group.addoption("--tileproof-as-ttnn", action="store_true", help="`import ttnn` gives tileproof.ttnn")
    group.addoption("--tileproof-checks", metavar="CHECKS", help="what is looked for: all, none, or families with commas between")
    group.addoption("--tileproof-explore", metavar="N", type=int, help="other schedules to try for each program")
    group.addoption("--tileproof-schedule", metavar="TOKEN", help="the schedule to replay, as a finding gives it")
    parser.addini("tileproof_as_ttnn", "`import ttnn` gives tileproof.ttnn", type="bool", default=False)


def _replace_ttnn():
    import tileproof.ttnn

    sys.modules["ttnn"] = tileproof.ttnn


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config):
    # Before the first conftest.py, which may import ttnn itself.
    if early_config.known_args_namespace.tileproof_as_ttnn or early_config.getini("tileproof_as_ttnn"):
        _replace_ttnn()


def pytest_configure(config):
    # Again for a plugin that a conftest.py loads, which comes too late for the above.
    if config.getoption("--tileproof-as-ttnn") or config.getini("tileproof_as_ttnn"):
        _replace_ttnn()
    config.addinivalue_line("markers", f"tileproof({', '.join(_FIELDS)}): how programs of generic_op run in this test")


def _changes(item):
    """Settings of a test: those of the command line, then those of its marks, the nearest last."""
    changes = {}
    for name in ("checks", "explore", "schedule"):
        value = item.config.getoption(f"--tileproof-{name}")
        if value is not None:
            changes[name] = value
    for mark in reversed(list(item.iter_markers("tileproof"))):
        unknown = sorted(set(mark.kwargs) - set(_FIELDS))
        if mark.args or unknown:
            what = f"{unknown[0]!r}" if unknown else "an argument without a name"
            raise pytest.UsageError(f"{item.nodeid}: mark tileproof has {what}; its fields are {', '.join(_FIELDS)}")
        changes.update(mark.kwargs)
    return changes


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    changes = _changes(item)
    if not changes:
        yield
        return
    from tileproof.settings import settings

    with settings(**changes):
        yield


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    error = call.excinfo.value if call.excinfo is not None else None
    if error is None or type(error).__name__ != "FindingsError" or not hasattr(error, "report"):
        return
    codes = sorted({finding["code"] for finding in error.findings})
    # What a JUnit file says of the test.
    for name, value in (("tileproof_codes", " ".join(codes)), ("tileproof_schedule", error.report.schedule)):
        item.user_properties.append((name, value))
        report.user_properties.append((name, value))
    replay = f"pytest '{item.nodeid}'"
    if error.report.schedule != "default":
        replay += f" --tileproof-schedule '{error.report.schedule}'"
    explain = "\n".join(f"explain: tileproof explain {code}" for code in codes)
    report.sections.append(("tileproof", f"replay: {replay}\n{explain}"))


@pytest.fixture
def device():
    """A device for the time of a test."""
    import tileproof.ttnn as ttnn

    device = ttnn.open_device(device_id=0)
    yield device
    ttnn.close_device(device)
