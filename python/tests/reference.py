"""The pages that are made of the package: docs/python-api.md, and the codes of docs/llms.txt.

    python python/tests/reference.py        writes both; test_reference.py compares them with what the package says
"""

import importlib
import inspect
import re
from pathlib import Path

import tileproof

DOCS = Path(__file__).resolve().parents[2] / "docs"
MODULES = ["tileproof", "tileproof.ops", "tileproof.plugin", "tileproof.ttnn"]
HEAD = "# API\n\nMade of the package by `python python/tests/reference.py`; docs/python.md tells how it is used.\n"


def signature(value):
    """What a function takes, without what differs between versions of Python."""
    try:
        bare = [p.replace(annotation=p.empty) for p in inspect.signature(value).parameters.values()]
        text = str(inspect.Signature(bare))
    except (TypeError, ValueError):
        return "(...)"
    text = re.sub(r"<object object at 0x[0-9a-f]+>", "...", text)
    text = re.sub(r"=MemoryConfig\([^)]*\)", "=...", text)
    # Without annotations: the stubs have those.
    return text


def sentence(value):
    """Its documentation, as one paragraph."""
    return " ".join((inspect.getdoc(value) or "").split())


def members(kind):
    """The rows of what a class has."""
    for name, value in sorted(vars(kind).items()):
        if name.startswith("_"):
            continue
        if isinstance(value, property):
            yield f"| `.{name}` | {sentence(value)} |"
        elif inspect.isfunction(value):
            yield f"| `.{name}{signature(value).replace('(self, ', '(').replace('(self)', '()')}` | {sentence(value)} |"


def names(module):
    """The public names of a module: those that it lists, or all that are no modules."""
    listed = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
    found = [(name, getattr(module, name)) for name in sorted(listed, key=lambda name: (name.lower(), name))]
    return [(name, value) for name, value in found if not inspect.ismodule(value) and not name.startswith("_")]


def api():
    """The page of the API."""
    lines = [HEAD]
    for path in MODULES:
        module = importlib.import_module(path)
        lines.append(f"## {path}\n\n{sentence(module)}\n")
        functions = [(n, v) for n, v in names(module) if inspect.isroutine(v)]
        kinds = [(n, v) for n, v in names(module) if inspect.isclass(v)]
        values = [n for n, v in names(module) if not inspect.isroutine(v) and not inspect.isclass(v)]
        if functions:
            lines.append("| function | what |\n|---|---|")
            lines += [f"| `{name}{signature(value)}` | {sentence(value)} |" for name, value in functions]
            lines.append("")
        for name, kind in kinds:
            own = "" if kind.__init__ in (object.__init__, tuple.__init__, RuntimeError.__init__) else signature(kind.__init__).replace("(self, ", "(").replace("(self)", "()")
            lines.append(f"### {name}{'' if '*args' in own else own}\n\n{sentence(kind)}\n")
            choices = list(getattr(kind, "__members__", {}))
            if choices:
                lines.append(f"{', '.join(f'`{choice}`' for choice in choices)}\n")
                continue
            rows = list(members(kind))
            if rows:
                lines += ["| | |\n|---|---|", *rows, ""]
        if values:
            lines.append(f"Values: {', '.join(f'`{name}`' for name in values)}\n")
    return "\n".join(lines).replace("|`", "| `").rstrip() + "\n"


def codes():
    """A line each code, from the explain pages."""
    pages = sorted((DOCS / "explain").glob("TP*.md"))
    titles = [page.read_text().splitlines()[0].removeprefix("# ") for page in pages]
    assert all(tileproof.explain(page.stem) for page in pages)
    return "\n".join(f"- {title}" for title in titles) + "\n"


def with_codes(text):
    """A page whose last section is the codes."""
    return text.split("\n## Codes\n")[0] + f"\n## Codes\n\n{codes()}"


if __name__ == "__main__":
    (DOCS / "python-api.md").write_text(api())
    (DOCS / "llms.txt").write_text(with_codes((DOCS / "llms.txt").read_text()))
