//! The cache as those meet it who save, damage, share and lack it. `cargo xtask chaos` runs more rounds of it.
//!
//! Start at [`Place`].

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant, SystemTime};

use crate::run::{changed_add, folder, json_of};

/// A program that adds, and a cache of its own.
pub(crate) struct Place {
    program: PathBuf,
    cache: PathBuf,
}

impl Place {
    pub(crate) fn new(name: &str) -> Place {
        let program = changed_add(name, &[]);
        // Not beside the kernels: it is theirs who run them.
        let cache = folder(&format!("{name}-cache"));
        Place { program, cache }
    }

    pub(crate) fn kernel(&self) -> PathBuf {
        self.program.with_file_name("add.cpp")
    }

    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    pub(crate) fn cache(&self) -> &Path {
        &self.cache
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tileproof"));
        command.args(arguments).env("TILEPROOF_CACHE_DIR", &self.cache).env_remove("CXX");
        command
    }

    pub(crate) fn run(&self) -> Command {
        self.command(&["run", self.program.to_str().unwrap()])
    }

    /// The exit code of a run, and what it said beside its result.
    pub(crate) fn verdict(&self) -> (Option<i32>, String) {
        let output = self.run().output().unwrap();
        (output.status.code(), said(&output))
    }

    /// All files of the cache that are read before a verdict.
    fn files(&self) -> Vec<PathBuf> {
        let mut folders = vec![self.cache.clone()];
        let mut files = Vec::new();
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() { folders.push(path) } else { files.push(path) }
            }
        }
        files.sort();
        files
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Drawn numbers, the same each time (the constants are Knuth's for 64 bits).
pub(crate) struct Drawn(u64);

impl Drawn {
    pub(crate) fn new(seed: u64) -> Drawn {
        Drawn(seed)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// Rounds of what is drawn: a few, or those that `cargo xtask chaos` asks for.
pub(crate) fn rounds(few: usize, many: usize) -> usize {
    if std::env::var_os("TILEPROOF_CHAOS").is_some() { many } else { few }
}

/// Saves a kernel, right or wrong, at a drawn moment of its build; what is then at rest must get its own verdict.
#[test]
fn a_kernel_that_is_saved_while_it_is_built_gets_no_verdict_of_its_old_text() {
    let rounds = rounds(5, 200);
    let place = Place::new("saved");
    let text = fs::read_to_string(place.kernel()).unwrap();
    let mut drawn = Drawn(rounds as u64);
    for round in 0..rounds {
        let right = format!("// {round}\n{text}");
        let wrong = right.replace("add_tiles(", "sub_tiles(");
        assert_ne!(right, wrong);
        let (first, second, expected) = if drawn.below(2) == 0 { (&right, &wrong, 1) } else { (&wrong, &right, 0) };
        fs::write(place.kernel(), first).unwrap();
        let mut child = place.run().stdout(std::process::Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(drawn.below(1200) as u64));
        if drawn.below(2) == 0 {
            fs::write(place.kernel(), second).unwrap();
        } else {
            // As most editors do it.
            let fresh = place.kernel().with_extension("fresh");
            fs::write(&fresh, second).unwrap();
            fs::rename(fresh, place.kernel()).unwrap();
        }
        let during = child.wait().unwrap().code();
        assert!(matches!(during, Some(0 | 1)), "round {round}: {during:?}");
        assert_eq!(place.verdict().0, Some(expected), "round {round}");
    }
}

/// Puts a header there, changes it and takes it away, at drawn moments of a build.
#[test]
fn a_header_that_comes_and_goes_while_a_kernel_is_built_gets_no_verdict_of_another() {
    let rounds = rounds(5, 200);
    let place = Place::new("headers");
    let [far, near] = ["far/ops.h", "ops.h"].map(|name| place.program.with_file_name(name));
    fs::create_dir(far.parent().unwrap()).unwrap();
    let text = fs::read_to_string(place.kernel()).unwrap();
    fs::write(place.kernel(), format!("#include \"ops.h\"\n{}", text.replace("add_tiles(", "OP("))).unwrap();
    let program = fs::read_to_string(&place.program).unwrap();
    let include = "kernel_source = \"add.cpp\"\ninclude_dirs = [\"far\"]";
    fs::write(&place.program, program.replace("kernel_source = \"add.cpp\"", include)).unwrap();
    let mut drawn = Drawn(rounds as u64);
    for round in 0..rounds {
        let ops = ["add", "sub"].map(|op| format!("#define OP {op}_tiles\n// {round}\n"));
        let _ = fs::remove_file(&near);
        fs::write(&far, &ops[drawn.below(2)]).unwrap();
        let mut child = place.run().stdout(std::process::Stdio::null()).spawn().unwrap();
        for _ in 0..1 + drawn.below(3) {
            std::thread::sleep(Duration::from_millis(drawn.below(500) as u64));
            match drawn.below(4) {
                0 => drop(fs::remove_file(&near)),
                1 => fs::write(&far, &ops[drawn.below(2)]).unwrap(),
                _ => fs::write(&near, &ops[drawn.below(2)]).unwrap(),
            }
        }
        child.wait().unwrap();
        let found = fs::read_to_string(if near.is_file() { &near } else { &far }).unwrap();
        let expected = if found == ops[0] { 0 } else { 1 };
        assert_eq!(place.verdict().0, Some(expected), "round {round}");
    }
}

/// Flips bytes of the cache and cuts its files short; the verdict must stay.
#[test]
fn a_damaged_cache_gives_the_right_verdict() {
    let rounds = rounds(10, 500);
    let place = Place::new("damaged");
    assert_eq!(place.verdict(), (Some(0), String::new()));
    let mut drawn = Drawn(rounds as u64);
    for round in 0..rounds {
        let files = place.files();
        // The headers are many, and each the same to the cache.
        let few: Vec<&PathBuf> = files.iter().filter(|path| !path.to_string_lossy().contains("shim-")).collect();
        let file = if drawn.below(4) == 0 { &files[drawn.below(files.len())] } else { few[drawn.below(few.len())] };
        let mut bytes = fs::read(file).unwrap();
        if bytes.is_empty() {
            continue;
        }
        let at = drawn.below(bytes.len());
        if drawn.below(3) == 0 {
            bytes.truncate(at)
        } else {
            bytes[at] ^= 1 << drawn.below(8)
        }
        fs::write(file, bytes).unwrap();
        // What is damaged may not be needed: a new kernel needs all.
        if drawn.below(4) == 0 {
            let text = fs::read_to_string(place.kernel()).unwrap();
            fs::write(place.kernel(), format!("{text}// {round}\n")).unwrap();
        }
        let (code, said) = place.verdict();
        let only_notes = said.lines().all(|line| line.starts_with("note: cache ") && line.ends_with("made again"));
        assert!(code == Some(0) && only_notes, "round {round}, {}: {code:?} {said}", file.display());
    }
}

#[test]
fn a_damaged_image_is_told_of_and_mended_and_verify_finds_it() {
    let place = Place::new("told");
    place.verdict();
    let verify = || {
        let output = place.command(&["cache", "verify", "--format", "json"]).output().unwrap();
        (output.status.code(), json_of(&output))
    };
    assert_eq!((verify().0, &verify().1["whole"]), (Some(0), &3.into()));
    let image = place.files().into_iter().find(|path| path.extension().is_some_and(|e| e == "so")).unwrap();
    let mut bytes = fs::read(&image).unwrap();
    bytes[100] ^= 1;
    fs::write(&image, bytes).unwrap();
    let (code, found) = verify();
    assert_eq!((code, &found["damaged"][0], &found["whole"]), (Some(1), &image.to_str().unwrap().into(), &2.into()));
    let (code, said) = place.verdict();
    assert_eq!(code, Some(0));
    assert_eq!(said, format!("note: cache {}: it was damaged, and is made again\n", image.display()));
    assert_eq!((verify().0, place.verdict()), (Some(0), (Some(0), String::new())));
}

/// What was made of it is still known then, which alone is of no use.
#[test]
fn an_image_that_is_gone_is_made_again_and_one_that_is_there_is_not() {
    let place = Place::new("gone");
    place.verdict();
    let images = || place.files().into_iter().filter(|path| path.extension().is_some_and(|e| e == "so"));
    let saved = |image: &PathBuf| fs::metadata(image).unwrap().modified().unwrap();
    let all: Vec<PathBuf> = images().collect();
    let times: Vec<SystemTime> = all.iter().map(saved).collect();
    fs::remove_file(&all[0]).unwrap();
    assert_eq!(place.verdict(), (Some(0), String::new()));
    assert_eq!(images().collect::<Vec<_>>(), all);
    assert_ne!(saved(&all[0]), times[0]);
    assert!(all[1..].iter().map(saved).eq(times[1..].iter().copied()));
}

/// Files that are somebody's, in a folder that is the cache's as well; all of them old.
fn foreign(cache: &Path) -> Vec<PathBuf> {
    let names = ["compilers/mine", "images/mine.png", "mine", "runtime-notes.o", "shim-mine/text", "work/mine/text"];
    let files = names.map(|name| cache.join(name));
    for file in &files {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "").unwrap();
        age(file);
        if file.ends_with("text") {
            age(file.parent().unwrap());
        }
    }
    files.into()
}

/// Makes a file or a folder as old as what nobody uses any more.
fn age(path: &Path) {
    let old = SystemTime::now() - Duration::from_secs(90 * 24 * 60 * 60);
    fs::File::open(path).unwrap().set_modified(old).unwrap();
}

#[test]
fn clear_removes_what_is_the_caches_and_nothing_else() {
    let place = Place::new("clear");
    let foreign = foreign(&place.cache);
    place.verdict();
    let output = place.command(&["cache", "clear", "--format", "json"]).output().unwrap();
    assert_eq!((output.status.code(), &json_of(&output)["images"]), (Some(0), &0.into()));
    assert_eq!(place.files(), foreign);
    assert_eq!(place.verdict().0, Some(0));
}

#[test]
fn what_is_old_goes_by_itself_and_what_is_not_the_caches_stays() {
    let place = Place::new("swept");
    let foreign = foreign(&place.cache);
    let old = place.cache.join("images").join(format!("{}.so", "0".repeat(64)));
    fs::write(&old, "").unwrap();
    age(&old);
    // No look has been taken yet, so the first image brings one.
    assert_eq!(place.verdict(), (Some(0), String::new()));
    assert!(place.cache.join("swept").is_file() && !old.exists());
    assert!(foreign.iter().all(|file| file.is_file()));
}

#[test]
fn a_size_that_is_no_number_is_told_of_and_not_taken() {
    let place = Place::new("size");
    place.verdict();
    for (size, told) in [("2G", true), ("64", false)] {
        let output = place.run().env("TILEPROOF_CACHE_MIB", size).output().unwrap();
        let expected = "note: TILEPROOF_CACHE_MIB is \"2G\"; give it whole MiB, 0 or more; 2048 is taken\n";
        assert_eq!(
            (output.status.code(), said(&output)),
            (Some(0), if told { expected.into() } else { String::new() })
        );
        let show = place.command(&["cache", "--format", "json"]).env("TILEPROOF_CACHE_MIB", size).output().unwrap();
        let most = if told { 2048_u64 } else { 64 };
        assert_eq!(json_of(&show)["most_bytes"], most << 20);
    }
}

#[test]
fn what_every_build_needs_stays_while_it_is_used() {
    let place = Place::new("needed");
    place.verdict();
    let folders = [place.cache.clone(), place.cache.join("compilers")];
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
    let is_needed = |path: &PathBuf| {
        let name = path.strip_prefix(&place.cache).unwrap().to_str().unwrap();
        ["shim-", "runtime-", "compilers/"].iter().any(|begin| name.starts_with(begin))
    };
    let needed: Vec<PathBuf> = entries.filter(is_needed).collect();
    assert_eq!(needed.len(), 4, "the shim, the runtime with its digest, what is known of the compiler: {needed:?}");
    needed.iter().for_each(|path| age(path));
    // The next image that is kept brings a look.
    fs::remove_file(place.cache.join("swept")).unwrap();
    let text = fs::read_to_string(place.kernel()).unwrap();
    fs::write(place.kernel(), format!("{text}// Changed.\n")).unwrap();
    assert_eq!(place.verdict(), (Some(0), String::new()));
    assert!(place.cache.join("swept").is_file());
    assert!(needed.iter().all(|path| path.exists()), "{needed:?}");
}

#[test]
fn a_cache_that_others_can_write_to_is_not_used() {
    let place = Place::new("open");
    place.verdict();
    for which in ["", "images"] {
        let folder = place.cache.join(which);
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
        let (code, said) = place.verdict();
        assert!(code == Some(0) && said.lines().count() == 1, "{said}");
        assert!(said.contains(place.cache.to_str().unwrap()) && said.contains("others can write to it"), "{said}");
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
    }
    assert_eq!(place.verdict(), (Some(0), String::new()));
}

#[test]
fn a_home_that_cannot_be_written_is_told_of_in_one_line() {
    let place = Place::new("home");
    let temporary = folder("home-temporary");
    let run = || {
        let mut command = place.run();
        command.env_remove("TILEPROOF_CACHE_DIR").env_remove("XDG_CACHE_HOME");
        command.env("HOME", "/dev/null").env("TMPDIR", &temporary).output().unwrap()
    };
    for _ in 0..2 {
        let output = run();
        let said = said(&output);
        assert!(output.status.success() && said.lines().count() == 1, "{said}");
        assert!(said.contains("/dev/null/.cache/tileproof") && said.contains(temporary.to_str().unwrap()), "{said}");
    }
}

/// A compiler that is a script.
fn script(place: &Place, text: &str) -> PathBuf {
    let path = place.program.with_file_name("compiler.sh");
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_compiler_that_does_not_end_is_ended() {
    let place = Place::new("hangs");
    for text in
        ["case $1 in -print*) exit 1;; esac\nsleep 1000", "case $1 in -print*) exit 1;; esac\nwhile :; do :; done"]
    {
        let start = Instant::now();
        let output =
            place.run().env("CXX", script(&place, text)).env("TILEPROOF_COMPILER_LIMIT", "1").output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains("did not end within 1 s"), "{}", said(&output));
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}

#[test]
fn a_compiler_that_its_walls_keep_from_its_parts_is_told_how_to_go_without_them() {
    let place = Place::new("walled");
    // Its part lies where nothing of it says.
    let far = std::env::temp_dir().join(format!("tileproof-far-{}", std::process::id()));
    fs::create_dir_all(&far).unwrap();
    let part = far.join("driver");
    fs::write(&part, "#!/bin/sh\nexec g++ \"$@\"\n").unwrap();
    fs::set_permissions(&part, fs::Permissions::from_mode(0o755)).unwrap();
    let compiler = script(&place, &format!("exec {} \"$@\"", part.display()));
    let run = |command: &mut Command| command.env("CXX", &compiler).output().unwrap();
    let output = run(&mut place.run());
    // A host without Landlock has no such walls.
    if !output.status.success() {
        let said = said(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("Permission denied") && said.contains("TILEPROOF_COMPILER_BOX=off"), "{said}");
    }
    let output = run(place.run().env("TILEPROOF_COMPILER_BOX", "off"));
    assert!(output.status.success(), "{}", said(&output));
    fs::remove_dir_all(&far).unwrap();
}

#[test]
fn an_include_of_what_has_no_end_is_refused_at_its_line() {
    let place = Place::new("endless");
    let text = fs::read_to_string(place.kernel()).unwrap();
    let pipe = place.program.with_file_name("pipe.h");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    std::os::unix::fs::symlink("/dev/zero", place.program.with_file_name("zero.h")).unwrap();
    for (name, what) in [("pipe.h", "a named pipe"), ("zero.h", "a device"), ("/dev/zero", "a device")] {
        fs::write(place.kernel(), format!("\n#include \"{name}\"\n{text}")).unwrap();
        let start = Instant::now();
        let mut command = place.run();
        let output = command.args(["--format", "json"]).output().unwrap();
        let finding = &json_of(&output)["findings"][0];
        assert!(output.status.code() == Some(2) && start.elapsed() < Duration::from_secs(30), "{}", said(&output));
        assert_eq!((&finding["code"], &finding["line"]), (&"TP0201".into(), &2.into()), "{finding}");
        assert!(finding["message"].as_str().unwrap().contains(what), "{finding}");
    }
    // In a comment it is not read.
    fs::write(place.kernel(), format!("// #include \"pipe.h\"\n{text}")).unwrap();
    assert_eq!(place.verdict(), (Some(0), String::new()));
    // Nor is it to blame for what else is wrong.
    for named in ["// #include \"pipe.h\"", "#define DEVICE \"/dev/null\""] {
        fs::write(place.kernel(), format!("{named}\n#include \"no_such.h\"\n{text}")).unwrap();
        let output = place.run().args(["--format", "json"]).output().unwrap();
        let finding = &json_of(&output)["findings"][0];
        assert_eq!((&finding["code"], &finding["line"]), (&"TP0201".into(), &2.into()), "{finding}");
        assert!(finding["message"].as_str().unwrap().contains("no_such.h"), "{finding}");
    }
}

/// Runs in process namespaces of their own, where the numbers of processes are the same, with one cache.
#[test]
fn process_namespaces_share_a_cache() {
    let rounds = rounds(2, 100);
    let alone = |program: &Path| {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--pid", "--fork", "--mount-proc"]).arg(program);
        command
    };
    if !alone(Path::new("true")).status().is_ok_and(|status| status.success()) {
        eprintln!("not tried: this host makes no namespaces for its users");
        return;
    }
    let place = Place::new("shared");
    for round in 0..rounds {
        let text = fs::read_to_string(place.kernel()).unwrap();
        fs::write(place.kernel(), format!("{text}// {round}\n")).unwrap();
        let run = || {
            let mut command = alone(Path::new(env!("CARGO_BIN_EXE_tileproof")));
            command.arg("run").arg(&place.program).env("TILEPROOF_CACHE_DIR", &place.cache);
            command.stderr(std::process::Stdio::piped()).stdout(std::process::Stdio::null()).spawn().unwrap()
        };
        let children: Vec<_> = (0..4).map(|_| run()).collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert_eq!((output.status.code(), said(&output)), (Some(0), String::new()), "round {round}");
        }
    }
}
