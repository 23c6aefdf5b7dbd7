//! The checks that formats carry in themselves: checksums, encodings, inner structure.

use super::rule::Check;
use super::value::{Classes, entropy};

const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Digits of a checksum at the end of a token.
const CRC_DIGITS: usize = 6;

/// What a check says of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// As the rule says.
    Passes,
    /// The form is right, the checksum is not.
    Doubtful,
    /// Something else that looks alike.
    Fails,
}

/// Applies a rule's check to the value its pattern found.
pub(super) fn judge(check: Check, value: &[u8]) -> Outcome {
    let pass = |holds: bool| if holds { Outcome::Passes } else { Outcome::Fails };
    match check {
        Check::Plain => Outcome::Passes,
        Check::Entropy(least) => pass(entropy(value) >= least),
        Check::Mixed(least) => {
            let classes = Classes { other: 0, ..Classes::of(value) };
            pass(classes.kinds() >= 2 && entropy(value) >= least)
        }
        Check::Crc62 if crc62_holds(value) => Outcome::Passes,
        // A made-up body of few letters is no token, with or without a checksum.
        Check::Crc62 if entropy(value) < 3.0 => Outcome::Fails,
        Check::Crc62 => Outcome::Doubtful,
        Check::Jwt => pass(jwt_header_holds(value)),
    }
}

fn crc62_holds(token: &[u8]) -> bool {
    let Some(prefix) = token.iter().position(|&byte| byte == b'_') else { return false };
    let body = &token[prefix + 1..];
    let Some(split) = body.len().checked_sub(CRC_DIGITS) else { return false };
    base62(crc32(&body[..split])) == body[split..]
}

/// CRC-32 as zip and git hosts use it (reflected polynomial 0xEDB88320).
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0u32, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), step))
}

fn base62(mut number: u32) -> [u8; CRC_DIGITS] {
    let mut digits = [b'0'; CRC_DIGITS];
    for digit in digits.iter_mut().rev() {
        *digit = BASE62[(number % 62) as usize];
        number /= 62;
    }
    digits
}

fn jwt_header_holds(token: &[u8]) -> bool {
    let header = token.split(|&byte| byte == b'.').next().unwrap_or_default();
    let json = decode_base64(header);
    json.first() == Some(&b'{') && json.windows(5).any(|here| here == b"\"alg\"")
}

/// Decodes base64 of either alphabet up to the first byte that is neither.
pub(super) fn decode_base64(text: &[u8]) -> Vec<u8> {
    let (mut bits, mut held, mut out) = (0u32, 0, Vec::with_capacity(text.len() * 3 / 4));
    for byte in text {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => break,
        };
        bits = (bits << 6) | u32::from(six);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crc32_gives_the_published_check_value() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }

    #[test]
    fn base62_pads_with_zeros() {
        assert_eq!(&base62(61), b"00000z");
        assert_eq!(&base62(62), b"000010");
    }

    #[test]
    fn base64_of_both_alphabets_decodes_up_to_the_padding() {
        assert_eq!(decode_base64(b"a2l0aA=="), b"kith");
        assert_eq!(decode_base64(b"-_-_"), decode_base64(b"+/+/"));
    }
}
