//! What takes time is over before `readyok`: memory of the hash table, threads, files.

use std::time::{Duration, Instant};

use crate::client::Client;
use crate::{KIWIPETE, in_some_try};

/// MiB of memory that the engine has in use, now and at most so far.
#[cfg(target_os = "linux")]
fn memory(client: &Client) -> [u64; 2] {
    let path = format!("/proc/{}/status", client.child.id());
    let status = std::fs::read_to_string(path).expect("the engine runs");
    ["VmRSS:", "VmHWM:"].map(|name| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("Linux tells it");
        line.split_whitespace().next().and_then(|kib| kib.parse::<u64>().ok()).expect("a number") / 1024
    })
}

#[cfg(target_os = "linux")]
#[test]
fn the_table_is_there_before_readyok() {
    for script in [
        &["setoption name Hash value 300"][..],
        &["setoption name Hash value 300", "setoption name Threads value 3"],
        &["setoption name Threads value 3", "setoption name Hash value 300", "position startpos"],
        &["setoption name Hash value 300", "stop"],
        &["setoption name Hash value 300", "setoption name Hash value 300", "ucinewgame"],
    ] {
        let mut client = Client::start();
        script.iter().for_each(|line| client.send(line));
        assert_eq!(client.sync(), [""; 0]);
        let [now, _] = memory(&client);
        assert!((300..400).contains(&now), "{script:?}: {now} MiB");
        client.quit();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_size_that_is_changed_at_once_costs_nothing() {
    let sizes = [16, 256, 1024, 2048, 512, 100];
    let script: String = sizes.iter().map(|mib| format!("setoption name Hash value {mib}\n")).collect();
    let is_cheap = || {
        let mut client = Client::start();
        client.send_bytes(script.as_bytes());
        assert_eq!(client.sync(), [""; 0]);
        let [now, at_most] = memory(&client);
        assert!((100..200).contains(&now), "{now} MiB");
        client.quit();
        at_most < 1000
    };
    assert!(in_some_try(is_cheap));
}

/// The time of the first search of a process.
fn first_search(hash_mib: usize, go: &str) -> Duration {
    let mut client = Client::start();
    client.send(&format!("setoption name Hash value {hash_mib}"));
    client.sync();
    let asked = Instant::now();
    client.search(&format!("position fen {KIWIPETE}"), go);
    let taken = asked.elapsed();
    client.quit();
    taken
}

#[test]
fn the_first_search_is_as_fast_with_a_large_table() {
    let is_as_fast = || {
        let [small, large] = [16, 512].map(|mib| first_search(mib, "go nodes 100000"));
        large <= small * 3 / 2 + Duration::from_millis(20)
    };
    assert!(in_some_try(is_as_fast));
    assert!(in_some_try(|| first_search(512, "go movetime 150") <= Duration::from_millis(190)));
}

#[test]
fn a_clearing_that_was_put_off_comes_before_the_search() {
    let mut client = Client::start();
    client.send("setoption name Hash value 128");
    let position = format!("position fen {KIWIPETE}");
    let mut nodes = |between: &str| {
        client.send_bytes(between.as_bytes());
        client.search(&position, "go depth 9").main().nodes
    };
    let first = nodes("");
    for between in ["ucinewgame\nstop\n", "setoption name Clear Hash\nstop\nsetoption name MultiPV value 1\n"]
    {
        assert_eq!(nodes(between), first, "{between}");
    }
    assert!(nodes("stop\n") < first);
    client.quit();
}

#[test]
fn quit_does_not_wait_for_a_table() {
    let mut client = Client::start();
    client.send_bytes(b"setoption name Hash value 4096\nsetoption name Hash value 2048\nquit\n");
    client.wait_for_exit();
}

#[cfg(target_os = "linux")]
#[test]
fn a_table_may_take_the_place_of_the_old_one() {
    let mut client = Client::with_memory(1_000_000);
    let position = format!("position fen {KIWIPETE}");
    // Not both of them fit at once.
    for mib in [400, 700, 350] {
        client.send(&format!("setoption name Hash value {mib}"));
        assert_eq!(client.sync(), [""; 0]);
        let [now, _] = memory(&client);
        assert!((mib..mib + 100).contains(&now), "{mib}: {now} MiB");
    }
    // A table that does not fit leaves the old one as it is.
    let first = client.search(&position, "go depth 9").main().nodes;
    let complaint = client.expect_complaint("setoption name Hash value 1000");
    assert_eq!(complaint, "info string not enough memory for a hash table of 1000 MB");
    assert!(client.search(&position, "go depth 9").main().nodes < first * 2 / 3);
    client.quit();
}

#[test]
fn a_search_does_not_wait_for_a_large_table_beyond_its_time() {
    // Without isready the table may not be there yet; what is missing is left out.
    for (size, go, most) in
        [(16, "go movetime 200", 230), (2048, "go movetime 200", 230), (2048, "go wtime 900", 500)]
    {
        let is_in_time = || {
            let mut client = Client::start();
            client.send(&format!("setoption name Hash value {size}"));
            let asked = Instant::now();
            let search = client.search(&format!("position fen {KIWIPETE}"), go);
            let taken = asked.elapsed();
            client.quit();
            assert!(search.main().depth >= 1);
            taken <= Duration::from_millis(most)
        };
        assert!(in_some_try(is_in_time), "{size} {go}");
    }
}

#[test]
fn quit_and_stop_are_heard_while_a_table_is_prepared() {
    let mut client = Client::start();
    let asked = Instant::now();
    // A stop is meant for searches; two questions get two answers.
    client.send_bytes(b"setoption name Hash value 200\nisready\nstop\nisready\nuci\n");
    let lines = client.read_until("uciok", |line| line == "uciok");
    assert_eq!(lines.iter().filter(|line| *line == "readyok").count(), 2, "{lines:?}");
    client.quit();
    // Nobody waits for what nobody will use.
    let mut client = Client::start();
    client.send_bytes(b"setoption name Hash value 4096\nisready\nquit\n");
    client.wait_for_exit();
    assert!(asked.elapsed() < Duration::from_secs(20));
}
