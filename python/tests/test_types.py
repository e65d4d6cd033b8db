"""The stubs say what the package has, and type checkers agree with them and with the examples."""

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STUBS = ["tileproof.ttnn", "tileproof.ttnn.device"]
CHECKED = ["python/tileproof", "examples/train_layernorm.py", "examples/python"]
SHOWN = ["python/tileproof/_core.pyi", "python/tileproof/ttnn/__init__.pyi", "python/tileproof/ttnn/device.pyi", "examples"]
SHOWN += [f"python/tileproof/{name}.py" for name in ("__init__", "ops", "plugin", "report", "settings", "sweeps", "torch")]


def _stub(path):
    module = importlib.import_module(path)
    file = Path(module.__file__)
    return module, ast.parse(file.with_suffix(".pyi").read_text())


def _parameters(node):
    """Names, and whether each may be left out, as the stub has them."""
    args = node.args
    plain = args.posonlyargs + args.args
    free = [False] * (len(plain) - len(args.defaults)) + [True] * len(args.defaults)
    found = [(arg.arg, is_free) for arg, is_free in zip(plain, free)]
    found += [(f"*{args.vararg.arg}", True)] if args.vararg else []
    found += [(arg.arg, default is not None) for arg, default in zip(args.kwonlyargs, args.kw_defaults)]
    return found + ([(f"**{args.kwarg.arg}", True)] if args.kwarg else [])


def _of(function):
    marks = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    parameters = inspect.signature(function).parameters.values()
    return [(marks.get(p.kind, "") + p.name, p.kind in marks or p.default is not p.empty) for p in parameters]


@pytest.mark.parametrize("path", STUBS)
def test_a_stub_has_the_names_and_parameters_of_its_module(path):
    module, stub = _stub(path)
    functions = {node.name: node for node in stub.body if isinstance(node, ast.FunctionDef)}
    kinds = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
    imported = {a.asname or a.name for node in stub.body if isinstance(node, ast.ImportFrom) for a in node.names}
    values = {node.target.id for node in stub.body if isinstance(node, ast.AnnAssign)}
    values |= {target.id for node in stub.body if isinstance(node, ast.Assign) for target in node.targets}
    for name, value in vars(module).items():
        if name.startswith("_") or inspect.ismodule(value):
            continue
        if path != "tileproof.ttnn" and getattr(value, "__module__", "") != path:
            continue
        if inspect.isfunction(value) and name not in imported:
            assert name in functions, f"{name} is not in the stub"
            assert _parameters(functions[name]) == _of(value), name
        else:
            assert name in kinds or name in imported or name in values or name in functions, f"{name} is not in the stub"
        if name in kinds and inspect.isclass(value):
            methods = {node.name: node for node in kinds[name].body if isinstance(node, ast.FunctionDef)}
            for method, own in vars(value).items():
                public = not method.startswith("_") or method == "__init__"
                if public and inspect.isfunction(own) and own.__module__.startswith("tileproof"):
                    assert method in methods, f"{name}.{method} is not in the stub"
                    assert _parameters(methods[method]) == _of(own), f"{name}.{method}"
    # And nothing that is not there.
    for name in set(functions) | values:
        assert hasattr(module, name), f"{name} is in the stub alone"


def test_mypy_passes_on_the_package_and_the_examples():
    pytest.importorskip("mypy")
    result = subprocess.run([sys.executable, "-m", "mypy", *CHECKED], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


def test_pyright_passes_on_the_stubs_and_the_examples():
    pytest.importorskip("pyright")
    result = subprocess.run([sys.executable, "-m", "pyright", "--pythonpath", sys.executable, *SHOWN], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout
