//! `cargo linchpin …`

use std::process::ExitCode;

fn main() -> ExitCode {
    linchpin_cli::run(std::env::args_os())
}
