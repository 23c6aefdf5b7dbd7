//! Git servers on loopback: http by lighttpd, the git protocol by its daemon, ssh by sshd. Each
//! is one child process that dies with its value.

use super::machine::{Machine, write};
use super::run::{git_program, missing, run, search_path, tool};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long a server may take until its port answers.
const START: Duration = Duration::from_secs(20);

/// Who may do what over http.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anyone reads and writes.
    Open,
    /// Nothing without the password.
    Password,
    /// Anyone reads; writing needs the password.
    PublicRead,
}

/// A child process that is killed, by its id, when the value goes.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

/// Starts a server on a free port; another one is tried when somebody was faster.
fn start(make: impl Fn(u16) -> Command) -> (Process, u16) {
    for _ in 0..5 {
        let port = free_port();
        let mut child = Process(make(port).spawn().unwrap());
        let begin = Instant::now();
        while begin.elapsed() < START && child.0.try_wait().unwrap().is_none() {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return (child, port);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    panic!("a server did not start: {:?}", make(0));
}

fn quiet(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("PATH", search_path()).env("LC_ALL", "C");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// A program of git's own directory, such as `git-http-backend`.
fn git_helper(name: &str) -> Option<PathBuf> {
    let mut command = Command::new(git_program());
    command.arg("--exec-path");
    let dir = run(command, b"").ok().stdout;
    Some(Path::new(dir.trim()).join(name)).filter(|p| p.is_file())
}

/// git's smart http behind lighttpd.
pub struct HttpServer {
    _process: Process,
    _state: TempDir,
    port: u16,
}

impl HttpServer {
    pub const USER: &str = "ana";
    pub const PASSWORD: &str = "correct-horse";

    /// Serves the repositories below `root`.
    pub fn start(root: &Path, access: Access) -> Option<Self> {
        let Some(program) = tool("lighttpd") else { return missing("lighttpd") };
        let Some(backend) = git_helper("git-http-backend") else {
            return missing("git-http-backend");
        };
        let state = TempDir::new().unwrap();
        let dir = state.path().to_path_buf();
        write(&dir.join("passwords"), &format!("{}:{}\n", Self::USER, Self::PASSWORD));
        write(&dir.join(".gitconfig"), "[safe]\n\tdirectory = *\n");
        let (process, port) = start(|port| {
            let config = lighttpd_config(&dir, root, &backend, (port, access));
            write(&dir.join("lighttpd.conf"), &config);
            let mut command = quiet(&program);
            command.arg("-D").arg("-f").arg(dir.join("lighttpd.conf"));
            command
        });
        Some(Self { _process: process, _state: state, port })
    }

    /// The URL of a repository, without a password.
    pub fn url(&self, name: &str) -> String {
        format!("http://127.0.0.1:{}/git/{name}", self.port)
    }

    /// What a credential store holds for this server.
    pub fn credentials(&self) -> String {
        format!("http://{}:{}@127.0.0.1:{}", Self::USER, Self::PASSWORD, self.port)
    }
}

fn lighttpd_config(dir: &Path, root: &Path, backend: &Path, how: (u16, Access)) -> String {
    let (port, access) = how;
    let home = dir.display();
    let login = "auth.require = ( \"\" => ( \"method\" => \"basic\", \"realm\" => \"git\", \"require\" => \"valid-user\" ) )";
    let auth = match access {
        Access::Open => String::new(),
        Access::Password => login.to_string(),
        Access::PublicRead => format!(
            "$HTTP[\"querystring\"] =~ \"service=git-receive-pack\" {{ {login} }}\n$HTTP[\"url\"] =~ \"/git-receive-pack$\" {{ {login} }}"
        ),
    };
    format!(
        r#"server.modules = ( "mod_alias", "mod_auth", "mod_authn_file", "mod_cgi", "mod_setenv" )
server.document-root = "{home}"
server.bind = "127.0.0.1"
server.port = {port}
server.errorlog = "{home}/error.log"
auth.backend = "plain"
auth.backend.plain.userfile = "{home}/passwords"
alias.url = ( "/git" => "{backend}" )
$HTTP["url"] =~ "^/git/" {{
  cgi.assign = ( "" => "" )
  setenv.set-environment = ( "GIT_PROJECT_ROOT" => "{root}", "GIT_HTTP_EXPORT_ALL" => "1", "HOME" => "{home}", "GIT_CONFIG_NOSYSTEM" => "1" )
}}
{auth}
"#,
        backend = backend.display(),
        root = root.display(),
    )
}

/// git's own daemon, which takes pushes from anyone.
pub struct DaemonServer {
    _process: Process,
    port: u16,
}

impl DaemonServer {
    /// Serves the repositories below `root`.
    pub fn start(root: &Path) -> Option<Self> {
        let Some(program) = git_helper("git-daemon") else { return missing("git-daemon") };
        let (process, port) = start(|port| {
            let mut command = quiet(&program);
            command.arg("--reuseaddr").arg("--listen=127.0.0.1").arg(format!("--port={port}"));
            command.arg(format!("--base-path={}", root.display()));
            command.args(["--export-all", "--enable=receive-pack"]);
            command.env("HOME", root).env("GIT_CONFIG_NOSYSTEM", "1");
            command
        });
        Some(Self { _process: process, port })
    }

    pub fn url(&self, name: &str) -> String {
        format!("git://127.0.0.1:{}/{name}", self.port)
    }
}

/// OpenSSH with keys of its own, for the user who runs the tests.
pub struct SshServer {
    _process: Process,
    state: TempDir,
    port: u16,
    user: String,
    root: PathBuf,
}

impl SshServer {
    /// Serves the repositories below `root`.
    pub fn start(root: &Path) -> Option<Self> {
        let Some(program) = tool("sshd") else { return missing("sshd") };
        let Some(keygen) = tool("ssh-keygen") else { return missing("ssh-keygen") };
        let state = TempDir::new().unwrap();
        let dir = state.path().to_path_buf();
        for name in ["host_key", "user_key"] {
            let mut command = quiet(&keygen);
            command.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(dir.join(name));
            run(command, b"").ok();
        }
        std::fs::copy(dir.join("user_key.pub"), dir.join("authorized_keys")).unwrap();
        let mut who = Command::new("id");
        who.arg("-un");
        let user = run(who, b"").ok().stdout.trim().to_string();
        if user == "root" {
            std::fs::create_dir_all("/run/sshd").unwrap();
        }
        let (process, port) = start(|port| {
            write(&dir.join("sshd_config"), &sshd_config(&dir, port));
            let mut command = quiet(&program);
            command.args(["-D", "-e", "-f"]).arg(dir.join("sshd_config"));
            command
        });
        Some(Self { _process: process, state, port, user, root: root.to_path_buf() })
    }

    pub fn url(&self, name: &str) -> String {
        let path = self.root.join(name);
        format!("ssh://{}@127.0.0.1:{}{}", self.user, self.port, path.display())
    }

    /// Gives a machine the key, and the host's key to know it by.
    pub fn let_in(&self, machine: &Machine) {
        let dir = self.state.path();
        let host = std::fs::read_to_string(dir.join("host_key.pub")).unwrap();
        let known = machine.home().join(".ssh/known_hosts");
        write(&known, &format!("[127.0.0.1]:{} {host}", self.port));
        let config = machine.home().join(".ssh/config");
        let text = format!(
            "Host 127.0.0.1\n  IdentityFile {}\n  IdentitiesOnly yes\n  UserKnownHostsFile {}\n  GlobalKnownHostsFile /dev/null\n  BatchMode yes\n",
            dir.join("user_key").display(),
            known.display()
        );
        write(&config, &text);
        // ssh takes the home of the password file, not HOME: so the file is named.
        let ssh = format!("ssh -F {}", config.display());
        machine.git(machine.home(), &["config", "--global", "core.sshCommand", &ssh]).ok();
    }
}

fn sshd_config(dir: &Path, port: u16) -> String {
    let dir = dir.display();
    format!(
        "Port {port}\nListenAddress 127.0.0.1\nHostKey {dir}/host_key\nAuthorizedKeysFile {dir}/authorized_keys\nPidFile none\nStrictModes no\nUsePAM no\nPermitRootLogin yes\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n"
    )
}
