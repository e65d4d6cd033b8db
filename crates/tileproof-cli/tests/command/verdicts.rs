//! What a verdict says for itself: its reason, one finding a cause, and places that the program has.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::run::{ROOT, changed_add, folder, json_of, tileproof};

fn text(arguments: &[&str]) -> String {
    String::from_utf8(tileproof(arguments).stdout).unwrap()
}

fn json(program: &Path) -> Value {
    json_of(&tileproof(&["run", program.to_str().unwrap(), "--format", "json"]))
}

fn codes(document: &Value) -> Vec<&str> {
    document["findings"].as_array().unwrap().iter().map(|finding| finding["code"].as_str().unwrap()).collect()
}

#[test]
fn a_fail_gives_its_reason_where_values_or_references_are_not_finite() {
    let wide = ["--shape", "1,1,32,64", "--dtype", "fp32"];
    let forward = [&["layernorm", "forward"][..], &wide, &["--x", "uniform:-3e38,3e38"]].concat();
    // The variance of such data is beyond fp32, and well within float64.
    assert!(text(&forward).contains("y[0, 0, 0, 0] is NaN, the reference is -0."), "{}", text(&forward));
    assert!(text(&forward).contains("left the range of fp32"), "{}", text(&forward));
    let data = ["--x", "normal:0,1e30", "--dy", "normal:0,1e38"];
    let backward = [&["layernorm", "backward"][..], &wide, &data, &["--format", "json"]].concat();
    let document: Value = serde_json::from_slice(&tileproof(&backward).stdout).unwrap();
    for output in document["outputs"].as_array().unwrap() {
        assert_eq!(output["pass"].as_bool(), Some(output.get("reason").is_none()), "{output}");
    }
    let fills = ["--fill", "x=normal:0,1e30", "--fill", "dy=normal:0,1e38"];
    let run = text(&[&["op", "run", "layernorm_bw"][..], &wide, &fills].concat());
    assert!(run.contains("dx[0, 0, 0, 0] is NaN, the reference is"), "{run}");
    // A finite miss says where, and what passes says nothing.
    let exact = text(&[&["layernorm", "forward"][..], &wide, &["--rtol", "0", "--atol", "0"]].concat());
    assert!(exact.contains("the reference is") && !exact.contains("range of fp32"), "{exact}");
    assert!(!text(&[&["layernorm", "forward"][..], &wide].concat()).contains("the reference is"));
}

#[test]
fn nan_that_comes_of_an_unwritten_page_is_no_second_finding() {
    let read = "noc_async_read_page(page, b, get_write_ptr(cb_b));";
    let document = json(&changed_add("unwritten", &[("reader.cpp", read, "")]));
    assert_eq!(codes(&document), ["TP0403"]);
    assert!(document["findings"][0]["notes"].to_string().contains("output out holds"), "{document}");
    // With no other cause it is one.
    let fills = [("program.toml", "ramp:-1,1", "constant:3e38"), ("program.toml", "ramp:0,31", "constant:3e38")];
    let document = json(&changed_add("overflow", &fills));
    assert!(codes(&document).contains(&"TP0801"), "{document}");
}

#[test]
fn a_finding_at_a_tensor_names_a_core_and_a_thread_that_the_program_has() {
    let ranges = ("program.toml", "[[[0, 0], [0, 0]]]", "[[[2, 1], [2, 1]]]");
    let program = changed_add("elsewhere", &[ranges, ("program.toml", "core = [0, 0]", "core = [2, 1]")]);
    let text = fs::read_to_string(&program).unwrap();
    // Without the writer BRISC runs nothing.
    let writer = text.find("[[kernel]]\nkernel_source = \"writer.cpp\"").unwrap();
    let expect = text.find("[[expect]]").unwrap();
    fs::write(&program, format!("{}{}", &text[..writer], &text[expect..]).replace("4096", "16384")).unwrap();
    let document = json(&program);
    let unwritten = document["findings"].as_array().unwrap().iter().find(|f| f["code"] == "TP0402").expect("TP0402");
    assert_eq!((&unwritten["core"], &unwritten["thread"]), (&serde_json::json!([2, 1]), &"NCRISC".into()));
}

#[test]
fn an_accessor_without_a_page_size_names_the_api_that_gives_one() {
    let without = "TensorAccessor(accessor_args, a_address)";
    let accessor = ("reader.cpp", "TensorAccessor(accessor_args, a_address, get_tile_size(cb_a))", without);
    let document = json(&changed_add("accessor", &[accessor]));
    assert_eq!(codes(&document), ["TP9001"]);
    assert!(document["findings"][0]["message"].as_str().unwrap().contains("api = \"0.79\""), "{document}");
    let api = ("program.toml", "arch = \"wormhole\"", "arch = \"wormhole\"\napi = \"0.79\"");
    assert_eq!(codes(&json(&changed_add("accessor_of_079", &[accessor, api]))), Vec::<&str>::new());
}

#[test]
fn an_output_that_is_wrong_names_the_cores_that_wrote_it() {
    let folder = folder("verdicts-cores");
    for entry in fs::read_dir(Path::new(ROOT).join("examples/programs/eltwise_8_cores")).unwrap().map(Result::unwrap) {
        fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
    }
    let reader = fs::read_to_string(folder.join("reader.cpp")).unwrap();
    let program = folder.join("program.toml");
    // On host threads of their own, and one after the other.
    let (threads, alone) = (&["--checks", "none"][..], &["--checks", "none", "--in-process", "--threads", "1"][..]);
    let share = "one core's share: in each page that core (2,0) wrote, and in no other";
    let one = "written by core (2,0), of whose 3 pages 1 are wrong";
    for (b, ways, said) in
        [("first == 6 ? tile + 3 : tile", &[threads, alone][..], share), ("tile == 6 ? 0 : tile", &[threads], one)]
    {
        let changed = reader.replace("noc_async_read_page(tile, b,", &format!("noc_async_read_page({b}, b,"));
        fs::write(folder.join("reader.cpp"), changed).unwrap();
        for options in ways {
            let text = text(&[&["run", program.to_str().unwrap()], *options].concat());
            assert!(text.contains(&format!("\n    {said}\n")), "{text}");
        }
    }
}
