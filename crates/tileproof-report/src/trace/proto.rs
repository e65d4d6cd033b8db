//! Protobuf messages as bytes: fields one after the other, each with its number.
//!
//! It knows nothing of what the fields mean. Start at [`Message`]. The encoding is that of protobuf.dev, "Encoding".

/// A message that is being written.
#[derive(Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    /// An integer, or a boolean as 0 or 1.
    pub(super) fn number(mut self, field: u32, value: u64) -> Message {
        self.varint(u64::from(field) << 3);
        self.varint(value);
        self
    }

    /// An integer of always eight bytes.
    pub(super) fn fixed(mut self, field: u32, value: u64) -> Message {
        self.varint(u64::from(field) << 3 | 1);
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    /// Text.
    pub(super) fn text(mut self, field: u32, text: &str) -> Message {
        self.bytes(field, text.as_bytes());
        self
    }

    /// A message in this one.
    pub(super) fn message(mut self, field: u32, message: Message) -> Message {
        self.bytes(field, &message.0);
        self
    }

    /// The bytes.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn bytes(&mut self, field: u32, bytes: &[u8]) {
        self.varint(u64::from(field) << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of protobuf.dev, "Encoding": a message with field 1 = 150, and one with it as field 3.
    #[test]
    fn the_examples_of_the_specification_come_out() {
        let one = || Message::default().number(1, 150);
        assert_eq!(one().into_bytes(), [0x08, 0x96, 0x01]);
        assert_eq!(Message::default().message(3, one()).into_bytes(), [0x1a, 0x03, 0x08, 0x96, 0x01]);
        assert_eq!(Message::default().text(2, "testing").into_bytes(), *b"\x12\x07testing");
    }
}
