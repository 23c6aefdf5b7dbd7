//! Judgements about a single value, without its surroundings: how random it is, whether it is a
//! placeholder, whether it reads as words. Owns no rule and no text position.

/// Bytes of a value that are looked at; no credential needs more to be judged.
const LOOKED_AT: usize = 256;
/// A byte so many times in a row is a mask, not a secret.
const MASK_RUN: usize = 6;
/// So many bytes that each follow the one before (`abcdef`, `123456`) are a filler.
const SEQUENCE_RUN: usize = 5;

/// Shannon entropy in bits per byte.
pub(super) fn entropy(value: &[u8]) -> f32 {
    let mut counts = [0u32; 256];
    for &byte in value {
        counts[byte as usize] += 1;
    }
    let total = value.len().max(1) as f32;
    let bits = |count: u32| {
        let share = count as f32 / total;
        -share * share.log2()
    };
    counts.iter().filter(|&&count| count > 0).map(|&count| bits(count)).sum()
}

/// Which kinds of byte a value has.
#[derive(Clone, Copy, Default)]
pub(super) struct Classes {
    pub(super) lower: usize,
    pub(super) upper: usize,
    pub(super) digit: usize,
    pub(super) other: usize,
}

impl Classes {
    /// Counts the kinds of byte in `value`.
    pub(super) fn of(value: &[u8]) -> Classes {
        let mut classes = Classes::default();
        for byte in value {
            match byte {
                b'a'..=b'z' => classes.lower += 1,
                b'A'..=b'Z' => classes.upper += 1,
                b'0'..=b'9' => classes.digit += 1,
                _ => classes.other += 1,
            }
        }
        classes
    }

    /// How many kinds there are.
    pub(super) fn kinds(self) -> usize {
        [self.lower, self.upper, self.digit, self.other].iter().filter(|&&count| count > 0).count()
    }

    pub(super) fn letters(self) -> usize {
        self.lower + self.upper
    }
}

/// Only hexadecimal digits, and letters of one case.
pub(super) fn is_hex(value: &[u8]) -> bool {
    let classes = Classes::of(value);
    value.iter().all(u8::is_ascii_hexdigit) && (classes.lower == 0 || classes.upper == 0)
}

/// The 8-4-4-4-12 form.
pub(super) fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Words that stand where a secret would be, in lower case.
const STAND_INS: [&str; 16] = [
    "example",
    "placeholder",
    "changeme",
    "change_me",
    "change-me",
    "redacted",
    "dummy",
    "your_",
    "your-",
    "yours",
    "xxxx",
    "****",
    "...",
    "\u{2026}",
    "insert",
    "removed",
];
/// Marks of a template, a reference or a command, which name a secret instead of holding it.
const REFERENCES: [&str; 10] = ["${", "{{", "}}", "$(", "#{", "%(", "<", "op://", "vault:", "%s"];

/// Nobody's secret, whatever the format: a mask, a template, a documented example.
pub(super) fn is_masked(value: &[u8]) -> bool {
    let lower = value[..value.len().min(LOOKED_AT)].to_ascii_lowercase();
    let has = |word: &&str| lower.windows(word.len()).any(|here| here == word.as_bytes());
    STAND_INS.iter().chain(&REFERENCES).any(has)
        || longest_run(&lower) >= MASK_RUN
        || (lower.len() >= 16 && distinct(&lower) <= 5)
}

/// Alphabet and digit rows rather than chance: `abcdef1234567890…`.
pub(super) fn is_sequence(value: &[u8]) -> bool {
    let lower = value[..value.len().min(LOOKED_AT)].to_ascii_lowercase();
    let follows =
        |pair: &[u8]| pair[1] == pair[0].wrapping_add(1) || (pair[0] == b'9' && pair[1] == b'0');
    let (mut run, mut inside) = (1, 0);
    for pair in lower.windows(2) {
        if follows(pair) {
            run += 1;
            continue;
        }
        inside += if run >= SEQUENCE_RUN { run } else { 0 };
        run = 1;
    }
    inside += if run >= SEQUENCE_RUN { run } else { 0 };
    inside * 10 >= lower.len() * 6 || (!is_hex(value) && climbs(&lower))
}

/// Letters that mostly rise in small steps, whatever stands between them: `aB3dE6gH9…`.
fn climbs(lower: &[u8]) -> bool {
    let letters: Vec<u8> = lower.iter().copied().filter(u8::is_ascii_lowercase).collect();
    let rises = letters.windows(2).filter(|pair| (1..=3).contains(&pair[1].wrapping_sub(pair[0])));
    letters.len() >= 10 && rises.count() * 10 >= (letters.len() - 1) * 7
}

fn longest_run(value: &[u8]) -> usize {
    value.chunk_by(|a, b| a == b).map(<[u8]>::len).max().unwrap_or(0)
}

fn distinct(value: &[u8]) -> usize {
    let mut seen = [false; 256];
    value.iter().for_each(|&byte| seen[byte as usize] = true);
    seen.iter().filter(|&&seen| seen).count()
}

/// Pairs of letters that make up about four fifths of running English.
const COMMON_PAIRS: &str = "th he in er an re nd at on nt ha es st en ed to it ou ea hi is or ti \
    as te et ng of al de se le sa si ar ve ra ld ur ro ne me ll ri io ic co ma ce us li ch be el \
    ta la ec ca ns om no di pe tr rs ac ge ee ot ut un mo ss em lo ad id ct so il wi wh po na nc \
    we ho ul ir pr ni do ai sh ie ai im mi su ow op ig ex am ke ap cl fi ay ok ab pa sp ag ob oc \
    rt ry ty ly ty ev ei ef ff fo ga gh go gr ht if ip iv ki ks lu mp my ol od oo os pl pu qu rd \
    rv sc sw sk ts tu tt tl ui um up va vi wo ye ey da ba bl br bo bu by cr cu cy dr du fe fr fu";

const PAIR_TABLE: [u32; 26] = {
    let pairs = COMMON_PAIRS.as_bytes();
    let mut table = [0; 26];
    let mut at = 0;
    while at + 1 < pairs.len() {
        if pairs[at] == b' ' || pairs[at + 1] == b' ' {
            at += 1;
            continue;
        }
        table[(pairs[at] - b'a') as usize] |= 1 << (pairs[at + 1] - b'a');
        at += 2;
    }
    table
};

/// The share of a value, 0 to 1, that reads as words: runs of at least three letters whose pairs
/// are mostly common ones. Camel case ends a word.
pub(super) fn wordiness(value: &[u8]) -> f32 {
    let value = &value[..value.len().min(LOOKED_AT)];
    let same_word = |a: &u8, b: &u8| {
        a.is_ascii_alphabetic()
            && b.is_ascii_alphabetic()
            && !(a.is_ascii_lowercase() && b.is_ascii_uppercase())
    };
    let words = value.chunk_by(same_word).filter(|word| word.len() >= 3 && reads_as_word(word));
    words.map(<[u8]>::len).sum::<usize>() as f32 / value.len().max(1) as f32
}

fn reads_as_word(word: &[u8]) -> bool {
    let letter = |byte: u8| byte.to_ascii_lowercase().wrapping_sub(b'a');
    let common = |pair: &&[u8]| {
        let (a, b) = (letter(pair[0]), letter(pair[1]));
        PAIR_TABLE.get(a as usize).is_some_and(|row| b < 26 && row >> b & 1 == 1)
    };
    let hits = word.windows(2).filter(common).count();
    hits * 10 >= (word.len() - 1) * 6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_read_as_words_and_chance_does_not() {
        assert!(wordiness(b"sharedFileCredentials") > 0.8);
        assert!(wordiness(b"q7Rz2mVb9Xk4TtLw8Yc3") < 0.2);
    }

    #[test]
    fn fillers_and_masks_are_known() {
        assert!(is_sequence(b"abcdef1234567890ABCDEF"));
        assert!(is_sequence(b"aB3dE6gH9jK2mN5qR8tV1xY4"));
        assert!(!is_sequence(b"q7Rz2mVb9Xk4TtLw8Yc3"));
        assert!(
            is_masked(b"abc...") && is_masked(b"${TOKEN}") && is_masked(b"AKIAXXXXXXXXXXXXXXXX")
        );
        assert!(!is_masked(b"q7Rz2mVb9Xk4TtLw8Yc3"));
    }

    #[test]
    fn entropy_is_in_bits_per_byte() {
        assert_eq!(entropy(b"aaaa"), 0.0);
        assert!((entropy(b"abcd") - 2.0).abs() < 1e-6);
        assert_eq!(entropy(b""), 0.0);
    }
}
