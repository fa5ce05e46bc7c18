//! What there is to choose from.

use std::fmt::Write;

use linchpin_history::Format;
use linchpin_history::models::Model;

/// Every model, with its operations and the names they go by.
pub(super) fn models() -> String {
    let mut text = String::new();
    for (model, operations) in Model::all() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{}", model.name);
        if !model.aliases.is_empty() {
            let _ = write!(text, " (also {})", model.aliases.join(", "));
        }
        let _ = writeln!(text, "\n  {}\n  initially: {}", model.explanation, model.initially);
        for operation in operations {
            let _ = write!(text, "    {}", operation.names[0]);
            if !operation.takes.is_empty() {
                let _ = write!(text, "({})", operation.takes);
            }
            if !operation.gives.is_empty() {
                let _ = write!(text, " → {}", operation.gives);
            }
            if operation.names.len() > 1 {
                let _ = write!(text, "; also {}", operation.names[1..].join(", "));
            }
            text.push('\n');
        }
        text.push('\n');
    }
    text.push_str("Case, - and _ make no difference in any name.\n");
    text
}

/// Every format.
pub(super) fn formats() -> String {
    let width = Format::ALL.iter().map(|format| format.name().len()).max().unwrap_or(0);
    let line = |format: &Format| format!("{:width$}  {}\n", format.name(), format.explanation());
    Format::ALL.iter().map(line).collect()
}
