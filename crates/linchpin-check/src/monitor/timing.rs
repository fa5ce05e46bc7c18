//! How long decisions of long histories take: `cargo test --release -p linchpin-check -- --ignored --nocapture long`.
