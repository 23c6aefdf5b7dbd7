//! Clouds that host applications, and their neighbours. Data only, from published formats.

use super::super::rule::{Check, Find, Rule, Tier};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "digitalocean-token",
        description: "DigitalOcean token",
        tier: Tier::Block,
        keywords: &["dop_v1_", "doo_v1_", "dor_v1_"],
        find: Find::Token(r"do[opr]_v1_[0-9a-f]{64}"),
        check: Check::Entropy(3.0),
        positive: &[&[
            "dor", "_v1_b188", "cc102d", "db8379c", "7ce65426", "f74bde9", "4fb78c8d", "5f08b79",
            "affd2", "b49c12a", "4b006",
        ]],
        negative: &[&["doo_v1_9834"], &["a t", "oken st", "arts wit", "h `dop_v", "1_...`"]],
    },
    Rule {
        id: "heroku-key",
        description: "Heroku API key",
        tier: Tier::Block,
        keywords: &["hrku-"],
        find: Find::Token(
            r"HRKU-(?:AA[A-Za-z0-9_-]{58}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})",
        ),
        check: Check::Entropy(3.0),
        positive: &[&["HR", "KU-Ab", "6Ef3a6-a", "94C-E", "21c-BcBC", "-1c93", "016fD", "F1A"]],
        negative: &[&["HRKU-D4EFD"], &["a ", "token st", "arts wit", "h `hr", "ku-..", ".`"]],
    },
    Rule {
        id: "heroku-named-key",
        description: "Heroku API key by name",
        tier: Tier::Block,
        keywords: &["heroku"],
        find: Find::Named(
            r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}",
        ),
        check: Check::Entropy(2.8),
        positive: &[&[
            "her", "oku_api_", "key = ", "\"DCF4f", "dB3-2", "Ef6-4E0", "d-00FF", "-32634f0",
            "8C7e5\"",
        ]],
        negative: &[
            &["her", "oku_api_", "key = \"$", "{TOKEN}", "\""],
            &["her", "oku rea", "ds its ", "token", " from t", "he en", "vironm", "ent"],
        ],
    },
    Rule {
        id: "cloudflare-key",
        description: "Cloudflare API key by name",
        tier: Tier::Block,
        keywords: &["cloudflare"],
        find: Find::Named(r"[A-Za-z0-9_-]{40}|[0-9a-f]{37}"),
        check: Check::Mixed(3.0),
        positive: &[&[
            "clo", "udfla", "re_api", "_key = ", "\"7ccc", "7e90a88", "d519448", "fb2fc", "6791c",
            "e680c", "e2b2\"",
        ]],
        negative: &[
            &["cloud", "flare_ap", "i_key ", "= \"${TO", "KEN}\""],
            &["cloud", "flare re", "ads i", "ts token", " from ", "the env", "ironm", "ent"],
        ],
    },
    Rule {
        id: "cloudflare-origin-ca-key",
        description: "Cloudflare origin CA key",
        tier: Tier::Block,
        keywords: &["v1.0-"],
        find: Find::Token(r"v1\.0-[0-9a-f]{24}-[0-9a-f]{146}"),
        check: Check::Entropy(3.0),
        positive: &[&[
            "v1", ".0-65c2", "011bef", "2c328a", "72c5e5b", "7-751", "8b1018f1", "34a069e",
            "3fab8c", "3bfc5e74", "0e615", "72b4e", "3c02eaa7", "f3b4a", "715e4e48", "dd74089a",
            "58f3ae", "f3416f93", "86bd877", "3c9d5", "1940ea4e", "095bd1d6", "85457562",
            "2f85646", "9602d1b", "a9f20df", "4875",
        ]],
        negative: &[&["v1.0-b15b0"], &["a ", "token st", "arts wit", "h `v1.0", "-...`"]],
    },
    Rule {
        id: "alibaba-access-key-id",
        description: "Alibaba Cloud access key id",
        tier: Tier::Block,
        keywords: &["ltai"],
        find: Find::Token(r"LTAI[A-Za-z0-9]{17,21}"),
        check: Check::Mixed(3.2),
        positive: &[&["LT", "AIyv2", "fYcTL", "iTzJbkY", "lO"]],
        negative: &[&["LTAIF06VU1"], &["a ", "token s", "tarts w", "ith `lta", "i...`"]],
    },
    Rule {
        id: "alibaba-secret-key",
        description: "Alibaba Cloud secret key by name",
        tier: Tier::Block,
        keywords: &["alibaba", "aliyun"],
        find: Find::Named(r"[A-Za-z0-9]{30}"),
        check: Check::Mixed(3.4),
        positive: &[&[
            "ali", "yun_acce", "ss_key", "_secret", " = \"Yd", "WCmrWc", "8ArEhOGa", "XgZpj7",
            "kJ4M9", "afZ\"",
        ]],
        negative: &[
            &["ali", "yun_acc", "ess_k", "ey_secre", "t = \"", "${TOK", "EN}\""],
            &["ali", "baba ", "reads i", "ts token", " from", " the ", "envir", "onment"],
        ],
    },
    Rule {
        id: "yandex-token",
        description: "Yandex Cloud key",
        tier: Tier::Block,
        keywords: &[
            "yca", "ycb", "ycc", "ycd", "yce", "ycf", "ycg", "ych", "yci", "ycm", "ycn", "yco",
            "ycp", "yct",
        ],
        find: Find::Token(r"YC[A-Z][A-Za-z0-9_-]{37,39}"),
        check: Check::Mixed(3.6),
        positive: &[&["Y", "CFfxjk", "R3p5ig", "JkMam", "HJKhwg", "GBGEK8", "hf0dnbz", "zDp"]],
        negative: &[&["YCArxlUJtP"], &["a", " token s", "tarts w", "ith `yca", "...`"]],
    },
    Rule {
        id: "tencent-key-id",
        description: "Tencent Cloud secret id",
        tier: Tier::Block,
        keywords: &["akid"],
        find: Find::Token(r"AKID[A-Za-z0-9]{32}"),
        check: Check::Mixed(3.5),
        positive: &[&["AK", "ID94f8", "EPrYrt", "lOaTZ4", "tfBy3", "PFLKWY", "LA4SZ"]],
        negative: &[&["AKIDjXHVi3"], &["a ", "token ", "starts w", "ith `aki", "d...`"]],
    },
];
