//! Pages in headless Chromium: each is opened from a file, used by keys, filters and links, looked at by axe for what keeps readers out, and
//! photographed at 1280 and 400 pixels, light and dark.
//!
//! What a page is made of is held by the command's tests; this asks a browser, which not every machine has. Start at [`run`].

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::determinism;
use crate::workspace::{root, target_folder};

/// Names of the browser.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Pages: a name, and the command that makes each.
const PAGES: [(&str, &[&str]); 6] = [
    ("wrong", &["run", "examples/programs/reduce/broken.toml"]),
    ("softmax", &["run", "examples/programs/softmax/program.toml"]),
    ("deadlock", &["run", "examples/programs/barrier/broken.toml"]),
    ("matmul", &["run", "examples/programs/matmul_grid/program.toml"]),
    ("compare", &["compare", "examples/programs/softmax/program.toml", "examples/programs/reduce/broken.toml"]),
    ("layernorm", &["layernorm", "backward", "--shape", "1,1,2048,2048", "--checks", "none"]),
];

/// Pixels of a narrow screen.
const NARROW: u32 = 400;
/// The longest that a page may take to be read and drawn.
const OPENS: Duration = Duration::from_secs(2);

/// Uses the timeline as a reader would, and writes down what came of it where the dumped document shows it.
const DRIVER: &str = r##"<script>
addEventListener("load", () => {
  const body = document.body, canvas = document.getElementById("timeline-canvas");
  body.dataset.inner = innerWidth;
  body.dataset.overflow = document.documentElement.scrollWidth - innerWidth;
  body.dataset.took = Math.round(performance.now());
  body.dataset.asked = performance.getEntriesByType("resource").map((asked) => asked.name).join(" ");
  const links = [...document.querySelectorAll("a[href]")];
  body.dataset.links = links.length;
  body.dataset.lost = links.map((link) => link.getAttribute("href"))
    .filter((to) => !to.startsWith("#") || !document.getElementById(decodeURIComponent(to.slice(1)))).join(" ");
  const recipe = document.querySelector("svg.heat a");
  if (recipe) {
    recipe.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, view: window }));
    body.dataset.recipe = document.querySelector(".recipes li:target")?.textContent ?? "";
  }
  const give = () => parent.postMessage({ ...body.dataset }, "*");
  if (!canvas) { body.dataset.told = "no timeline"; return give(); }
  const press = (key) => canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  canvas.focus();
  ["+", "+", "ArrowRight", "n", "n", "ArrowDown", "-", "Home"].forEach(press);
  const select = document.getElementById("timeline-cores");
  select.value = "0";
  select.dispatchEvent(new Event("change"));
  const rows = canvas.clientHeight;
  document.querySelector(".tools input").click();
  body.dataset.fewer = canvas.clientHeight < rows;
  document.querySelector(".tools input").click();
  press("n");
  body.dataset.told = document.querySelector(".told").textContent;
  give();
});
</script>"##;

/// Narrow windows of a browser are wider than they are asked to be: in a frame a page has the width that it is to have.
fn framed(page: &Path, width: u32, to: &Path) -> Result<()> {
    let name = page.file_name().unwrap_or_default().to_string_lossy();
    let frame = format!("<iframe src=\"{name}\" style=\"border:0;width:{width}px;height:2400px\"></iframe>");
    let listen = "<script>onmessage = (event) => Object.assign(document.body.dataset, event.data);</script>";
    Ok(fs::write(to, format!("<!doctype html><title>{name}</title><body style=\"margin:0\">{listen}{frame}</body>"))?)
}

/// True if all pages open without a complaint and can be used.
pub(crate) fn run() -> Result<bool> {
    let browser = BROWSERS.iter().find(|name| Command::new(name).arg("--version").output().is_ok());
    let browser = browser.with_context(|| format!("none of {} is here", BROWSERS.join(", ")))?;
    let folder = std::path::absolute(target_folder())?.join("pages");
    fs::create_dir_all(&folder)?;
    let binary = determinism::binary("dev")?;
    let axe = axe()?;
    let mut all = true;
    for (name, command) in PAGES {
        let page = folder.join(format!("{name}.html"));
        let output = Command::new(&binary).args(command).arg("--report").arg(&page).current_dir(root()).output()?;
        ensure!(page.is_file(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim());
        for (theme, scheme) in [("dark", "0"), ("light", "1")] {
            for width in [1280, NARROW] {
                let picture = folder.join(format!("{name}-{width}-{theme}.png"));
                let frame = folder.join(format!("frame-{width}.html"));
                framed(&page, width, &frame)?;
                let complaints = photograph(browser, &frame, &picture, (width, scheme))?;
                all &= tell(&format!("{name}, {width} pixels, {theme}"), complaints);
            }
        }
        all &= tell(&format!("{name} is used"), used(browser, &page, &folder)?);
        for (theme, scheme) in [("dark", "0"), ("light", "1")] {
            for width in [1280, NARROW] {
                let complaints = barriers(browser, &page, &folder, &axe, (width, scheme))?;
                all &= tell(&format!("{name} by axe, {width} pixels, {theme}"), complaints);
            }
        }
    }
    println!("pictures are in {}", folder.display());
    Ok(all)
}

/// The version of axe that looks at pages.
const AXE: &str = "axe-core@4.10.3";

/// The script of axe, which is fetched into a cache folder by npm, once.
fn axe() -> Result<String> {
    let folder = crate::workspace::cache_folder("pages-axe")?.join(AXE);
    let script = folder.join("node_modules/axe-core/axe.min.js");
    if !script.is_file() {
        fs::create_dir_all(&folder)?;
        println!("fetching {AXE} into {}", folder.display());
        let fetched =
            Command::new("npm").args(["install", "--silent", "--no-save", "--prefix"]).arg(&folder).arg(AXE).status();
        ensure!(fetched.context("npm is not here")?.success(), "npm cannot install {AXE}");
    }
    Ok(fs::read_to_string(script)?)
}

/// Has axe look at the whole page, and writes down what it finds that is serious or worse.
const LOOK: &str = r#"<script>
addEventListener("load", () => axe.run(document, { resultTypes: ["violations"] }).then((found) => {
  const serious = found.violations.filter((one) => one.impact === "serious" || one.impact === "critical");
  const tell = (one) => `${one.impact}, ${one.id}, ${one.nodes.length} times, first ${one.nodes[0].target.join(" ")}`;
  parent.postMessage({ serious: serious.map(tell).join("; "), passes: found.passes.length }, "*");
}));
</script>"#;

/// What keeps some readers out of a page.
fn barriers(browser: &str, page: &Path, folder: &Path, axe: &str, (width, scheme): (u32, &str)) -> Result<Vec<String>> {
    let looked_at = folder.join("axe.html");
    let script = format!("<script>{axe}</script>{LOOK}</body>");
    fs::write(&looked_at, fs::read_to_string(page)?.replace("</body>", &script))?;
    let frame = folder.join("axe-frame.html");
    framed(&looked_at, width, &frame)?;
    let output = headless(browser)
        .args(["--window-size=1280,2400", "--virtual-time-budget=60000", "--dump-dom"])
        .arg(format!("--blink-settings=preferredColorScheme={scheme}"))
        .arg(format!("file://{}", frame.display()))
        .output()?;
    let document = String::from_utf8_lossy(&output.stdout);
    Ok(match (data(&document, "serious"), data(&document, "passes")) {
        (Some(serious), Some(_)) if serious.is_empty() => Vec::new(),
        (Some(serious), Some(_)) => serious.split("; ").map(String::from).collect(),
        _ => vec!["axe did not come to an end".into()],
    })
}

/// What a page wrote down of itself.
fn data(document: &str, name: &str) -> Option<String> {
    let behind = document.split_once(&format!("data-{name}=\""))?.1;
    Some(behind.split_once('"')?.0.to_string())
}

fn tell(what: &str, complaints: Vec<String>) -> bool {
    println!("{} {what}", if complaints.is_empty() { "ok  " } else { "FAIL" });
    complaints.iter().for_each(|complaint| println!("     {complaint}"));
    complaints.is_empty()
}

fn headless(browser: &str) -> Command {
    let mut command = Command::new(browser);
    command.args(["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]);
    command.args(["--disable-background-networking", "--disable-component-update", "--disable-sync"]);
    // Whatever a page asked of the network would be a complaint of its console.
    command.args(["--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr"]);
    command
}

/// Lines that a page wrote to the console.
fn console(stderr: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(stderr).lines().filter(|line| line.contains(":CONSOLE")).map(String::from).collect()
}

fn photograph(browser: &str, page: &Path, picture: &Path, (width, scheme): (u32, &str)) -> Result<Vec<String>> {
    let output = headless(browser)
        .arg(format!("--window-size={width},2400"))
        .arg(format!("--blink-settings=preferredColorScheme={scheme}"))
        .arg(format!("--screenshot={}", picture.display()))
        .arg(format!("file://{}", page.display()))
        .output()?;
    let mut complaints = console(&output.stderr);
    if !picture.is_file() {
        complaints.push("no picture was taken".into());
    }
    Ok(complaints)
}

/// Opens a page with the driver at its end.
fn used(browser: &str, page: &Path, folder: &Path) -> Result<Vec<String>> {
    let driven = folder.join("driven.html");
    fs::write(&driven, fs::read_to_string(page)?.replace("</body>", &format!("{DRIVER}</body>")))?;
    let frame = folder.join("frame.html");
    framed(&driven, NARROW, &frame)?;
    let begin = Instant::now();
    let output = headless(browser)
        .args(["--window-size=1280,2400", "--virtual-time-budget=4000", "--dump-dom"])
        .arg(format!("file://{}", frame.display()))
        .output()?;
    let whole = begin.elapsed();
    let document = String::from_utf8_lossy(&output.stdout);
    let data = |name: &str| data(&document, name);
    let mut complaints = console(&output.stderr);
    let told = data("told").unwrap_or_default();
    let name = page.file_stem().unwrap_or_default();
    // Two runs side by side have tables alone.
    let has_timeline = name != "compare";
    if has_timeline && (!told.starts_with("core (") || !told.contains("cycles)")) {
        complaints.push(format!("keys choose no piece of the timeline: {told:?}"));
    }
    if has_timeline && data("fewer").as_deref() != Some("true") {
        complaints.push("a thread that is left out is still drawn".into());
    }
    let overflow = data("overflow").and_then(|text| text.parse::<i64>().ok()).unwrap_or(i64::MAX);
    if data("inner").as_deref() != Some(&NARROW.to_string()) {
        complaints.push(format!("it is {:?} pixels wide", data("inner")));
    }
    if overflow > 0 {
        complaints.push(format!("{NARROW} pixels are {overflow} too few"));
    }
    if data("links").and_then(|links| links.parse::<u32>().ok()).is_none_or(|links| links < 4) {
        complaints.push(format!("it has {:?} links", data("links")));
    }
    for (what, of) in [("links lead nowhere", "lost"), ("it asks for", "asked")] {
        complaints.extend(data(of).filter(|found| !found.is_empty()).map(|found| format!("{what}: {found}")));
    }
    if name == "wrong" && !data("recipe").is_some_and(|text| text.contains(" = ")) {
        complaints.push("an element of the map leads to no recipe".into());
    }
    let took = data("took").and_then(|text| text.parse().ok()).map_or(whole, Duration::from_millis);
    if took > OPENS {
        complaints.push(format!("it opens in {took:?}"));
    }
    Ok(complaints)
}
