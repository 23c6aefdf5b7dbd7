//! More model providers and experiment trackers. Data only, from published formats.

use super::super::rule::{Check, Find, Rule, Tier};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "nvidia-key",
        description: "NVIDIA API key",
        tier: Tier::Block,
        keywords: &["nvapi-"],
        find: Find::Token(r"nvapi-[A-Za-z0-9_-]{60,70}"),
        check: Check::Mixed(3.6),
        positive: &[&[
            "nva", "pi-X3", "SnRnUbIb", "lJqjfR", "MHR3b", "kl4xS0kp", "RC1EN1pJ", "jxUDF",
            "Jf7hw0", "pNYLgTMz", "DONo",
        ]],
        negative: &[&["nvapi-ICgF"], &["a t", "oken s", "tarts", " with `n", "vapi-", "...`"]],
    },
    Rule {
        id: "cerebras-key",
        description: "Cerebras API key",
        tier: Tier::Block,
        keywords: &["csk-"],
        find: Find::Token(r"csk-[a-z0-9]{48}"),
        check: Check::Entropy(3.0),
        positive: &[&[
            "cs", "k-oc3ly", "4f1s3cz", "x69pq5", "dhjv7a", "53zs1", "8ncap", "3g7ifc", "ofix0b9",
            "x",
        ]],
        negative: &[&["csk-6h803l"], &["a ", "token", " start", "s wit", "h `csk-", "...`"]],
    },
    Rule {
        id: "wandb-key",
        description: "Weights & Biases key",
        tier: Tier::Block,
        keywords: &["wandb_v1_"],
        find: Find::Token(r"wandb_v1_[A-Za-z0-9_-]{70,90}"),
        check: Check::Entropy(3.0),
        positive: &[&[
            "wand", "b_v1_Lq", "TM5cj", "O1mHHqh", "ApmFzjc", "Tjv5nL6", "xmhLaL", "FtvzJEha",
            "CSdw3gj", "5vBwhR", "EnzYQe", "EhtqJKe", "1z",
        ]],
        negative: &[
            &["wandb_v1_KAUu"],
            &["a to", "ken st", "arts wi", "th `w", "andb_v1", "_...`"],
        ],
    },
    Rule {
        id: "azure-openai-key",
        description: "Azure OpenAI key by name",
        tier: Tier::Block,
        keywords: &["azure_openai", "azureopenai", "openai_api"],
        find: Find::Named(r"[0-9a-f]{32}"),
        check: Check::Entropy(2.8),
        positive: &[&[
            "azu", "re_opena", "i_key ", "= \"ff24", "88f657eb", "08803ff", "9e25f498", "3c028\"",
        ]],
        negative: &[
            &["azure_", "opena", "i_key", " = \"$", "{TOKE", "N}\""],
            &["azure_", "openai r", "eads ", "its t", "oken f", "rom th", "e envir", "onmen", "t"],
        ],
    },
    Rule {
        id: "elevenlabs-deepseek-key",
        description: "ElevenLabs or DeepSeek key",
        tier: Tier::Block,
        keywords: &["sk_", "sk-"],
        find: Find::Token(r"sk_[0-9a-f]{48}|sk-[0-9a-f]{32}"),
        check: Check::Mixed(3.0),
        positive: &[&[
            "s", "k_7a74", "ae5427f2", "013e484", "ba1c899", "da3539", "bb23f8", "cae4e998", "53",
        ]],
        negative: &[&["sk_74b0a99"], &["a", " token s", "tarts ", "with `", "sk_..", ".`"]],
    },
];
