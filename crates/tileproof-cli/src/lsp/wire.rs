//! Messages of the Language Server Protocol as bytes: a header with their length, then JSON-RPC.
//!
//! It must never end because of what it reads: whatever is garbled is told, and the next header is looked for. Start at
//! [`Reader::next`].

use std::io::{BufRead, Read as _};

use serde_json::{Value, json};

use crate::terminal::{Unwritable, pass_on};

/// What a message may have at most: a header that says more is garbled.
const MOST_BYTES: usize = 256 << 20;
/// What is kept of a line of a header.
const LINE: usize = 4096;
const LENGTH: &str = "content-length:";

/// The text is no JSON, or has no header.
pub(super) const PARSE_ERROR: i64 = -32700;
/// No message of the protocol, or not now.
pub(super) const INVALID_REQUEST: i64 = -32600;
/// A request that is not known.
pub(super) const METHOD_NOT_FOUND: i64 = -32601;
/// A request without what it needs.
pub(super) const INVALID_PARAMS: i64 = -32602;
/// A fault of this server.
pub(super) const INTERNAL_ERROR: i64 = -32603;
/// A request before `initialize`.
pub(super) const NOT_INITIALIZED: i64 = -32002;

/// What came.
#[derive(PartialEq, Debug)]
pub(super) enum Received {
    Message(Value),
    /// What cannot be read, and why.
    Garbled(String),
    /// Nothing will come any more.
    End,
}

/// Where messages come from.
pub(super) struct Reader<R>(pub(super) R);

impl<R: BufRead> Reader<R> {
    /// The next message.
    pub(super) fn next(&mut self) -> Received {
        let mut length = None;
        let mut garbled = None;
        loop {
            let Some(line) = self.line() else { return Received::End };
            if line.is_empty() {
                return match (length, garbled) {
                    (Some(length), _) => self.body(length),
                    (None, Some(line)) => Received::Garbled(format!("a header has no Content-Length, but {line:?}")),
                    (None, None) => Received::Garbled("a header has no Content-Length".into()),
                };
            }
            // What is left of a message whose header was garbled may stand before it.
            match line.to_ascii_lowercase().rfind(LENGTH) {
                Some(at) => match line[at + LENGTH.len()..].trim().parse() {
                    Ok(bytes) if bytes <= MOST_BYTES => length = Some(bytes),
                    _ => garbled = Some(line),
                },
                None if line.contains(':') => {}
                None => garbled = Some(line),
            }
        }
    }

    /// A line without its end, of a long one the last part; `None` where there is none any more.
    fn line(&mut self) -> Option<String> {
        let mut line = Vec::new();
        loop {
            let piece = self.0.fill_buf().ok().filter(|piece| !piece.is_empty())?;
            let end = piece.iter().position(|byte| *byte == b'\n');
            line.extend_from_slice(&piece[..end.unwrap_or(piece.len())]);
            let used = end.map_or(piece.len(), |end| end + 1);
            self.0.consume(used);
            line.drain(..line.len().saturating_sub(LINE));
            if end.is_some() {
                return Some(String::from_utf8_lossy(&line).trim_end_matches('\r').into());
            }
        }
    }

    fn body(&mut self, length: usize) -> Received {
        let mut body = Vec::new();
        match (&mut self.0).take(length as u64).read_to_end(&mut body) {
            Ok(read) if read == length => match serde_json::from_slice(&body) {
                Ok(message) => Received::Message(message),
                Err(error) => Received::Garbled(format!("a message is no JSON: {error}")),
            },
            _ => Received::End,
        }
    }
}

/// Sends a message.
pub(super) fn send(mut message: Value) -> Result<(), Unwritable> {
    message["jsonrpc"] = "2.0".into();
    let text = message.to_string();
    pass_on(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes())
}

/// Sends what needs no answer.
pub(super) fn notify(method: &str, params: Value) -> Result<(), Unwritable> {
    send(json!({ "method": method, "params": params }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<Received> {
        let mut reader = Reader(text.as_bytes());
        let mut found = Vec::new();
        loop {
            match reader.next() {
                Received::End => return found,
                other => found.push(other),
            }
        }
    }

    fn is_garbled(received: &Received) -> bool {
        matches!(received, Received::Garbled(_))
    }

    #[test]
    fn messages_are_read_one_after_the_other() {
        let found = all("Content-Length: 2\r\n\r\n{}Content-Type: x\r\ncontent-length:3\r\n\r\n[1]");
        assert_eq!(found, [Received::Message(json!({})), Received::Message(json!([1]))]);
    }

    #[test]
    fn behind_what_is_garbled_messages_are_read_again() {
        let good = "Content-Length: 2\r\n\r\n{}";
        let last = Received::Message(json!({}));
        for bad in [
            "nonsense\r\n\r\n",
            "Content-Length: ten\r\n\r\n{\"a\":1}",
            "Content-Length: -2\r\n\r\n{}",
            "Content-Length: 99999999999999999999\r\n\r\n{}",
            "Content-Length: 4000000000\r\n\r\n{}",
            "Content-Type: x\r\n\r\n",
            "Content-Length: 3\r\n\r\n{a}",
            "Content-Length: 2\r\n\r\n\u{e9}",
        ] {
            let found = all(&format!("{bad}{good}"));
            assert_eq!(found.last(), Some(&last), "{bad:?}: {found:?}");
            assert!(found.len() > 1 && found[..found.len() - 1].iter().all(is_garbled), "{bad:?}: {found:?}");
        }
        // A header that says too much takes the message behind it along, and no more.
        let found = all(&format!("Content-Length: 9\r\n\r\n{{}}{good}{good}"));
        assert_eq!(found.last(), Some(&last), "{found:?}");
        let long = "x".repeat(3 * LINE);
        assert_eq!(all(&format!("{long}{good}")), [last]);
    }

    #[test]
    fn what_ends_in_the_middle_is_the_end() {
        for text in ["", "Content-Length: 2", "Content-Length: 2\r\n\r\n{"] {
            assert_eq!(all(text), []);
        }
    }
}
