"""The pages that are made of the package are those of today's, and what they tell programs can be run."""

import re
import subprocess
import sys

import reference
import tileproof


def test_the_page_of_the_api_is_current():
    assert (reference.DOCS / "python-api.md").read_text() == reference.api(), "run python python/tests/reference.py"


def test_the_codes_of_the_page_for_programs_are_current():
    text = (reference.DOCS / "llms.txt").read_text()
    assert text == reference.with_codes(text), "run python python/tests/reference.py"


def test_the_program_file_of_the_page_for_programs_is_one(tmp_path):
    text = (reference.DOCS / "llms.txt").read_text().split("## Program file")[1]
    block = text[text.index('    arch = "wormhole"') : text.index("Several launches:")]
    program = re.sub(r"^    ", "", block, flags=re.MULTILINE)
    program = program.replace('fill = "uniform:-1,1" ', 'fill = "constant:1" ').replace('file = "out.npy" ', 'fill = "constant:1" ')
    (tmp_path / "program.toml").write_text(program)
    (tmp_path / "reader.cpp").write_text(
        '#include <cstdint>\n#include "api/dataflow/dataflow_api.h"\nvoid kernel_main() { (void)get_arg_val<uint32_t>(0); }\n'
    )
    # The one kernel writes nothing: what is found is that, and no field is refused.
    report = tileproof.run(tmp_path / "program.toml")
    assert report.status == "completed" and not report.passed


def test_the_commands_of_the_page_for_programs_exist():
    text = (reference.DOCS / "llms.txt").read_text()
    listed = subprocess.run([sys.executable, "-m", "tileproof", "--help"], capture_output=True, text=True).stdout
    for verb in ("run", "explain", "ledger", "analyze", "op", "audit", "sweep", "compare", "mcp"):
        assert re.search(rf"^  {verb} ", listed, re.MULTILINE) and verb in text
