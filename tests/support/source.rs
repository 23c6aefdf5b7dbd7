//! A small reader of Rust source for the house laws: text without comments and strings, tokens
//! with their lines, the module and test state at each token, and paths with `use` trees spread
//! out. It owns reading; what is allowed is said by the tests that use it.

use std::path::{Path, PathBuf};

/// One token: an identifier or a single character, and the line it stands on (from 1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    pub line: usize,
}

/// A path as written (`crate::git::Store`), with what is known about its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathUse {
    pub segments: Vec<String>,
    pub line: usize,
    /// Inline modules around it, outermost first.
    pub inside: Vec<String>,
    /// Inside something that only a test build has.
    pub in_test: bool,
}

/// A function with a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    pub line: usize,
    pub lines: usize,
}

/// All `.rs` files below `dir`, relative to the crate, sorted.
pub fn rust_files(dir: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut open = vec![root.join(dir)];
    let mut found = Vec::new();
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).expect("the crate's own folders can be read") {
            let path = entry.expect("a folder entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push(path.strip_prefix(root).expect("it lies below the root").to_path_buf());
            }
        }
    }
    found.sort();
    found
}

/// The text of a file named as `rust_files` names it.
pub fn read(path: &Path) -> String {
    let full = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&full).unwrap_or_else(|e| panic!("{}: {e}", full.display()))
}

/// The source with comments, strings and character literals turned to blanks; lines stay.
pub fn strip(source: &str) -> String {
    let chars: Vec<char> = source.chars().collect();
    let mut out = String::with_capacity(source.len());
    let mut i = 0;
    while i < chars.len() {
        let end = end_of_literal(&chars, i);
        if end > i {
            out.extend(chars[i..end].iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
            i = end;
        } else {
            out.push(chars[i]);
            i += 1;
        }
    }
    out
}

/// Where a comment, string or character that starts at `i` ends; `i` if none starts there.
fn end_of_literal(chars: &[char], i: usize) -> usize {
    let at = |k: usize| chars.get(k).copied().unwrap_or('\0');
    let after_word = i > 0 && is_word(chars[i - 1]);
    match at(i) {
        '/' if at(i + 1) == '/' => {
            (i..chars.len()).find(|k| chars[*k] == '\n').unwrap_or(chars.len())
        }
        '/' if at(i + 1) == '*' => end_of_block_comment(chars, i),
        '"' => end_of_string(chars, i + 1),
        'b' | 'c' if at(i + 1) == '"' && !after_word => end_of_string(chars, i + 2),
        'r' if !after_word => end_of_raw_string(chars, i, i + 1),
        'b' | 'c' if at(i + 1) == 'r' && !after_word => end_of_raw_string(chars, i, i + 2),
        '\'' if at(i + 1) == '\\' => {
            (i + 3..chars.len()).find(|k| chars[*k] == '\'').map_or(chars.len(), |k| k + 1)
        }
        '\'' if at(i + 2) == '\'' => i + 3,
        _ => i,
    }
}

fn end_of_block_comment(chars: &[char], start: usize) -> usize {
    let mut depth = 0usize;
    let mut i = start;
    while i < chars.len() {
        match (chars[i], chars.get(i + 1)) {
            ('/', Some('*')) => {
                depth += 1;
                i += 2;
            }
            ('*', Some('/')) => {
                depth -= 1;
                i += 2;
                if depth == 0 {
                    return i;
                }
            }
            _ => i += 1,
        }
    }
    i
}

fn end_of_string(chars: &[char], mut i: usize) -> usize {
    while i < chars.len() {
        match chars[i] {
            '\\' => i += 2,
            '"' => return i + 1,
            _ => i += 1,
        }
    }
    chars.len()
}

/// `start` is the literal's first character, `hashes` the first one after its `r`.
fn end_of_raw_string(chars: &[char], start: usize, hashes: usize) -> usize {
    let count = chars[hashes.min(chars.len())..].iter().take_while(|c| **c == '#').count();
    if chars.get(hashes + count) != Some(&'"') {
        return start;
    }
    let mut i = hashes + count + 1;
    while i < chars.len() {
        if chars[i] == '"'
            && chars[i + 1..].iter().take(count).filter(|c| **c == '#').count() == count
        {
            return i + 1 + count;
        }
        i += 1;
    }
    chars.len()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Identifiers, `::`, and single characters of stripped source.
pub fn tokens(stripped: &str) -> Vec<Token> {
    let mut found = Vec::new();
    for (number, line) in stripped.lines().enumerate() {
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let length = if is_word(first) {
                rest.find(|c| !is_word(c)).unwrap_or(rest.len())
            } else if rest.starts_with("::") {
                2
            } else {
                first.len_utf8()
            };
            found.push(Token { text: rest[..length].to_string(), line: number + 1 });
            rest = rest[length..].trim_start();
        }
    }
    found
}

/// An open brace: the inline module it belongs to, if any, and whether tests alone see it.
struct Scope {
    module: Option<String>,
    test: bool,
}

/// Walks tokens and knows, at each one, the inline modules around it and whether only a test
/// build has it.
#[derive(Default)]
struct Walker {
    open: Vec<Scope>,
    /// A test attribute was read whose item has not begun yet.
    attribute: bool,
    /// The name after a `mod` whose brace has not come yet.
    module: Option<String>,
}

impl Walker {
    fn step(&mut self, tokens: &[Token], i: usize) {
        self.attribute |= is_test_attribute(tokens, i);
        match tokens[i].text.as_str() {
            "mod" => self.module = tokens.get(i + 1).map(|t| t.text.clone()),
            "{" => {
                let test = std::mem::take(&mut self.attribute);
                self.open.push(Scope { module: self.module.take(), test });
            }
            "}" => {
                self.open.pop();
            }
            ";" => {
                self.module = None;
                self.attribute = false;
            }
            _ => {}
        }
    }

    fn in_test(&self) -> bool {
        self.attribute || self.open.iter().any(|s| s.test)
    }

    fn place(&self, segments: Vec<String>, line: usize) -> PathUse {
        let inside = self.open.iter().filter_map(|s| s.module.clone()).collect();
        PathUse { segments, line, inside, in_test: self.in_test() }
    }
}

/// Every path in the source, `use` trees spread out to one path a leaf.
pub fn paths(source: &str) -> Vec<PathUse> {
    let tokens = tokens(&strip(source));
    let mut walker = Walker::default();
    let mut found = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        walker.step(&tokens, i);
        if tokens[i].text == "use" {
            let (leaves, end) = use_tree(&tokens, i + 1, &[]);
            found.extend(leaves.into_iter().map(|(path, line)| walker.place(path, line)));
            i = end;
        } else if starts_path(&tokens, i) {
            let (segments, end) = path_at(&tokens, i);
            if segments.len() > 1 {
                found.push(walker.place(segments, tokens[i].line));
            }
            i = end;
        } else {
            i += 1;
        }
    }
    found
}

/// `#[cfg(test)]`, `#[cfg(all(test, …))]` or `#[test]` starting at `i`.
fn is_test_attribute(tokens: &[Token], i: usize) -> bool {
    if tokens[i].text != "#" || tokens.get(i + 1).is_none_or(|t| t.text != "[") {
        return false;
    }
    let words: Vec<&str> =
        tokens[i..].iter().take_while(|t| t.text != "]").map(|t| t.text.as_str()).collect();
    let named = words.get(2).copied().unwrap_or_default();
    named == "test" || (named == "cfg" && words.contains(&"test") && !words.contains(&"not"))
}

fn starts_path(tokens: &[Token], i: usize) -> bool {
    let word = tokens[i].text.chars().next().is_some_and(is_word);
    word && (i == 0 || tokens[i - 1].text != "::" || i < 2 || !ends_word(&tokens[i - 2]))
}

fn ends_word(token: &Token) -> bool {
    token.text.chars().next().is_some_and(is_word)
}

fn path_at(tokens: &[Token], start: usize) -> (Vec<String>, usize) {
    let mut segments = vec![tokens[start].text.clone()];
    let mut i = start + 1;
    while i + 1 < tokens.len() && tokens[i].text == "::" && ends_word(&tokens[i + 1]) {
        segments.push(tokens[i + 1].text.clone());
        i += 2;
    }
    (segments, i)
}

/// The leaves of the `use` tree that starts at `i`, and the token after it.
fn use_tree(
    tokens: &[Token],
    mut i: usize,
    before: &[String],
) -> (Vec<(Vec<String>, usize)>, usize) {
    let mut path = before.to_vec();
    let mut leaves = Vec::new();
    let line = tokens.get(i).map_or(0, |t| t.line);
    while i < tokens.len() {
        match tokens[i].text.as_str() {
            "{" => {
                i += 1;
                while i < tokens.len() && tokens[i].text != "}" {
                    let (more, end) = use_tree(tokens, i, &path);
                    leaves.extend(more);
                    i = if tokens.get(end).is_some_and(|t| t.text == ",") { end + 1 } else { end };
                }
                return (leaves, i + 1);
            }
            "," | "}" | ";" => break,
            "::" => {}
            // A renamed leaf: the name it gets is no part of the path.
            "as" => i += 1,
            "self" if path.len() > before.len() || !before.is_empty() => {}
            word => path.push(word.to_string()),
        }
        i += 1;
    }
    (vec![(path, line)], i)
}

/// Every function that has a body, with its length from `fn` to the closing brace.
pub fn functions(source: &str) -> Vec<Function> {
    let tokens = tokens(&strip(source));
    let mut found = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        let Some(name) = tokens.get(i + 1).filter(|t| token.text == "fn" && ends_word(t)) else {
            continue;
        };
        if let Some(end) = end_of_body(&tokens, i) {
            let lines = end + 1 - token.line;
            found.push(Function { name: name.text.clone(), line: token.line, lines });
        }
    }
    found
}

/// The last line of the body of the function whose `fn` is token `start`.
fn end_of_body(tokens: &[Token], start: usize) -> Option<usize> {
    let mut round = 0i32;
    let mut curly = 0i32;
    for token in &tokens[start..] {
        match token.text.as_str() {
            "(" | "[" => round += 1,
            ")" | "]" => round -= 1,
            ";" if round == 0 && curly == 0 => return None,
            "{" => curly += 1,
            "}" => {
                curly -= 1;
                if curly == 0 {
                    return Some(token.line);
                }
            }
            _ => {}
        }
    }
    None
}

/// Lines on which the method `name` is called, outside what only test builds have.
pub fn calls_outside_tests(source: &str, name: &str) -> Vec<usize> {
    let tokens = tokens(&strip(source));
    let mut walker = Walker::default();
    let mut found = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        walker.step(&tokens, i);
        let called = token.text == name
            && i > 0
            && tokens[i - 1].text == "."
            && tokens.get(i + 1).is_some_and(|t| t.text == "(");
        if called && !walker.in_test() {
            found.push(token.line);
        }
    }
    found
}
