//! The commands that mend what `tileproof doctor` finds missing, by distribution.
//!
//! It must never run one. Start at [`install_compiler`].

/// Words of `/etc/os-release` for a distribution and those made of it, its name, and how it installs a C++ compiler.
const SYSTEMS: [(&[&str], &str, &str); 4] = [
    (&["debian", "ubuntu"], "Debian, Ubuntu", "sudo apt install g++"),
    (&["fedora", "rhel", "centos"], "Fedora", "sudo dnf install gcc-c++"),
    (&["arch"], "Arch", "sudo pacman -S gcc"),
    (&["suse", "opensuse"], "openSUSE", "sudo zypper install gcc-c++"),
];

/// How this host, whose `/etc/os-release` is given, installs a C++ compiler; of one that is not known, how the known ones do.
pub(crate) fn install_compiler(os_release: &str) -> String {
    let value = |key: &str| os_release.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    let words = [value("ID"), value("ID_LIKE")].into_iter().flatten();
    let words: Vec<&str> = words.flat_map(|words| words.trim_matches(['"', '\'']).split(' ')).collect();
    let known = words.iter().find_map(|word| SYSTEMS.iter().find(|(ids, _, _)| ids.contains(word)));
    let list = || SYSTEMS.map(|(_, name, command)| format!("{command} ({name})")).join(", ");
    known.map_or_else(list, |(_, _, command)| (*command).to_string())
}

/// How a user whose variable CXX names no compiler that can be used has one again.
pub(crate) fn name_compiler(os_release: &str) -> String {
    format!("unset CXX, or name a compiler in it; where there is none: {}", install_compiler(os_release))
}

/// How L1 can be mapped below 4 GiB where the host forbids low addresses.
pub(crate) const LOWER_LEAST_ADDRESS: &str = "sudo sysctl -w vm.mmap_min_addr=65536";

/// How a kernel of Linux that has Landlock uses it.
pub(crate) const TURN_ON_LANDLOCK: &str = "add landlock to lsm= of the kernel's command line (`cat /sys/kernel/security/lsm` lists what is on; Linux 5.13 or newer)";

/// How the driver of a card is loaded.
pub(crate) const LOAD_DRIVER: &str = "sudo modprobe tenstorrent, once tt-kmd is installed";

/// How the huge pages of a card are set up.
pub(crate) const RESERVE_PAGES: &str =
    "install tt-system-tools, then sudo systemctl enable --now tenstorrent-hugepages.service";

/// How huge pages that are reserved are mounted.
pub(crate) const MOUNT_PAGES: &str = r"sudo systemctl enable --now 'dev-hugepages\x2d1G.mount'";

/// How a user may open the device.
pub(crate) const OPEN_NODE: &str = "install the udev rule of tt-kmd (udev-50-tenstorrent.rules), then sudo udevadm control --reload and sudo udevadm trigger";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distribution_is_known_by_its_name_or_by_what_it_is_like() {
        for (os_release, command) in [
            ("PRETTY_NAME=\"Debian GNU/Linux 12\"\nID=debian\n", "sudo apt install g++"),
            ("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", "sudo apt install g++"),
            ("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", "sudo dnf install gcc-c++"),
            ("ID='opensuse-leap'\nID_LIKE='suse opensuse'\n", "sudo zypper install gcc-c++"),
            ("ID=manjaro\nID_LIKE=arch\n", "sudo pacman -S gcc"),
        ] {
            assert_eq!(install_compiler(os_release), command, "{os_release}");
        }
        let unknown = install_compiler("ID=nixos\n");
        assert!(SYSTEMS.iter().all(|(_, name, command)| unknown.contains(&format!("{command} ({name})"))), "{unknown}");
    }

    #[test]
    fn a_compiler_that_is_named_in_vain_can_be_left_out_or_installed() {
        let mend = name_compiler("ID=debian\n");
        assert!(
            mend.starts_with("unset CXX, or name a compiler in it") && mend.ends_with("sudo apt install g++"),
            "{mend}"
        );
    }

    #[test]
    fn no_command_opens_a_device_to_every_user() {
        assert!(OPEN_NODE.contains("udev") && !OPEN_NODE.contains("chmod"), "{OPEN_NODE}");
    }

    #[test]
    fn the_page_on_the_start_has_the_commands_that_doctor_gives() {
        let page = include_str!("../../../../docs/book/start.md");
        for (_, name, command) in SYSTEMS {
            assert!(page.contains(&format!("| {name} | `{command}` |")), "{name}");
        }
    }
}
