//! Which code a library is told to run: the variable and the function take the same names, what cannot be is said once, and
//! privileged programs do not follow their environment.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use usuba_package::OutputFile;
use usuba_package::engine::Choices;
use usuba_package::library::{self, Options};
use usuba_package::manifest::Primitive;
use usuba_target::{PLATFORMS, Platform, Target, by_name};
use usuba_tests::ciphers::Cipher;
use usuba_trial::run::{Compiler, Family, Program, SharedObjects};

/// Four threads ask at once, then everything is asked anew. Arguments are names for the function, each with what it answers.
const ASK: &str = "#include \"usuba_cpu.h\"
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

static void *ask(void *unused)
{
    (void)unused;
    return (void *)(size_t)usuba_target();
}

/* Whether a name says what is used: a target, a core behind \"@\", or both. */
static int is_used(const char *name)
{
    const size_t target = strcspn(name, \"@\");
    const char *core = name + target;
    return (target == 0 || (strlen(usuba_target()) == target && memcmp(usuba_target(), name, target) == 0))
        && (*core == 0 || strcmp(usuba_core(), core + 1) == 0);
}

int main(int count, char **names)
{
    pthread_t threads[4];
    void *first = NULL;
    for (int i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, ask, NULL) != 0)
            return 1;
    for (int i = 0; i < 4; i++) {
        void *found;
        if (pthread_join(threads[i], &found) != 0 || (i > 0 && found != first))
            return 2;
        first = found;
    }
    printf(\"%lu %s\", getauxval(AT_SECURE), usuba_target());
    for (int i = 1; i < count; i++)
        printf(\" %s=%d\", names[i], usuba_set_target(names[i]) == USUBA_OK && is_used(names[i]));
    if (usuba_set_target(NULL) != USUBA_OK || usuba_target() != (const char *)first)
        return 3;
    printf(\"\\n\");
    return 0;
}
";

fn usual(_: library::Cipher, primitive: &Primitive, _: &'static Target) -> Vec<Choices> {
    primitive.library.iter().map(|&slicing| Choices::new(slicing)).collect()
}

fn program() -> Program {
    let cipher = Cipher::read("gimli");
    let read = library::Cipher {
        manifest: &cipher.manifest,
        loaded: &cipher.loaded,
        constructions: &[],
        measured: None,
    };
    let gp64 = [by_name("gp64").expect("it is a target")];
    let options = Options {
        prefix: "usuba_",
        command: "",
        primitives: &[],
        targets: &gp64,
        level: None,
        drop_in: false,
        threads: false,
        choose: &usual,
    };
    let mut files = library::build(&[read], &options, &|_| {}).expect("the library is made").files;
    // Headers and sources side by side.
    for file in &mut files {
        file.path = file.path.rsplit('/').next().unwrap_or_default().to_owned();
    }
    files.push(OutputFile { path: "ask.c".into(), contents: ASK.into() });
    let compiler = Compiler::native(Family::Gcc).expect("gcc is installed");
    let flags = ["-O1", "-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-pthread"];
    SharedObjects::new().compile(&compiler, &files, &[], &flags).unwrap_or_else(|error| panic!("{error}"))
}

/// What it says on standard output and on standard error.
fn said(path: &Path, wanted: Option<&str>, names: &[&str], user: Option<u32>) -> (String, String) {
    let mut command = Command::new(path);
    command.args(names).env_remove("USUBA_TARGET");
    if let Some(wanted) = wanted {
        command.env("USUBA_TARGET", wanted);
    }
    if let Some(user) = user {
        command.uid(user).gid(user);
    }
    let output = command.output().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(output.status.success(), "{wanted:?}: {:?}", output.status);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text").trim_end().to_owned();
    (text(output.stdout), text(output.stderr))
}

#[test]
fn a_choice_that_cannot_be_is_said_once() {
    let program = program();
    let path = program.directory().join("program");
    let (found, nothing) = said(&path, None, &[], None);
    let best = found.strip_prefix("0 ").expect("no privileges").to_owned();
    assert_eq!(nothing, "");
    let levels = |platform: &Platform| platform.levels.iter().map(|one| one.name).collect::<Vec<_>>();
    let mut platforms = PLATFORMS.iter().map(levels);
    let all = platforms.find(|names| names.contains(&best.as_str())).expect("a level of some platform");
    let has = all.iter().position(|name| *name == best).expect("it is among them") + 1;

    // The same names in the variable and in the function: those up to the best.
    let answers = |name: &str| usize::from(all[..has].contains(&name));
    for name in all.iter().copied().chain(["sse2", "AVX2", "avx2 ", "altivec", "nonsense"]) {
        let (found, complaint) = said(&path, Some(name), &[name], None);
        let used = if answers(name) == 1 { name } else { &best };
        assert_eq!(found, format!("0 {used} {name}={}", answers(name)));
        let why = match (answers(name), all.contains(&name)) {
            (1, _) => {
                assert_eq!(complaint, "");
                continue;
            }
            (_, true) => "this machine lacks it",
            (_, false) => "there is no such target",
        };
        // One line, though four threads have asked, and everything was asked twice.
        let list = all[..has].join(", ");
        assert_eq!(
            complaint,
            format!("USUBA_TARGET={name}: {why}; code for {best} is used. This machine takes {list}.")
        );
    }

    // Costs of every core may be chosen by, with any target or with the best.
    let told_apart = PLATFORMS.iter().find(|one| one.levels.iter().any(|level| level.name == best));
    let cores: Vec<&str> = told_apart.expect("it is there").cores.iter().map(|core| core.id).collect();
    let cores = if cores.is_empty() { vec!["any"] } else { cores };
    for core in &cores {
        let (one, other) = (format!("gp64@{core}"), format!("@{core}"));
        let (found, nothing) = said(&path, Some(&one), &[&one, &other, "gp64@zen-3", "gp64@"], None);
        assert_eq!(found, format!("0 gp64 {one}=1 {other}=1 gp64@zen-3=0 gp64@=0"));
        assert_eq!(nothing, "");
    }
    let (_, complaint) = said(&path, Some("gp64@zen-3"), &[], None);
    let list = cores.join(", ");
    let expected = "USUBA_TARGET=gp64@zen-3: there is no such core; code for";
    assert_eq!(complaint, format!("{expected} {best} is used. Cores are {list}."));

    // An empty variable is none; a long one does not fill the log.
    assert_eq!(said(&path, Some(""), &[], None), (format!("0 {best}"), String::new()));
    let (_, complaint) = said(&path, Some(&"x".repeat(10_000)), &[], None);
    assert!(complaint.len() < 200, "{complaint}");
}

/// A program that is its owner's whoever starts it. Only root can make one for another user.
#[test]
fn privileged_programs_do_not_read_the_variable() {
    const NOBODY: u32 = 65534;
    let program = program();
    let elsewhere = tempfile::tempdir().expect("there is room");
    let path = elsewhere.path().join("program");
    let allow = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("it is ours");
    };
    std::fs::copy(program.directory().join("program"), &path).expect("it is copied");
    allow(elsewhere.path(), 0o755);
    if std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(&path).expect("it is there")) != 0 {
        println!("skipped: only root can start a program as somebody else");
        return;
    }
    allow(&path, 0o755);
    assert_eq!(said(&path, Some("gp64"), &[], Some(NOBODY)).0, "0 gp64");
    allow(&path, 0o4755);
    let (found, complaint) = said(&path, Some("nonsense"), &[], Some(NOBODY));
    if found.starts_with("0 ") {
        println!("skipped: this system gives no program the rights of its owner");
        return;
    }
    let (best, _) = said(&path, None, &[], None);
    assert_eq!((found, complaint.as_str()), (best.replacen('0', "1", 1), ""));
    let (found, _) = said(&path, Some("gp64"), &[], Some(NOBODY));
    assert_eq!(found, best.replacen('0', "1", 1));
}
