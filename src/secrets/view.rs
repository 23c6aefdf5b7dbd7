//! What a reader sees of a text: UTF-16 decoded, invisible characters and Markdown's `\_` taken
//! out, each with a map back to the bytes of the source. Owns no rule.

/// A text without the characters that a reader does not see.
pub(super) struct Stripped {
    /// What is left.
    pub(super) text: Vec<u8>,
    /// `(place here, place in the source)` of each stretch that was copied, ascending.
    stretches: Vec<(usize, usize)>,
}

impl Stripped {
    /// Copies `source` without what [`veil_len`] knows, from its first such place on.
    pub(super) fn new(source: &[u8], first_veil: usize) -> Stripped {
        let mut text = Vec::with_capacity(source.len());
        let mut stretches = vec![(0, 0)];
        text.extend_from_slice(&source[..first_veil]);
        let mut at = first_veil;
        while at < source.len() {
            match veil_len(&source[at..]) {
                0 => {
                    text.push(source[at]);
                    at += 1;
                }
                length => {
                    at += length;
                    stretches.push((text.len(), at));
                }
            }
        }
        Stripped { text, stretches }
    }

    fn source(&self, at: usize) -> usize {
        let after = self.stretches.partition_point(|stretch| stretch.0 <= at);
        let (here, there) = self.stretches[after - 1];
        there + (at - here)
    }

    /// The source range of a non-empty range; what was taken out around it is no part of it.
    pub(super) fn source_range(&self, start: usize, end: usize) -> (usize, usize) {
        let start = self.source(start);
        (start, (self.source(end.saturating_sub(1)) + 1).max(start + 1))
    }
}

/// UTF-16 text as UTF-8.
pub(super) struct Decoded {
    /// The text in UTF-8; a lone surrogate is U+FFFD.
    pub(super) text: Vec<u8>,
    /// `(place here, place in the source)` of each character, and of the end.
    characters: Vec<(usize, usize)>,
}

impl Decoded {
    /// Decodes `source` if it begins with a UTF-16 byte-order mark.
    pub(super) fn from_utf16(source: &[u8]) -> Option<Decoded> {
        let unit: fn([u8; 2]) -> u16 = match source {
            [0xFF, 0xFE, ..] => u16::from_le_bytes,
            [0xFE, 0xFF, ..] => u16::from_be_bytes,
            _ => return None,
        };
        let (pairs, _odd_byte) = source.as_chunks::<2>();
        let mut text = Vec::with_capacity(source.len() / 2);
        let mut characters = Vec::with_capacity(pairs.len());
        let mut at = 2;
        for decoded in char::decode_utf16(pairs.iter().skip(1).map(|&pair| unit(pair))) {
            let character = decoded.unwrap_or(char::REPLACEMENT_CHARACTER);
            characters.push((text.len(), at));
            at += 2 * character.len_utf16();
            text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        characters.push((text.len(), at));
        Some(Decoded { text, characters })
    }

    /// The source range of the characters that a range touches.
    pub(super) fn source_range(&self, start: usize, end: usize) -> (usize, usize) {
        let first = self.characters.partition_point(|character| character.0 <= start);
        let last = self.characters.partition_point(|character| character.0 < end);
        let place = |index: usize| self.characters[index.min(self.characters.len() - 1)].1;
        (place(first.saturating_sub(1)), place(last))
    }
}

/// Length of an invisible character or of the backslash of `\_` at the start of `text`, else 0.
pub(super) fn veil_len(text: &[u8]) -> usize {
    match text {
        [b'\\', b'_', ..] => 1,
        // Soft hyphen.
        [0xC2, 0xAD, ..] => 2,
        // Zero-width space, joiners, direction marks; embeddings and overrides.
        [0xE2, 0x80, 0x8B..=0x8F | 0xAA..=0xAE, ..] => 3,
        // Word joiner, invisible operators, isolates.
        [0xE2, 0x81, 0xA0..=0xA9, ..] => 3,
        // Zero-width no-break space.
        [0xEF, 0xBB, 0xBF, ..] => 3,
        _ => 0,
    }
}
