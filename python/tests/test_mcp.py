"""The command as a server of the Model Context Protocol: a client on its stdin and stdout."""

import json
import subprocess
import sys

import pytest

ROOT = __file__.rsplit("/python/", 1)[0]


class Client:
    """Speaks JSON-RPC, a message a line, as the protocol has it on stdio."""

    def __init__(self, folder):
        command = [sys.executable, "-m", "tileproof", "mcp"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder)
        self.number = 0

    def send(self, **message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def ask(self, method, **params):
        self.number += 1
        self.send(id=self.number, method=method, params=params)
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.number:
                return answer

    def call(self, tool, /, **arguments):
        answer = self.ask("tools/call", name=tool, arguments=arguments)
        result = answer["result"]
        # Who reads text alone reads the same.
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        return result["structuredContent"], result.get("isError", False)


@pytest.fixture
def client(tmp_path):
    client = Client(tmp_path)
    about = {"name": "test", "version": "0"}
    hello = client.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=about)
    assert hello["result"]["serverInfo"]["name"] == "tileproof"
    assert "tools" in hello["result"]["capabilities"]
    client.send(method="notifications/initialized")
    yield client
    client.process.stdin.close()
    assert client.process.wait(timeout=20) == 0


def test_the_tools_say_what_they_take(client):
    tools = {tool["name"]: tool for tool in client.ask("tools/list")["result"]["tools"]}
    assert list(tools) == ["run", "explain", "ledger", "analyze", "op_new", "op_check", "audit"]
    assert tools["run"]["inputSchema"]["required"] == ["program"]
    assert all(field["description"] for tool in tools.values() for field in tool["inputSchema"]["properties"].values())


def test_run_gives_the_document_of_the_command(client):
    hang = f"{ROOT}/examples/programs/hang/program.toml"
    document, is_error = client.call("run", program=hang, parameters={"PAGES": 1}, checks="buffers")
    assert not is_error and document["schema"] == "tileproof-run" and document["status"] == "deadlock"
    command = [sys.executable, "-m", "tileproof", "run", hang, "--param", "PAGES=1", "--checks", "buffers", "--format", "json"]
    printed = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
    assert {**document, "wall_s": 0} == {**printed, "wall_s": 0}
    document, is_error = client.call("run", program=f"{ROOT}/examples/programs/add/program.toml", explore=2)
    assert not is_error and document["findings"] == [] and document["explored"]["of"] == 2
    document, is_error = client.call("ledger", program=f"{ROOT}/examples/programs/add/program.toml")
    assert not is_error and document["schema"] == "tileproof-ledger"


def test_what_cannot_be_run_is_an_error_of_the_tool(client):
    document, is_error = client.call("run", program="none.toml")
    assert is_error and document["schema"] == "tileproof-refused" and "none.toml" in document["error"]
    # A value is never an option.
    document, is_error = client.call("run", program="--version")
    assert is_error and "--version" in document["error"]
    for arguments, wanted in [
        ({}, "program: run needs it"),
        ({"program": 3}, "program 3: must be a text"),
        ({"program": "a", "explore": 0}, "explore 0: must be a whole number, 1 or above"),
        ({"program": "a", "why": ["a:1", "--in-process"]}, "must be 2 texts"),
        ({"program": "a", "in_process": True}, "in_process: run has no such argument; it has program, parameters"),
    ]:
        document, is_error = client.call("run", **arguments)
        assert is_error and wanted in document["error"], document
    answer = client.ask("tools/call", name="sweep", arguments={})
    assert "there is no tool sweep; there are run, explain" in answer["error"]["message"]


def test_audit_gives_the_document_of_the_command(client):
    document, is_error = client.call("audit", program=f"{ROOT}/examples/programs/add/program.toml", budget=5)
    assert not is_error and document["schema"] == "tileproof-audit"
    document, is_error = client.call("audit", program=f"{ROOT}/examples/programs/hang/program.toml")
    assert is_error and "nothing is expected" in document["error"]


def test_codes_kernels_and_ops(client, tmp_path):
    document, is_error = client.call("explain", code="TP0601")
    assert not is_error and document["class"] == "Stuck" and document["page"].startswith("# TP0601:")
    assert len(client.call("explain")[0]["codes"]) > 50
    document, is_error = client.call("explain", code="TP9999")
    assert is_error and "there is no code TP9999" in document["error"]
    document, is_error = client.call("analyze", path=f"{ROOT}/examples/programs/add")
    assert not is_error and len(document["kernels"]) == 3
    document, is_error = client.call("op_new", name="scale")
    assert not is_error and "wrote scale/op.toml" in document["text"] and (tmp_path / "scale/op.toml").is_file()
    document, is_error = client.call("op_new", name="scale")
    assert is_error and "scale" in document["error"]
    document, is_error = client.call("op_check", op="scale")
    assert not is_error and document["schema"] == "tileproof-op-check" and document["pass"] is False
