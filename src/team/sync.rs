//! The sync of one store with its remote, as one linear procedure.

use super::outgoing::{self, Outgoing, Range};
use super::plan::{Inputs, Plan, plan};
use super::report::{HeldRow, Outbox, Report, Trouble};
use super::settle::{self, Settled};
use super::{Result, TeamError, remote_of};
use crate::config::TeamPush;
use crate::git::{FetchOutcome, Git, GitError, Oid, PushOutcome, Remote, Running};
use crate::guard;
use crate::vault::{
    CaptureOptions, Captured, Event, SyncState, Vault, VaultError, load_state, refs, save_state,
};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What a sync is asked to do.
#[derive(Clone, Debug)]
pub struct SyncOptions {
    /// Send what is released; what the remote has is always integrated first.
    pub push: bool,
    /// How far changes go without a person.
    pub mode: TeamPush,
    /// The deadline of each contact with the remote.
    pub timeout: Duration,
    /// How often a lost race is tried again.
    pub retries: u32,
    /// The folder git runs in: the project's checkout.
    pub project: PathBuf,
}

/// The first pause after a lost race and the longest: full jitter between 0 and the present bound.
const FIRST_PAUSE: Duration = Duration::from_millis(40);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// How often a landing starts over because another process captured meanwhile.
const LANDINGS: usize = 20;

struct Sync<'a> {
    vault: &'a Vault,
    remote: Remote,
    git: Git,
    options: &'a SyncOptions,
    report: Report,
}

/// Syncs a store with its remote.
///
/// # Errors
/// [`TeamError::NoRemote`] when nobody named one; what the vault refuses. A remote that cannot be
/// reached is reported as [`Trouble`], with everything committed.
pub fn sync(vault: &Vault, options: &SyncOptions) -> Result<Report> {
    let kind = vault.store.kind.as_str();
    let remote = remote_of(&vault.store.repo).ok_or(TeamError::NoRemote { kind })?;
    let git = Git {
        git_dir: Some(vault.store.repo.dir().to_path_buf()),
        work_tree: None,
        cwd: options.project.clone(),
    };
    let started = vault.clock.instant();
    let mut sync = Sync { vault, remote, git, options, report: Report::default() };
    vault.log(Event::new("team_mem_sync_started"))?;
    sync.run()?;
    sync.report.duration_ms = millis(started);
    sync.record()?;
    Ok(sync.report)
}

fn millis(since: Instant) -> u64 {
    since.elapsed().as_millis().try_into().unwrap_or(u64::MAX)
}

impl Sync<'_> {
    fn run(&mut self) -> Result<()> {
        for _ in 0..LANDINGS {
            // 1. The fetch runs beside the capture.
            let fetching = self.start_fetch()?;
            // 2. The capture.
            let captured = self.vault.enter()?.capture(CaptureOptions::default())?;
            self.note_capture(&captured);
            // 3. What the remote has.
            let Some(mut head) = self.finish_fetch(fetching)? else { return Ok(()) };
            // 4.–6. Plan and push, again while others are faster.
            let mut attempt = 0;
            let settled = loop {
                match self.push_once(&captured, head)? {
                    Step::Settled(done) => break *done,
                    Step::Lost if attempt < self.options.retries => {
                        self.pause(attempt);
                        attempt += 1;
                        self.report.retries += 1;
                        let fetching = self.start_fetch()?;
                        match self.finish_fetch(fetching)? {
                            Some(new) => head = new,
                            None => break self.pull_only(&captured, head)?,
                        }
                    }
                    Step::Lost => {
                        self.report.trouble = Some(Trouble::Contended);
                        break self.pull_only(&captured, head)?;
                    }
                }
            };
            // 7. Refs and files follow, unless another process captured meanwhile.
            if self.land(&captured, settled)? {
                return Ok(());
            }
        }
        Err(VaultError::Busy {
            what: "the live line (other processes keep moving it)".into(),
            lock: self.vault.store.repo.lock_file(refs::MAIN),
        }
        .into())
    }

    fn start_fetch(&self) -> Result<Option<Running>> {
        let have = self.vault.store.repo.reference(refs::REMOTE)?;
        if self.remote.unchanged(have) {
            return Ok(None);
        }
        self.vault.free_ref(refs::REMOTE)?;
        let args = self.remote.fetch_args(refs::REMOTE);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        Ok(Some(self.git.start(&args)?))
    }

    /// The remote head (`Some(None)`: the remote has nothing yet); `None` when there is trouble.
    fn finish_fetch(&mut self, fetching: Option<Running>) -> Result<Option<Option<Oid>>> {
        let repo = &self.vault.store.repo;
        let Some(running) = fetching else { return Ok(Some(repo.reference(refs::REMOTE)?)) };
        let end = running.finish(self.options.timeout)?;
        match self.remote.fetched(repo, refs::REMOTE, &end)? {
            FetchOutcome::Head(Some(head)) => Ok(Some(Some(head))),
            FetchOutcome::Head(None) if repo.reference(refs::REMOTE)?.is_some() => {
                self.report.trouble = Some(Trouble::Vanished(self.remote.remote_ref.clone()));
                Ok(None)
            }
            FetchOutcome::Head(None) => Ok(Some(None)),
            FetchOutcome::Unreachable(why) => {
                self.report.trouble = Some(Trouble::Unreachable(why));
                Ok(None)
            }
            FetchOutcome::Refused(what, why) => {
                self.report.trouble = Some(Trouble::Refused(what.as_str(), why));
                Ok(None)
            }
        }
    }

    /// The store's tables as a plan starts from them; the landing compares with these very values.
    fn tables(&self) -> Result<Tables> {
        let repo = &self.vault.store.repo;
        Ok(Tables {
            base: repo.reference(refs::BASE)?,
            parked: repo.reference(refs::PARKED)?,
            published: repo.reference(refs::PUBLISHED)?,
        })
    }

    fn inputs<'s>(
        &'s self,
        captured: &'s Captured,
        remote: Option<Oid>,
        tables: &Tables,
    ) -> Inputs<'s> {
        Inputs {
            store: &self.vault.store,
            local: captured.head,
            base: tables.base,
            remote,
            parked: tables.parked,
            unsettled: &captured.unsettled,
            mode: self.options.mode,
        }
    }

    fn push_once(&mut self, captured: &Captured, head: Option<Oid>) -> Result<Step> {
        let tables = self.tables()?;
        let plan = plan(&self.inputs(captured, head, &tables))?;
        let person = self.vault.person();
        let range = Range {
            store: &self.vault.store,
            local: captured.head,
            published: tables.published,
            remote: head,
            person: &person,
        };
        if !self.options.push {
            return Ok(Step::Settled(Box::new(Done { plan, remote: head, pushed: None, tables })));
        }
        let Outgoing { head: new, leaks } = outgoing::build(&range, &plan.released)?;
        let Some(new) = new.filter(|new| Some(*new) != head) else {
            self.report.leaks = leaks;
            return Ok(Step::Settled(Box::new(Done { plan, remote: head, pushed: None, tables })));
        };
        let outcome = self.remote.push(&self.git, head, new, self.options.timeout)?;
        let pushed = match outcome {
            PushOutcome::Landed => {
                self.report.leaks = leaks;
                self.report.pushed += plan.released.len();
                Some(new)
            }
            PushOutcome::Lost => return Ok(Step::Lost),
            PushOutcome::Unreachable(why) => {
                self.report.trouble = Some(Trouble::Unreachable(why));
                None
            }
            PushOutcome::Refused(what, why) => {
                self.report.trouble = Some(Trouble::Refused(what.as_str(), why));
                None
            }
        };
        Ok(Step::Settled(Box::new(Done { plan, remote: head, pushed, tables })))
    }

    fn pull_only(&mut self, captured: &Captured, head: Option<Oid>) -> Result<Done> {
        let tables = self.tables()?;
        let plan = plan(&self.inputs(captured, head, &tables))?;
        Ok(Done { plan, remote: head, pushed: None, tables })
    }

    /// Lands; `false` when another process moved the live line and all starts over.
    fn land(&mut self, captured: &Captured, done: Done) -> Result<bool> {
        let mut door = self.vault.enter()?;
        let inputs = self.inputs(captured, done.remote, &done.tables);
        let settled = Settled {
            inputs: &inputs,
            plan: &done.plan,
            published: done.tables.published,
            remote_ref: self.vault.store.repo.reference(refs::REMOTE)?,
            pushed: done.pushed,
        };
        let landing = settle::landing(&door, &settled)?;
        let idle = landing.files.is_empty() && landing.refs.iter().all(|m| m.old == m.new);
        if !idle {
            match door.land(&landing) {
                Ok(landed) => {
                    self.report.held.extend(landed.held.iter().map(HeldRow::from));
                    self.report.busy.extend(landed.left);
                }
                Err(VaultError::Git(GitError::Moved { .. })) => return Ok(false),
                Err(e) => return Err(e.into()),
            }
        }
        drop(door);
        self.note_plan(&done);
        Ok(true)
    }

    fn pause(&self, attempt: u32) {
        let bound = LONGEST_PAUSE.min(FIRST_PAUSE * 2u32.saturating_pow(attempt.min(10)));
        let random = RandomState::new().build_hasher().finish();
        let nanos = random % u64::try_from(bound.as_nanos()).unwrap_or(u64::MAX).max(1);
        std::thread::sleep(Duration::from_nanos(nanos));
    }

    fn note_capture(&mut self, captured: &Captured) {
        self.report.held = captured.held.iter().map(HeldRow::from).collect();
        self.report.busy = captured.busy.iter().map(|p| guard::show(p)).collect();
        let restored = captured.restored.iter().map(|p| guard::show(p));
        self.report.restored.extend(restored);
        self.report.parked_branch = captured.parked_branch.clone();
    }

    fn note_plan(&mut self, done: &Done) {
        let plan = &done.plan;
        let shown = |paths: &[Vec<u8>]| paths.iter().map(|p| guard::show(p)).collect::<Vec<_>>();
        self.report.pulled = plan.base.len();
        self.report.merged = plan.merged;
        self.report.contested = shown(&plan.contested);
        for row in plan.held.iter().map(HeldRow::from) {
            // The plan sees commits only: a secret here was committed, by plain git.
            let known = self.report.leaks.iter().any(|leak| leak.path == row.path);
            if row.rule.is_some() && self.options.push && !known {
                self.report.leaks.push(row.clone());
            }
            self.report.held.push(row);
        }
        self.report.quarantined.clone_from(&plan.quarantined);
        self.report.frozen = shown(&plan.frozen);
        self.report.parked = shown(&plan.waiting);
    }

    /// What `status` and the event log keep of this run.
    fn record(&mut self) -> Result<()> {
        let waits = self.report.trouble.is_some() && counts(self.vault)?.ahead > 0;
        self.report.outbox = if waits { Outbox::Waiting } else { Outbox::None };
        let file = self.vault.store.state_file("sync.json");
        let mut state: SyncState = load_state(&file)?;
        state.waiting = waits;
        if self.report.trouble.is_none() {
            state.last_sync = Some(self.vault.time());
            state.suppressed = None;
            state.quarantined.clone_from(&self.report.quarantined);
            state.frozen.clone_from(&self.report.frozen);
            state.contested.clone_from(&self.report.contested);
        }
        if let Some(Trouble::Refused(code, _)) = &self.report.trouble {
            state.suppressed = Some((*code).to_string());
            let event = Event::new("team_mem_push_suppressed").with("reason", *code);
            self.vault.log(event)?;
        }
        save_state(&file, &state)?;
        self.log_counts()
    }

    fn log_counts(&self) -> Result<()> {
        let report = &self.report;
        self.vault.log(Event::new("team_mem_sync_pull").with("notes", report.pulled))?;
        if self.options.push {
            self.vault.log(Event::new("team_mem_sync_push").with("notes", report.pushed))?;
        }
        let rules: Vec<String> =
            report.held.iter().chain(&report.leaks).filter_map(|row| row.rule.clone()).collect();
        if !rules.is_empty() {
            let event = Event::new("team_mem_secret_skipped").with("count", rules.len());
            self.vault.log(event.with("rules", rules))?;
        }
        if !report.quarantined.is_empty() {
            let mut reasons: Vec<String> =
                report.quarantined.iter().map(|q| q.code.clone()).collect();
            reasons.sort();
            reasons.dedup();
            let event = Event::new("team_mem_quarantined").with("count", report.quarantined.len());
            self.vault.log(event.with("reasons", reasons))?;
        }
        Ok(())
    }
}

/// What a round of plan and push came to.
struct Done {
    plan: Plan,
    remote: Option<Oid>,
    pushed: Option<Oid>,
    tables: Tables,
}

/// The refs of a store that a plan reads.
struct Tables {
    base: Option<Oid>,
    parked: Option<Oid>,
    published: Option<Oid>,
}

enum Step {
    Settled(Box<Done>),
    Lost,
}

/// How many paths wait to go out and to come in, as far as is known without the remote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Paths whose live entry is not the one the remote had.
    pub ahead: usize,
    /// Paths whose fetched entry is not live yet.
    pub behind: usize,
}

/// Counts what waits on either side.
pub fn counts(vault: &Vault) -> Result<Counts> {
    let repo = &vault.store.repo;
    let base = repo.reference(refs::BASE)?;
    let tree = |name| repo.tree_of(repo.reference(name)?);
    Ok(Counts {
        ahead: repo.diff(base, tree(refs::MAIN)?)?.len(),
        behind: repo.diff(base, tree(refs::REMOTE)?)?.len(),
    })
}
