//! Which characters of a name nobody can see, or change how the rest of it is seen.

/// Why a character has no place in a name, or `None` if it may stand there.
pub(super) fn refused(c: char) -> Option<&'static str> {
    match c {
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => Some("it holds a control character"),
        '\u{2028}' | '\u{2029}' => Some("it holds a line separator"),
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}' => {
            Some("it holds a character that changes the direction of text")
        }
        '\u{ad}'
        | '\u{34f}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200d}'
        | '\u{2060}'..='\u{2065}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => Some("it holds a character that cannot be seen"),
        _ => None,
    }
}

/// Whether `next` only picks the emoji or text form of the symbol before it, as in a heart that
/// is drawn in colour; that is how keyboards type them.
pub(super) fn picks_form(symbol: Option<char>, next: char) -> bool {
    let symbol = matches!(symbol, Some('\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}'));
    symbol && matches!(next, '\u{fe0e}' | '\u{fe0f}')
}
