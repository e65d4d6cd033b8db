"""The pytest plugin: findings fail the test that ran the program, with the text of the command.

It gives the fixture `device`, where a test file has none of its own, and the mark `tileproof`:
`@pytest.mark.tileproof(checks="buffers,memory", explore=20, allow=["TP0806"], schedule="...", arch="blackhole")`.
With `audit=True` a test that passes runs again with one thing wrong in its programs at a time: what it does not see is told at the
end of the run, and below `audit_floor` the test fails.
With `--tileproof-as-ttnn`, `import ttnn` gives `tileproof.ttnn`.
"""

import sys

import pytest

_FIELDS = ("checks", "explore", "schedule", "allow", "threads", "in_process", "limit", "arch", "api", "on_findings")
_OF_AUDITS = ("audit", "audit_floor")


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
    config.addinivalue_line("markers", f"tileproof({', '.join(_FIELDS + _OF_AUDITS)}): how programs of generic_op run in this test")


def _marked(item):
    """Fields of the marks of a test, those of the nearest last."""
    fields = {}
    for mark in reversed(list(item.iter_markers("tileproof"))):
        unknown = sorted(set(mark.kwargs) - {*_FIELDS, *_OF_AUDITS})
        if mark.args or unknown:
            what = f"{unknown[0]!r}" if unknown else "an argument without a name"
            raise pytest.UsageError(f"{item.nodeid}: mark tileproof has {what}; its fields are {', '.join(_FIELDS + _OF_AUDITS)}")
        fields.update(mark.kwargs)
    return fields


def _changes(item):
    """Settings of a test: those of the command line, then those of its marks."""
    changes = {}
    for name in ("checks", "explore", "schedule"):
        value = item.config.getoption(f"--tileproof-{name}")
        if value is not None:
            changes[name] = value
    return {**changes, **{name: value for name, value in _marked(item).items() if name in _FIELDS}}


def _audited(item):
    """Whether a test is to be audited, and which share of the faults it has to find."""
    fields = _marked(item)
    floor = fields.get("audit_floor")
    if floor is not None and (isinstance(floor, bool) or not isinstance(floor, (int, float)) or not 0 <= floor <= 1):
        raise pytest.UsageError(f"{item.nodeid}: mark tileproof has audit_floor={floor!r}, expected a share from 0 to 1")
    return bool(fields.get("audit", floor is not None)), floor or 0


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    _audited(item)
    changes = _changes(item)
    if not changes:
        yield
        return
    from tileproof.settings import settings

    with settings(**changes):
        yield


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    wanted, floor = _audited(item)
    if not wanted:
        yield
        return
    from tileproof import _audits as audits

    with audits.watched(audits.Trial()) as first:
        outcome = yield
    if outcome.excinfo is not None:
        return
    try:
        audit = audits.audit(item.runtest, first, (Exception, pytest.fail.Exception))
    except audits.CannotAudit as why:
        item.tileproof_failure = f"audit: {item.nodeid} cannot be audited: {why}"
        return
    item.user_properties.append(("tileproof_audit", audit.summary()))
    spots = audit.blind_spots()
    if spots:
        item.user_properties.append(("tileproof_blind_spots", "\n".join(spots)))
    if audit.power < floor:
        lines = "\n".join(f"  missed: {spot}" for spot in spots)
        item.tileproof_failure = f"audit: {audit.power:.0%} is below audit_floor={floor}: the test {audit.summary()}\n{lines}"


def pytest_terminal_summary(terminalreporter):
    audits = []
    for reports in terminalreporter.stats.values():
        for report in reports:
            properties = dict(getattr(report, "user_properties", ()))
            if getattr(report, "when", None) == "call" and "tileproof_audit" in properties:
                audits.append((report.nodeid, properties))
    if not audits:
        return
    terminalreporter.section("tileproof audits")
    for name, properties in sorted(audits, key=lambda audit: audit[0]):
        terminalreporter.line(f"{name}: {properties['tileproof_audit']}")
        for spot in filter(None, properties.get("tileproof_blind_spots", "").split("\n")):
            terminalreporter.line(f"  missed: {spot}")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    failure = getattr(item, "tileproof_failure", None)
    if failure is not None and call.when == "call":
        report.outcome, report.longrepr = "failed", failure
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
