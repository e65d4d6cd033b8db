//! The command as people and programs call it: arguments in; exit code, texts and documents out.

mod audit;
mod audits_kept;
mod book;
mod cache;
mod command_line;
mod fuzzed;
mod hostile;
mod interrupted;
mod killed;
mod lsp;
mod neighbours;
mod new;
mod op;
mod outside;
mod public_bugs;
mod reference;
mod refusals;
mod report;
mod run;
mod schemas;
mod streams;
mod sweep;
mod trace;
mod verdicts;
