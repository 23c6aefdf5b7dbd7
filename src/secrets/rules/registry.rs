//! Package and artifact registries. Data only, from published formats.

use super::super::rule::{Check, Find, Rule, Tier};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "npm-token",
        description: "npm access token",
        tier: Tier::Block,
        keywords: &["npm_"],
        find: Find::Token(r"npm_[A-Za-z0-9]{36}"),
        check: Check::Crc62,
        positive: &[&["np", "m_5g9s", "d4AhAyC", "rbHvQaU", "SWNf9S", "dPuTXi3w", "NhD8"]],
        negative: &[&["npm_oS91Yh"], &["a ", "token ", "starts w", "ith `n", "pm_...", "`"]],
    },
    Rule {
        id: "npm-legacy-token",
        description: "npm registry token by name",
        tier: Tier::Block,
        keywords: &["_authtoken"],
        find: Find::Named(
            r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[A-Za-z0-9+/=_-]{36,}",
        ),
        check: Check::Entropy(2.8),
        positive: &[&[
            "//r", "egist", "ry.npmj", "s.org/:", "_auth", "Token=", "255404e", "4-fb44-",
            "0034-d", "660-8697", "a8d41b", "ed",
        ]],
        negative: &[&["//reg", "istry", ".npmjs", ".org/", ":_aut", "hToken=", "${NPM_TO", "KEN}"]],
    },
    Rule {
        id: "pypi-token",
        description: "PyPI token",
        tier: Tier::Block,
        keywords: &["pypi-age"],
        find: Find::Token(r"pypi-AgE(?:IcHlwaS5vcmc|NdGVzdC5weXBpLm9yZw)[A-Za-z0-9_-]{50,}"),
        check: Check::Entropy(3.0),
        positive: &[&[
            "pypi", "-AgEIcHl", "waS5vcmc", "xOvyz", "vKLPPE", "C2juFNM2", "LC6yFSJE", "KqIFYn",
            "zTG2yAi", "Sz4VvCCG", "ju",
        ]],
        negative: &[&["pypi-AgEIcHl"], &["a to", "ken st", "arts wi", "th `py", "pi-age..", ".`"]],
    },
    Rule {
        id: "crates-io-token",
        description: "crates.io token",
        tier: Tier::Block,
        keywords: &["cio"],
        find: Find::Token(r"cio[A-Za-z0-9]{32}"),
        check: Check::Mixed(3.4),
        positive: &[&["c", "io2gI", "FhNvGx5", "YcK69", "tmfpF", "W2HBkLZ", "24TqJ"]],
        negative: &[&["ciowjklwmI"], &["a", " token ", "starts w", "ith `", "cio..", ".`"]],
    },
    Rule {
        id: "rubygems-key",
        description: "RubyGems API key",
        tier: Tier::Block,
        keywords: &["rubygems_"],
        find: Find::Token(r"rubygems_[0-9a-f]{48}"),
        check: Check::Entropy(3.0),
        positive: &[&[
            "ruby", "gems_a", "6457d", "4b5cd02", "d10345", "39a70366", "c12fb15", "220c37b8",
            "0e8d9c",
        ]],
        negative: &[
            &["rubygems_1c2d"],
            &["a to", "ken star", "ts wit", "h `ru", "bygems_", "...`"],
        ],
    },
    Rule {
        id: "nuget-key",
        description: "NuGet API key",
        tier: Tier::Block,
        keywords: &["oy2"],
        find: Find::Token(r"oy2[a-z0-9]{43}"),
        check: Check::Mixed(3.4),
        positive: &[&[
            "o", "y2czv", "q08j7w0", "7j7wm5v", "0vc9n", "i3dfly", "i1xdqo", "npua8", "g50v",
        ]],
        negative: &[&["oy2aw075vm"], &["a", " token s", "tarts ", "with `", "oy2..", ".`"]],
    },
    Rule {
        id: "docker-hub-token",
        description: "Docker Hub token",
        tier: Tier::Block,
        keywords: &["dckr_pat_", "dckr_oat_"],
        find: Find::Token(r"dckr_[po]at_[A-Za-z0-9_-]{27,32}"),
        check: Check::Entropy(3.0),
        positive: &[&["dckr", "_pat_av2", "klIGSIE", "u79wzeB", "9JcNs", "QMTod"]],
        negative: &[
            &["dckr_pat_hDU7"],
            &["a to", "ken sta", "rts w", "ith `", "dckr_p", "at_..", ".`"],
        ],
    },
    Rule {
        id: "artifactory-key",
        description: "Artifactory key",
        tier: Tier::Block,
        keywords: &["akcp", "cmvmd"],
        find: Find::Token(r"AKCp[0-9A-Za-z]{69}|cmVmd[A-Za-z0-9]{59}"),
        check: Check::Mixed(3.8),
        positive: &[&[
            "AK", "Cp95alIS", "U70Z7GSG", "LuMdh", "lmqZRG", "SjREM", "Ln3uOJn", "jgDC0",
            "BhHn9LT", "4kjKfmk", "sz8Vw8RH", "fOgX9",
        ]],
        negative: &[&["cmVmdGDwoj"], &["a ", "token", " starts", " with ", "`akcp...", "`"]],
    },
    Rule {
        id: "clojars-token",
        description: "Clojars token",
        tier: Tier::Block,
        keywords: &["clojars_"],
        find: Find::Token(r"CLOJARS_[a-z0-9]{60}"),
        check: Check::Entropy(3.0),
        positive: &[&[
            "CLOJ", "ARS_rszz", "4jvo6gj0", "bryfsn3u", "bepvjlo", "5iruu7", "jrf048ty", "wbo5a5",
            "k235x", "ho3nvdsr",
        ]],
        negative: &[&["CLOJARS_zs4s"], &["a to", "ken sta", "rts with", " `cloja", "rs_...`"]],
    },
    Rule {
        id: "open-vsx-token",
        description: "Open VSX token",
        tier: Tier::Block,
        keywords: &["ovsxat_", "ovsxp_"],
        find: Find::Token(
            r"ovsx(?:at|p)_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        ),
        check: Check::Entropy(3.0),
        positive: &[&["ovs", "xat_c50a", "9b04-", "19e9-0b", "0a-f24", "f-5df", "afffa6c", "c0"]],
        negative: &[&["ovsxat_cbd1"], &["a t", "oken ", "starts", " with `o", "vsxat_..", ".`"]],
    },
];
