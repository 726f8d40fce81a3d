//! The `quillon` program: everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    quillon::commands::main()
}
