// Starts `tileproof lsp` for kernels in C++ and program files.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const settings = vscode.workspace.getConfiguration("tileproof");
  const options = ["run", "limit", "programs"].flatMap((name) => [`--${name}`, String(settings.get(name))]);
  const server = { command: settings.get("command"), args: ["lsp", ...options] };
  const files = ["cpp", "cc", "h", "hpp", "inl", "toml"].map((end) => ({ scheme: "file", pattern: `**/*.${end}` }));
  client = new LanguageClient("tileproof", "Tileproof", server, { documentSelector: files });
  return client.start();
};

exports.deactivate = () => client?.stop();
