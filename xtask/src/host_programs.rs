//! `cargo xtask compat --host DIR`: the host programs in C++ below a folder, built as their own CMakeLists.txt say and run.
//!
//! It fetches nothing: the folder is a checkout of tt-metal, or of any project. Nothing of a program is kept but the table that
//! is printed. Start at [`run`].

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;
use std::{env, fs};

use anyhow::{Context, Result, ensure};

use crate::workspace::{cargo, target_folder};

/// Seconds that a program may take, as `timeout` reads them.
const LIMIT: &str = "300";

/// Builds and runs all of them, and prints the table; true if each was built.
pub(crate) fn run(folder: &Path) -> Result<bool> {
    let folder = folder.canonicalize().with_context(|| format!("--host {}", folder.display()))?;
    let status = cargo().args(["build", "--release", "-q", "-p", "tileproof-cli", "-p", "tileproof-host"]).status()?;
    ensure!(status.success(), "the command and its library cannot be built");
    let target = target_folder();
    let sdk = Sdk::of(&target.join("release/tileproof"))?;
    let mut programs = Vec::new();
    find(&folder, &mut programs)?;
    ensure!(!programs.is_empty(), "--host {}: there is no host program below it", folder.display());
    let work = env::temp_dir().join(format!("tileproof-host-programs-{}", std::process::id()));
    let has_cmake = Command::new("cmake").arg("--version").output().is_ok_and(|output| output.status.success());
    if !has_cmake {
        println!("cmake is not installed (`pip install cmake` has it): programs are compiled by hand");
    }
    println!("{:<48} {:<16} {:>7} {:>4}  {:<28} last line", "program", "built", "time", "end", "said");
    let around = common(&programs);
    let mut projects = BTreeMap::new();
    let mut all_built = true;
    for (number, program) in programs.iter().enumerate() {
        let name = program.strip_prefix(&around).unwrap_or(program).display().to_string();
        let project = project_of(program, &folder).filter(|_| has_cmake);
        let by_cmake = project.map(|project| {
            let built = projects.entry(project.clone()).or_insert_with(|| {
                let build = work.join(format!("project-{number}"));
                sdk.configure_and_build(&project, &build).map(|()| build)
            });
            built.as_ref().map_err(String::clone).and_then(|build| executables(build, &project, program))
        });
        let by_hand =
            || sdk.compile(program, &folder, &work.join(format!("program-{number}"))).map(|built| vec![built]);
        let (how, built) = match by_cmake {
            Some(Ok(executables)) => ("cmake", Ok(executables)),
            Some(Err(why)) => {
                println!("{name:<48} not by cmake: {why}");
                ("g++", by_hand())
            }
            None => ("g++", by_hand()),
        };
        match built {
            Ok(executables) => {
                for executable in executables {
                    println!("{}", row(&name, how, &executable, &folder)?);
                }
            }
            Err(why) => {
                all_built = false;
                println!("{name:<48} not built: {why}");
            }
        }
    }
    let _ = fs::remove_dir_all(work);
    Ok(all_built)
}

/// Where headers, package and library are.
struct Sdk {
    cmake: String,
    flags: Vec<String>,
    libraries: Vec<String>,
}

impl Sdk {
    fn of(command: &Path) -> Result<Sdk> {
        let printed = |flag: &str| -> Result<String> {
            let output = Command::new(command).args(["sdk", flag]).output()?;
            ensure!(output.status.success(), "tileproof sdk {flag}: {}", String::from_utf8_lossy(&output.stderr));
            Ok(String::from_utf8(output.stdout)?.trim().to_string())
        };
        let words = |text: String| text.split(' ').map(String::from).collect();
        Ok(Sdk { cmake: printed("--cmake")?, flags: words(printed("--cflags")?), libraries: words(printed("--libs")?) })
    }

    /// Builds a project; what CMake says first of what is wrong, if it cannot.
    fn configure_and_build(&self, project: &Path, build: &Path) -> Result<(), String> {
        let done = |what: &str, command: &mut Command| {
            let output = command.output().map_err(|error| format!("{what}: {error}"))?;
            if output.status.success() {
                return Ok(());
            }
            let said = [output.stderr, output.stdout].concat();
            let said = String::from_utf8_lossy(&said);
            let error = said.lines().find(|line| line.to_ascii_lowercase().contains("error"));
            Err(format!("{what} failed: {}", error.unwrap_or("it does not say why").trim()))
        };
        let package = format!("-DTT-Metalium_DIR={}", self.cmake);
        done("configuring", Command::new("cmake").arg("-S").arg(project).arg("-B").arg(build).arg(package))?;
        done("building", Command::new("cmake").arg("--build").arg(build).args(["--parallel", "2"]))
    }

    /// A program that no project builds, or whose project needs more than this machine has.
    fn compile(&self, program: &Path, folder: &Path, out: &Path) -> Result<PathBuf, String> {
        let _ = fs::create_dir_all(out.parent().unwrap_or(out));
        let mut command = Command::new("g++");
        command.args(&self.flags).arg("-I").arg(folder);
        let around = program.ancestors().skip(1).take_while(|dir| dir.starts_with(folder));
        for dir in around.flat_map(|dir| [dir.to_path_buf(), dir.join("matmul_common")]) {
            command.arg("-I").arg(dir);
        }
        let output = command.arg(program).arg("-o").arg(out).args(&self.libraries).output();
        let output = output.map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let error = || text.lines().find(|line| line.contains("error")).unwrap_or("g++ failed").to_string();
        if output.status.success() { Ok(out.to_path_buf()) } else { Err(error()) }
    }
}

/// Host programs below a folder, sorted: C++ files with a `main`, and none in folders of kernels.
fn find(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    entries.sort();
    for path in entries {
        let is_kernels = path.file_name().is_some_and(|name| name == "kernels" || name == "kernel" || name == ".git");
        if path.is_dir() && !is_kernels {
            find(&path, found)?;
        } else if path.extension().is_some_and(|end| end == "cpp") {
            let text = fs::read_to_string(&path).unwrap_or_default();
            if text.contains("int main(") && text.contains("#include") {
                found.push(path);
            }
        }
    }
    Ok(())
}

/// The folder around all of them.
fn common(programs: &[PathBuf]) -> PathBuf {
    let first = programs.first().and_then(|program| program.parent()).unwrap_or(Path::new("/"));
    let around = first.ancestors().find(|dir| programs.iter().all(|program| program.starts_with(dir)));
    around.unwrap_or(first).to_path_buf()
}

/// The nearest folder around a program that is a CMake project.
fn project_of(program: &Path, folder: &Path) -> Option<PathBuf> {
    let mut around = program.ancestors().skip(1).take_while(|dir| dir.starts_with(folder));
    let is_project = |dir: &&Path| {
        let text = fs::read_to_string(dir.join("CMakeLists.txt")).unwrap_or_default();
        text.lines().any(|line| line.trim_start().starts_with("project("))
    };
    around.find(is_project).map(Path::to_path_buf)
}

/// What a project built of a program: the executable that is named for its file or, where every file is called `main`, for its
/// folder; else those that CMake put where that folder is in the project. A project that built one alone, and names the file,
/// built it of that.
fn executables(build: &Path, project: &Path, program: &Path) -> Result<Vec<PathBuf>, String> {
    let mut all = Vec::new();
    executables_below(build, &mut all);
    let file = program.file_name().unwrap_or_default().to_string_lossy();
    let text = fs::read_to_string(project.join("CMakeLists.txt")).unwrap_or_default();
    if all.len() == 1 && text.contains(&*file) {
        return Ok(all);
    }
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let folder = program.parent().unwrap_or(project);
    let stem = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if stem == "main" {
        let beside = build.join(folder.strip_prefix(project).unwrap_or(Path::new("")));
        all.retain(|path| path.parent() == Some(&beside) || name(path) == name(folder));
    } else {
        let ends = format!("_{stem}");
        let has_its_name = all.iter().any(|path| name(path) == stem);
        all.retain(|path| if has_its_name { name(path) == stem } else { name(path).ends_with(&ends) });
    }
    if all.is_empty() { Err(format!("it built no executable of {}", program.display())) } else { Ok(all) }
}

/// Files below a folder of a build that can be run, sorted, but for what CMake tries out for itself.
fn executables_below(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut entries: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    for path in entries {
        let can_be_run = path.metadata().is_ok_and(|is| is.is_file() && is.permissions().mode() & 0o111 != 0);
        if path.is_dir() && path.file_name().is_some_and(|name| name != "CMakeFiles") {
            executables_below(&path, found);
        } else if can_be_run && path.extension().is_none() {
            found.push(path);
        }
    }
}

/// Runs a program, and says what it came to.
fn row(name: &str, how: &str, executable: &Path, folder: &Path) -> Result<String> {
    let start = Instant::now();
    let mut command = Command::new("timeout");
    command.arg(LIMIT).arg(executable).current_dir(folder).env("TT_METAL_HOME", folder);
    let Output { status, stdout, stderr } = command.output()?;
    let took = start.elapsed().as_secs_f64();
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    let is_code =
        |word: &&str| word.len() == 6 && word.starts_with("TP") && word[2..].bytes().all(|b| b.is_ascii_digit());
    let errors = stderr.lines().filter(|line| line.starts_with("error[") || line.starts_with("warning["));
    let codes: BTreeSet<&str> =
        errors.flat_map(|line| line.split(|c: char| !c.is_alphanumeric())).filter(is_code).collect();
    let said = codes.into_iter().collect::<Vec<_>>().join(" ");
    let end = status.code().map_or("-".into(), |code| code.to_string());
    let refused = stderr.lines().find_map(|line| line.trim().strip_prefix("what():"));
    let last = refused.or_else(|| stdout.lines().rfind(|line| !line.trim().is_empty())).unwrap_or("");
    let last: String = last.trim().chars().take(90).collect();
    // A file may be built into several programs.
    let built = executable.file_name().unwrap_or_default().to_string_lossy();
    let how = if how == "cmake" { format!("cmake {built}") } else { how.to_string() };
    Ok(format!("{name:<48} {how:<16} {took:>6.2}s {end:>4}  {said:<28} {last}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_the_executables_that_are_named_for_it() {
        let build = env::temp_dir().join(format!("tileproof-executables-{}", std::process::id()));
        for (path, mode) in [
            ("add/add", 0o755),
            ("add/add_broken", 0o755),
            ("add/cmake_install.cmake", 0o644),
            ("bin/doubled", 0o755),
            ("copy", 0o755),
            ("test_copy", 0o755),
            ("test_sum", 0o755),
            ("CMakeFiles/main", 0o755),
            ("libcopy.so", 0o755),
        ] {
            let path = build.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        }
        for (program, expected) in [
            ("add/main.cpp", &["add/add", "add/add_broken"][..]),
            ("doubled/main.cpp", &["bin/doubled"]),
            ("copy.cpp", &["copy"]),
            ("tests/sum.cpp", &["test_sum"]),
            ("none/main.cpp", &[]),
            ("none.cpp", &[]),
        ] {
            let found = executables(&build, Path::new("/p"), &Path::new("/p").join(program)).unwrap_or_default();
            assert_eq!(found, expected.iter().map(|path| build.join(path)).collect::<Vec<_>>(), "{program}");
        }
        // One alone is that of the file that its project names, and of no other beside it.
        let alone = build.join("bin");
        fs::write(build.join("CMakeLists.txt"), "target_sources(doubled PRIVATE other.cpp)").unwrap();
        let built_of = |file: &str| executables(&alone, &build, &build.join(file));
        assert_eq!(built_of("other.cpp"), Ok(vec![alone.join("doubled")]));
        assert!(built_of("third.cpp").is_err());
        fs::remove_dir_all(build).unwrap();
    }
}
