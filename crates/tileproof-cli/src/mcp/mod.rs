//! `tileproof mcp`: the command for programs that write kernels, over the Model Context Protocol on stdin and stdout.
//!
//! A tool is a command line of this command with `--format json`, in a process of its own: what comes back is the document that
//! the command prints. It must never do what no command does. Start at [`serve`]; the tools are in `tools.rs`.

mod tools;

use std::ffi::OsString;
use std::process::Stdio;
use std::sync::Arc;

use anyhow::Context;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::{Map, Value, json};

const INSTRUCTIONS: &str = "\
Tileproof runs Tenstorrent tt-metal tile kernels (C++) on a simulated Tensix core, bit for bit, and says what is wrong with them. \
Write a program file (TOML) beside the kernels, call `run` with it, read its `findings`, and call `explain` with a code for what it \
means and how it is mended. `analyze` says what a kernel does without running it; `op_new` and `op_check` take an op from a skeleton to proven kernels.";

struct Server {
    /// The command line that starts this command without arguments.
    itself: Vec<OsString>,
}

/// Serves until stdin ends.
pub(crate) fn serve(itself: &[OsString]) -> anyhow::Result<()> {
    let server = Server { itself: itself.to_vec() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let running = server.serve(rmcp::transport::stdio()).await.context("the client said no hello")?;
        running.waiting().await?;
        Ok(())
    })
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut config = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        config.server_info = Implementation::new("tileproof", env!("CARGO_PKG_VERSION"));
        config.instructions = Some(INSTRUCTIONS.into());
        config
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tool = |tool: &tools::Tool| {
            Tool::new_with_raw(tool.name, Some(tool.description.into()), Arc::new(tools::schema(tool)))
        };
        Ok(ListToolsResult::with_all_items(tools::TOOLS.iter().map(tool).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = tools::TOOLS.iter().find(|tool| tool.name == request.name).ok_or_else(|| {
            ErrorData::invalid_params(format!("there is no tool {}; there are {}", request.name, tools::names()), None)
        })?;
        let arguments = request.arguments.unwrap_or_default();
        let result = match tools::words(tool, &arguments) {
            Ok(words) if tool.name == tools::EXPLAIN => tools::explain(words.last().map(String::as_str)),
            Ok(words) => self.run(tool, &words).await?,
            Err(why) => Err(tools::refused(&why)),
        };
        Ok(match result {
            Ok(document) => CallToolResult::structured(document),
            Err(document) => CallToolResult::structured_error(document),
        }
        .into())
    }
}

impl Server {
    /// The document that a command line of this command prints; that of bad input is an error of the tool.
    async fn run(&self, tool: &tools::Tool, words: &[String]) -> Result<Result<Value, Value>, ErrorData> {
        let ours = |why: String| ErrorData::internal_error(why, None);
        let (program, first) = self.itself.split_first().ok_or_else(|| ours("the command is not known".into()))?;
        let output = tokio::process::Command::new(program)
            .args(first)
            .args(words)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            // A call that the client has given up ends with its kernels.
            .kill_on_drop(true)
            .output()
            .await
            .map_err(|error| ours(format!("{}: {error}", program.to_string_lossy())))?;
        let said = String::from_utf8_lossy(&output.stderr).trim().to_string();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let document = if tool.prints_json {
            serde_json::from_str(&text).map_err(|_| ours(said.clone()))
        } else {
            Ok(json!({ "text": text.trim_end() }))
        };
        Ok(match output.status.code() {
            Some(0 | 1) => Ok(in_object(document?)),
            Some(2) if tool.prints_json => Err(in_object(document?)),
            Some(2) => Err(tools::refused(said.trim_start_matches("error: "))),
            _ => return Err(ours(said)),
        })
    }
}

/// Structured content is an object: a list goes into one.
fn in_object(document: Value) -> Value {
    match document {
        Value::Array(list) => Value::Object(Map::from_iter([("kernels".to_string(), Value::Array(list))])),
        document => document,
    }
}
