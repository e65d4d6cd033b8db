//! `--report`: the page is whole, well formed, links to itself alone, and has what others wrote as text. What it looks like in a browser
//! is asked by `cargo xtask pages`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::run::{ROOT, changed_add, folder, json_of, tileproof};

/// Elements without an end.
const VOID: [&str; 3] = ["meta", "br", "input"];

/// An element that begins.
struct Tag {
    name: String,
    attributes: Vec<(String, String)>,
}

impl Tag {
    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

/// The elements of a page, and its text. Fails where an element is not closed, or an attribute has no quotes.
fn read(page: &str) -> (Vec<Tag>, String) {
    let (mut tags, mut text, mut open) = (Vec::new(), String::new(), Vec::new());
    let mut rest = page.strip_prefix("<!DOCTYPE html>").expect("a document type");
    while let Some(at) = rest.find('<') {
        text += &rest[..at];
        rest = &rest[at + 1..];
        if let Some(end) = rest.strip_prefix('/') {
            let (name, behind) = end.split_once('>').expect("an end");
            assert_eq!(open.pop().as_deref(), Some(name), "what ends was begun last");
            rest = behind;
            continue;
        }
        let tag;
        (tag, rest) = begin(rest);
        if tag.name == "script" || tag.name == "style" {
            let end = format!("</{}>", tag.name);
            rest = rest.split_once(&end).expect("an end").1;
        } else if !VOID.contains(&tag.name.as_str()) {
            open.push(tag.name.clone());
        }
        tags.push(tag);
    }
    assert!(open.is_empty(), "{open:?} are not closed");
    (tags, text)
}

fn begin(text: &str) -> (Tag, &str) {
    let end = text.find([' ', '>']).expect("an end of the name");
    let mut tag = Tag { name: text[..end].into(), attributes: Vec::new() };
    assert!(tag.name.chars().all(|c| c.is_ascii_alphanumeric()), "<{}", tag.name);
    let mut rest = &text[end..];
    loop {
        rest = rest.trim_start();
        if let Some(behind) = rest.strip_prefix('>') {
            let names: BTreeSet<&String> = tag.attributes.iter().map(|(name, _)| name).collect();
            assert_eq!(names.len(), tag.attributes.len(), "<{}> has an attribute twice", tag.name);
            return (tag, behind);
        }
        let end = rest.find(['=', '>', ' ']).expect("an end of an attribute");
        let name = rest[..end].to_string();
        let value = match rest[end..].strip_prefix("=\"") {
            Some(quoted) => {
                let (value, behind) = quoted.split_once('"').expect("a quote");
                rest = behind;
                value
            }
            None => {
                rest = &rest[end..];
                ""
            }
        };
        tag.attributes.push((name, value.into()));
    }
}

/// The page of a program, which is read and found whole.
fn page_of(name: &str, program: &Path, more: &[&str]) -> String {
    let file = folder(&format!("report_{name}")).join("run.html");
    let arguments = ["run", program.to_str().unwrap(), "--report", file.to_str().unwrap()];
    tileproof(&[&arguments, more].concat());
    let page = fs::read_to_string(&file).expect("a page");
    is_whole(&page);
    page
}

fn is_whole(page: &str) {
    let (tags, _) = read(page);
    let ids: Vec<&str> = tags.iter().filter_map(|tag| tag.attribute("id")).collect();
    let unique: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len(), "an id is there twice");
    for tag in &tags {
        for name in ["aria-labelledby", "for"] {
            assert!(tag.attribute(name).is_none_or(|id| unique.contains(id)), "<{}> {name}", tag.name);
        }
        if let Some(link) = tag.attribute("href") {
            let id = link.strip_prefix('#').unwrap_or_else(|| panic!("{link} leaves the page"));
            assert!(unique.contains(id), "{link} leads nowhere");
        }
        assert!(tag.attribute("src").is_none() && tag.name != "link" && tag.name != "iframe", "<{}>", tag.name);
        assert!(tag.attributes.iter().all(|(name, _)| !name.starts_with("on")), "<{}> runs a script", tag.name);
        if tag.name == "svg" {
            assert!(tag.attribute("aria-label").is_some_and(|label| !label.is_empty()), "a drawing without a name");
        }
    }
    for address in ["http:", "https:", "@import", "url(\"", "url(h", "//cdn"] {
        assert!(!page.contains(address), "{address}");
    }
    assert_eq!(tags.iter().filter(|tag| tag.name == "h1").count(), 1);
}

fn example(program: &str) -> String {
    page_of(&program.replace('/', "_"), &Path::new(ROOT).join("examples/programs").join(program), &[])
}

fn text_of(page: &str) -> String {
    read(page).1.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// What the script draws.
fn data_of(page: &str) -> serde_json::Value {
    let data = page.split_once("id=\"timeline-data\">").expect("data").1.split_once("</script>").expect("an end").0;
    serde_json::from_str(data).expect("JSON")
}

#[test]
fn a_page_tells_who_waits_for_whom_what_bounds_the_run_and_what_lies_where() {
    let page = example("softmax/program.toml");
    let text = text_of(&page);
    for told in [
        "Bound by the vector unit",
        "for pages in c_0, filled by NCRISC, which waited for reads on NoC 0 from x in DRAM",
        "Nothing was found.",
        "at most 6 of 6 pages",
        "c_16, filled by PACK",
        "tileproof run",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
    let data = data_of(&page);
    let lanes = data["cores"][0]["lanes"].as_array().unwrap();
    assert_eq!(lanes.len(), 5);
    let ends = lanes.iter().map(|lane| {
        let pieces: Vec<u64> = lane["pieces"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
        pieces.chunks(3).map(|piece| piece[0] + piece[1]).sum::<u64>()
    });
    assert_eq!(ends.max(), data["cycles"].as_u64());
    // The path is one way from the first cycle to the last.
    let path = data["path"].as_array().unwrap();
    assert_eq!((&path[0][2], &path[path.len() - 1][3]), (&serde_json::json!(0), &data["cycles"]));
    assert!(path.windows(2).all(|pair| pair[0][3] == pair[1][2]));
}

#[test]
fn a_deadlock_is_a_drawing_and_a_list_and_a_finding_has_both_its_ends() {
    let page = example("barrier/broken.toml");
    let text = text_of(&page);
    for told in [
        "64 cores of 64 stand still, in 2 ways",
        "2. BRISC of 63 cores",
        "core (5,3): its part is missing",
        "core (5,3), which runs the same kernel, has not",
        "help: core (5,3) must count it up too",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
    let places = read(&page).0.iter().filter(|tag| tag.attribute("class") == Some("place")).count();
    assert_eq!(places, 4, "three ends of one finding, one of the other");
    assert!(!text.contains("Bound by"), "what did not end is bound by nothing");
}

#[test]
fn what_others_wrote_is_text_wherever_it_stands() {
    let evil = "</script><script>alert(1)</script><b onclick=\"x()\">&lt;";
    let line = format!("noc_async_read_barrier(); // {evil}");
    let changes = [("reader.cpp", "noc_async_read_barrier();", line.as_str())];
    let program = changed_add("evil_program", &changes);
    let page = page_of("evil", &program, &[]);
    let scripts = page.matches("<script").count();
    assert_eq!(scripts, 2, "the data and the page's own");
    assert!(!page.contains("<b onclick"));
    let labels = data_of(&page)["labels"].to_string();
    assert!(labels.contains("alert(1)"), "the line is there, as text: {labels}");
}

#[test]
fn a_page_has_the_same_bytes_each_time_and_is_refused_where_there_is_no_single_run() {
    let program = Path::new(ROOT).join("examples/programs/add/program.toml");
    let once = page_of("once", &program, &["--threads", "1"]);
    // The command at its end is another.
    let same = |page: &str| page.split_once("Run it again</h2>").expect("the last section").0.to_string();
    assert!(same(&once) == same(&page_of("again", &program, &[])));
    // Without the pictures, and as it was given.
    let run_again = format!("<code>tileproof run {} --threads 1</code>", program.display());
    assert!(once.contains(&run_again), "{}", once.split_once("Run it again</h2>").unwrap().1);
    let refused = |arguments: &[&str]| {
        let output = tileproof(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let file = folder("report_refused").join("no.html");
    let (program, file) = (program.to_str().unwrap(), file.to_str().unwrap());
    let grid = ["run", program, "--grid", "PAGES=1,2", "--trace", file];
    assert!(refused(&grid).contains("--trace: it is of one run; leave out --grid"));
    let suite = ["layernorm", "backward", "--suite", "public", "--report", file];
    assert!(refused(&suite).contains("--report: it is of one run; leave out --suite"));
    let audit = ["layernorm", "backward", "--shape", "1,1,32,32", "--audit", "--trace", file];
    assert!(refused(&audit).contains("--trace: it is of one run; leave out --audit"));
    assert!(refused(&["run", program, "--report", "no/such/folder/x.html"]).contains("--report no/such/folder/x.html"));
}

#[test]
fn a_layernorm_on_64_cores_gives_a_small_page_and_a_small_trace() {
    let folder = folder("report_layernorm");
    let (page, trace) = (folder.join("run.html"), folder.join("run.pftrace"));
    let shape = ["layernorm", "backward", "--shape", "1,1,2048,512", "--checks", "none", "--format", "json"];
    let files = ["--report", page.to_str().unwrap(), "--trace", trace.to_str().unwrap()];
    let document = json_of(&tileproof(&[&shape[..], &files[..]].concat()));
    assert_eq!(document["cores"], 64);
    let text = fs::read_to_string(&page).unwrap();
    is_whole(&text);
    assert_eq!(data_of(&text)["cores"].as_array().unwrap().len(), 64);
    let size = |file: &Path| fs::metadata(file).unwrap().len();
    assert!(size(&page) < 10_000_000 && size(&trace) < 30_000_000, "{} {}", size(&page), size(&trace));
}

#[test]
fn a_wrong_output_is_a_map_of_how_far_off_it_is_and_what_would_help_was_run() {
    // The last page of the sum is written over with another.
    let changes = [("writer.cpp", "noc_async_write_page(page,", "noc_async_write_page(page ^ 1,")];
    let program = changed_add("report_wrong_program", &changes);
    let page = page_of("wrong", &program, &["--in-process"]);
    let text = text_of(&page);
    assert!(text.contains("How far off out is") && text.contains("The worst tile by element"), "{text}");
    let cells = read(&page).0.iter().filter(|tag| tag.attribute("class") == Some("off")).count();
    assert!(cells > 4, "four tiles, and the elements of one");
    assert!(text.contains("What would help") && text.contains("circular buffers"), "{text}");
    // What is within its tolerance is shown too.
    let right = text_of(&example("add/program.toml"));
    assert!(right.contains("the largest is 0.125, in row 0, column 0 of these."), "{right}");
}

#[test]
fn an_element_of_the_map_leads_to_how_it_came_about() {
    // A mask keeps column 0 of each tile: every other element of y is 0, and furthest off where the right one is largest.
    let page = example("reduce/broken.toml");
    let links = read(&page).0.into_iter().filter(|tag| tag.name == "a");
    let links: Vec<String> = links.filter_map(|tag| Some(tag.attribute("href")?.to_string())).collect();
    let recipes = links.iter().filter(|link| link.starts_with("#recipe-y-")).count();
    assert!((100..=128).contains(&recipes), "{recipes}");
    let text = text_of(&page);
    let (_, recipes) = text.split_once("How the worst elements of y came about").expect("recipes");
    assert!(recipes.starts_with("y[39, 15] = 0 by the packer's edge mask, off by 7.656"), "{recipes}");
    assert!(recipes.contains("The calls that made y[39, 15]centre.cpp:43"), "{recipes}");
    // Where nothing is off there is nothing to tell.
    assert!(!text_of(&example("matmul_grid/program.toml")).contains("came about"));
}

#[test]
fn results_that_are_no_single_run_are_pages_of_the_same_look() {
    let folder = folder("report_documents");
    let example = |name: &str| format!("{ROOT}/examples/programs/{name}/program.toml");
    let (add, hang) = (example("add"), example("hang"));
    let commands: [(&str, &[&str], &str); 2] = [
        ("grid", &["run", &hang, "--grid", "PAGES=1,4", "--grid", "EXTRA=0..1"], "TP0601"),
        ("compare", &["compare", &add, &hang], "the unpackers"),
    ];
    for (name, command, told) in commands {
        let file = folder.join(format!("{name}.html"));
        let output = tileproof(&[command, &["--report", file.to_str().unwrap()]].concat());
        assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
        let page = fs::read_to_string(&file).unwrap();
        is_whole(&page);
        let text = text_of(&page);
        assert!(text.contains(told) && text.contains("FAIL") && text.contains("Run it again"), "{text}");
    }
}

#[test]
fn two_programs_are_compared_by_where_their_time_goes() {
    let once = |size: &str| ("program.toml", "total_size = 4096", size.to_string());
    let program = |name: &str, size: &str| {
        let (file, from, to) = once(size);
        changed_add(name, &[(file, from, to.as_str())]).to_str().unwrap().to_string()
    };
    let (shallow, deep) =
        (program("compare_shallow", "total_size = 2048"), program("compare_deep", "total_size = 8192"));
    let document = json_of(&tileproof(&["compare", &shallow, &deep, "--format", "json"]));
    let cycles = &document["cycles"];
    assert!(cycles[1].as_u64() < cycles[0].as_u64(), "{document:#}");
    assert_eq!(document["pass"], true);
    assert!(document["bound"][0].as_str().unwrap().contains("take turns"), "{document:#}");
    let spent =
        |run: &str| document["path"].as_array().unwrap().iter().map(|entry| entry[run].as_u64().unwrap()).sum::<u64>();
    assert_eq!([spent("a"), spent("b")], [cycles[0].as_u64().unwrap(), cycles[1].as_u64().unwrap()]);
    let text = String::from_utf8(tileproof(&["compare", &shallow, &deep]).stdout).unwrap();
    assert!(
        text.contains("fewer") && text.contains("the critical path goes to") && text.contains("threads wait"),
        "{text}"
    );
    let page = folder("report_compared").join("page.html");
    tileproof(&["compare", &shallow, &deep, "--report", page.to_str().unwrap()]);
    let page = fs::read_to_string(page).unwrap();
    is_whole(&page);
    let text = text_of(&page);
    assert!(text.contains("% fewer") && text.contains("take turns") && text.contains("What threads do"), "{text}");
    // Figures as people write them: no part of a time with sixteen digits.
    assert!(!text.split_whitespace().any(|word| word.starts_with("0.") && word.len() > 9), "{text}");
    let mixed = tileproof(&["compare", &shallow, "no.sqlite"]);
    assert_eq!(mixed.status.code(), Some(2));
}
