//! Work tools and other services. Data only, from published formats.

use super::super::rule::{Check, Find, Rule, Tier};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "linear-key",
        description: "Linear API key",
        tier: Tier::Block,
        keywords: &["lin_api_", "lin_oauth_"],
        find: Find::Token(r"lin_(?:api|oauth)_[A-Za-z0-9]{40,64}"),
        check: Check::Entropy(3.0),
        positive: &[&[
            "lin_", "oauth_KX", "Rl3RQL", "51zEk", "bTUAiHm1", "c9S9BRl", "74chX", "r6S0wr", "T",
        ]],
        negative: &[&["lin_oauth_tG"], &["a to", "ken s", "tarts ", "with `", "lin_api", "_...`"]],
    },
    Rule {
        id: "linear-client-secret",
        description: "Linear secret by name",
        tier: Tier::Block,
        keywords: &["linear"],
        find: Find::Named(r"[0-9a-f]{32}"),
        check: Check::Entropy(2.8),
        positive: &[&[
            "lin", "ear_c", "lient_se", "cret ", "= \"6aa0", "c368ac4d", "aabd6", "c2dbb732",
            "15a9892", "\"",
        ]],
        negative: &[
            &["lin", "ear_cli", "ent_se", "cret = \"", "${TOKEN", "}\""],
            &["lin", "ear re", "ads it", "s token", " from", " the en", "vironm", "ent"],
        ],
    },
    Rule {
        id: "notion-token",
        description: "Notion token",
        tier: Tier::Block,
        keywords: &["ntn_"],
        find: Find::Token(r"ntn_[0-9]{11}[A-Za-z0-9]{35}"),
        check: Check::Entropy(3.0),
        positive: &[&[
            "nt", "n_134", "59668", "120uN0", "nlDzg", "l0mASSB", "alnVvxrf", "bNVFoQd", "o7jhE",
        ]],
        negative: &[&["ntn_975779"], &["a ", "token ", "starts w", "ith `nt", "n_...", "`"]],
    },
    Rule {
        id: "notion-legacy-token",
        description: "Notion token by name",
        tier: Tier::Block,
        keywords: &["notion"],
        find: Find::Named(r"secret_[A-Za-z0-9]{43}"),
        check: Check::Mixed(3.6),
        positive: &[&[
            "not", "ion_to", "ken = \"", "secret_R", "OtaxAZP", "4QYKBFNY", "4itOFZS0", "Z5eVBC6K",
            "hYQLC", "Okp72t\"",
        ]],
        negative: &[
            &["not", "ion_tok", "en = \"$", "{TOKEN", "}\""],
            &["not", "ion rea", "ds its", " toke", "n fro", "m the e", "nvironm", "ent"],
        ],
    },
    Rule {
        id: "airtable-token",
        description: "Airtable token",
        tier: Tier::Block,
        keywords: &["pat"],
        find: Find::Token(r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
        check: Check::Entropy(3.0),
        positive: &[&[
            "p", "atvor1", "cfhgIXP9", "WI.b9757", "d2566f3", "27f07ce8", "5b721d9", "d4fa716",
            "e32aa7cd", "8b9d5399", "eee94929", "cc708c",
        ]],
        negative: &[&["patoR5C6xV"], &["a", " token s", "tarts", " with", " `pat...", "`"]],
    },
    Rule {
        id: "figma-token",
        description: "Figma token",
        tier: Tier::Block,
        keywords: &["figd_"],
        find: Find::Token(r"figd_[A-Za-z0-9_-]{36,60}"),
        check: Check::Entropy(3.0),
        positive: &[&["fi", "gd_SkKF", "hqsghf", "eqnax9NO", "Auk9si", "YXZdVP", "PEyV3", "C"]],
        negative: &[&["figd_RZkbd"], &["a ", "token", " starts ", "with `f", "igd_..", ".`"]],
    },
    Rule {
        id: "figma-header-token",
        description: "Figma token by name",
        tier: Tier::Block,
        keywords: &["figma"],
        find: Find::Named(
            r"[0-9A-Fa-f]{4,5}-[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}",
        ),
        check: Check::Entropy(2.8),
        positive: &[&[
            "x-f", "igma-", "token ", "= \"9B86", "-99cE", "B1FD-5", "ADe-a", "D4E-00", "cE-4B",
            "F12baaC", "042\"",
        ]],
        negative: &[
            &["x-", "fi", "gma-tok", "en = \"$", "{TOKEN}", "\""],
            &["fi", "gma re", "ads its ", "token", " from", " the e", "nvironme", "nt"],
        ],
    },
];
