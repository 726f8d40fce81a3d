//! How much memory the system can still give.
//!
//! Linux promises more memory than there is and ends a process that uses what was promised to it. A table that
//! will be used in full must therefore be compared with what there is. Other systems refuse or make room on disk.

use std::fs;
use std::path::{Path, PathBuf};

/// Bytes that can still be had, where `wanted` bytes cannot. A sixteenth more is asked for, for everything else. `None`
/// also where the system does not say.
pub fn memory_shortage(wanted: u64) -> Option<u64> {
    available(Path::new("/")).filter(|&free| wanted.saturating_add(wanted / 16) > free)
}

/// Bytes that this process can still get from the system whose files lie under `root`: from the machine, and
/// from each control group that it belongs to. `None` where the system does not say.
fn available(root: &Path) -> Option<u64> {
    let machine = fs::read_to_string(root.join("proc/meminfo")).ok();
    let machine = machine.and_then(|text| {
        Some(1024 * (field(&text, "MemAvailable:")? + field(&text, "SwapFree:").unwrap_or(0)))
    });
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let groups = groups.lines().filter_map(|line| left_in_groups(&root.join("sys/fs/cgroup"), line)).min();
    machine.into_iter().chain(groups).min()
}

/// The number that stands behind a name in a list of names and numbers.
fn field(text: &str, name: &str) -> Option<u64> {
    let number = |line: &str| line.strip_prefix(name)?.split_whitespace().next()?.parse().ok();
    text.lines().find_map(number)
}

/// The files of a control group that tell of its memory: limit, use, and the names under which `memory.stat`
/// counts the part of the use that are copies of files, which give way.
struct GroupFiles {
    limit: &'static str,
    used: &'static str,
    copies: [&'static str; 2],
}

const VERSION_1: GroupFiles = GroupFiles {
    limit: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    copies: ["total_inactive_file ", "total_active_file "],
};
const VERSION_2: GroupFiles =
    GroupFiles { limit: "memory.max", used: "memory.current", copies: ["inactive_file ", "active_file "] };

/// What the groups of a line such as `0::/a/b` or `4:memory:/a/b` have left: the innermost one, and all around
/// it. Inside a container the path may be that outside, and only the outermost group is there.
fn left_in_groups(mount: &Path, line: &str) -> Option<u64> {
    let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
    let (mount, files) = match controllers {
        "" => (mount.to_path_buf(), VERSION_2),
        _ if controllers.split(',').any(|name| name == "memory") => (mount.join("memory"), VERSION_1),
        _ => return None,
    };
    let inner: PathBuf = mount.join(path.trim_start_matches('/'));
    let groups = inner.ancestors().take_while(|group| group.starts_with(&mount));
    groups.filter_map(|group| left_in_group(group, &files)).min()
}

fn left_in_group(group: &Path, files: &GroupFiles) -> Option<u64> {
    let read = |name| fs::read_to_string(group.join(name)).ok();
    let limit: u64 = read(files.limit)?.trim().parse().ok()?;
    let used: u64 = read(files.used)?.trim().parse().ok()?;
    let stat = read("memory.stat").unwrap_or_default();
    let copies: u64 = files.copies.iter().filter_map(|name| field(&stat, name)).sum();
    Some(limit.saturating_sub(used.saturating_sub(copies)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    /// A system made of these files.
    fn system(name: &str, files: &[(&str, &str)]) -> Option<u64> {
        let root = std::env::temp_dir().join(format!("quillon-memory-{}-{name}", std::process::id()));
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let free = available(&root);
        let _ = fs::remove_dir_all(root);
        free
    }

    const MEMINFO: (&str, &str) = (
        "proc/meminfo",
        "MemTotal:       8388608 kB\nMemFree:  1000 kB\nMemAvailable:    4194304 kB\nSwapFree:  1048576 kB\n",
    );

    #[test]
    fn the_machine_is_asked() {
        assert_eq!(system("none", &[]), None);
        assert_eq!(system("strange", &[("proc/meminfo", "MemAvailable: lots\n")]), None);
        assert_eq!(system("machine", &[MEMINFO]), Some(5120 * MIB));
        assert_eq!(
            system("lines", &[MEMINFO, ("proc/self/cgroup", "\n::\nx\n0::/none\n")]),
            Some(5120 * MIB)
        );
    }

    #[test]
    fn groups_are_asked_up_to_the_outermost() {
        let inner = [
            MEMINFO,
            ("proc/self/cgroup", "0::/user/app\n"),
            ("sys/fs/cgroup/user/app/memory.max", "max\n"),
            ("sys/fs/cgroup/user/memory.max", "1073741824\n"),
            ("sys/fs/cgroup/user/memory.current", "536870912\n"),
            ("sys/fs/cgroup/user/memory.stat", "anon 1\ninactive_file 104857600\nactive_file 1048576\n"),
        ];
        assert_eq!(system("version 2", &inner), Some((1024 - 512 + 101) * MIB));
        let container = [
            MEMINFO,
            ("proc/self/cgroup", "9:name=systemd:/docker/1a\n4:cpu,memory:/docker/1a\n0::/\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "104857600\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "209715200\n"),
            ("sys/fs/cgroup/memory/memory.stat", "total_inactive_file 0\n"),
        ];
        assert_eq!(system("version 1", &container), Some(0));
    }

    #[test]
    fn this_system_has_some_left() {
        assert_eq!(memory_shortage(1 << 20), None);
        #[cfg(target_os = "linux")]
        assert!(memory_shortage(u64::MAX).is_some_and(|free| free < 1 << 60));
    }
}
