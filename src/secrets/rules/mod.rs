//! The rules, as data compiled in, one file per family. No code.

use super::rule::Rule;

mod access;
mod chat;
mod cloud;
mod forge;
mod generic;
mod hosting;
mod inference;
mod mail;
mod model;
mod observe;
mod payment;
mod platform;
mod registry;
mod saas;
mod work;

/// All families, the most specific first.
pub(super) const GROUPS: &[&[Rule]] = &[
    cloud::RULES,
    hosting::RULES,
    platform::RULES,
    access::RULES,
    forge::RULES,
    chat::RULES,
    mail::RULES,
    payment::RULES,
    model::RULES,
    inference::RULES,
    registry::RULES,
    observe::RULES,
    saas::RULES,
    work::RULES,
    generic::RULES,
];
