//! Networks, clusters, and stores of other secrets. Data only, from published formats.

use super::super::rule::{Check, Find, Rule, Tier};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "tailscale-key",
        description: "Tailscale key",
        tier: Tier::Block,
        keywords: &["tskey-"],
        find: Find::Token(
            r"tskey-(?:auth|api|client|scim|webhook)-[A-Za-z0-9]{10,20}(?:CNTRL)?-[A-Za-z0-9]{20,40}",
        ),
        check: Check::Entropy(3.0),
        positive: &[&[
            "tsk", "ey-api", "-8zqOZC", "UYJpC", "NTRL-", "OpisF", "MdJuLbV", "rZHC1W", "Hq",
        ]],
        negative: &[&["tskey-api-"], &["a t", "oken st", "arts ", "with `", "tskey-.", "..`"]],
    },
    Rule {
        id: "docker-swarm-key",
        description: "Docker Swarm key",
        tier: Tier::Block,
        keywords: &["swmkey-1-", "swmtkn-1-"],
        find: Find::Token(r"SWMKEY-1-[A-Za-z0-9+/]{43}|SWMTKN-1-[a-z0-9]{50}-[a-z0-9]{25}"),
        check: Check::Entropy(3.0),
        positive: &[&[
            "SWMT", "KN-1-4pv", "xlhte9", "3g9hk", "z3ccc6g", "0i0wexkx", "kfva4tjq", "ggphj",
            "5r88h", "u3p-k8", "c6qxms", "z9nip8", "6pgagd", "5nofk",
        ]],
        negative: &[
            &["SWMKEY-1-1QBb"],
            &["a to", "ken st", "arts w", "ith `s", "wmkey-", "1-...`"],
        ],
    },
    Rule {
        id: "onepassword-secret-key",
        description: "1Password account key",
        tier: Tier::Block,
        keywords: &["a3-"],
        find: Find::Token(
            r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}",
        ),
        check: Check::Mixed(3.2),
        positive: &[&["A", "3-EA4C57", "-EEMDX0-", "FWK55", "-IQTD3-", "K1Y6T-8", "HEQO"]],
        negative: &[&["A3-PM39P5-"], &["a", " token ", "starts", " with `a", "3-...`"]],
    },
    Rule {
        id: "onepassword-service-token",
        description: "1Password service account token",
        tier: Tier::Block,
        keywords: &["ops_eyj"],
        find: Find::Token(r"ops_eyJ[A-Za-z0-9+/]{200,}={0,3}"),
        check: Check::Entropy(3.0),
        positive: &[&[
            "ops", "_eyJq", "izPHNro", "CY05L", "YRV9JXK", "OW40n", "459ZT", "fU94g", "ymM219K",
            "ZhAA2L", "G8Pdk", "zqQvWrGj", "v3wgqY", "I7w5QqaE", "gnVcR9S", "XTqto", "rY8hzrD6",
            "pffXs", "BD414", "rHjYcTwg", "5Jumv", "dC8UeIA8", "75RJMl", "6kgCZLv", "lpRowPS",
            "xiBajap", "Fz8roY", "f9tXs5", "RUK1kf", "0DyiW5I", "Mhz4D", "KTvhKr", "T6DlTY",
            "x9X9s",
        ]],
        negative: &[&["ops_eyJLRT5"], &["a t", "oken st", "arts wit", "h `ops_", "eyj..", ".`"]],
    },
    Rule {
        id: "mongodb-atlas-secret",
        description: "MongoDB Atlas service account secret",
        tier: Tier::Block,
        keywords: &["mdb_sa_sk_"],
        find: Find::Token(r"mdb_sa_sk_[A-Za-z0-9_-]{40}"),
        check: Check::Entropy(3.0),
        positive: &[&[
            "mdb_s", "a_sk_uF", "lHZYg9l", "aOq34D", "zX9iVqQ", "EpekIbd", "r4tndMV", "nMHZ",
        ]],
        negative: &[
            &["mdb_s", "a_sk_", "KSwM"],
            &["a tok", "en star", "ts with ", "`mdb_", "sa_sk_..", ".`"],
        ],
    },
    Rule {
        id: "okta-token",
        description: "Okta API token by name",
        tier: Tier::Block,
        keywords: &["okta"],
        find: Find::Named(r"00[A-Za-z0-9_=-]{39,40}"),
        check: Check::Mixed(3.4),
        positive: &[&[
            "okt",
            "a_token ",
            "= \"00VG2",
            "JXx4ef",
            "F6VyU",
            "e50I2G",
            "hkQgYN",
            "WQqB86M",
            "tR80hb\"",
        ]],
        negative: &[
            &["ok", "ta_to", "ken =", " \"${TO", "KEN}\""],
            &["ok", "ta reads", " its tok", "en from ", "the e", "nviro", "nment"],
        ],
    },
];
