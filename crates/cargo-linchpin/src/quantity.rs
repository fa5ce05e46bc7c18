//! Sizes as people type them.

/// `512MB`, `1GB`, `2GiB`; a plain number is bytes.
pub(crate) fn bytes(text: &str) -> Result<usize, String> {
    let (number, unit) = split(text);
    let factor: f64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "kib" => 1024.0,
        "mib" => 1024.0 * 1024.0,
        "gib" => 1024.0 * 1024.0 * 1024.0,
        _ => return Err(format!("`{unit}` is not a unit of size; expected a size such as 512MB or 1GB")),
    };
    let number: f64 = number.parse().map_err(|_| "expected a size such as 512MB or 1GB".to_string())?;
    // A cast from a float saturates, and so does the limit.
    Ok((number * factor) as usize)
}

/// The number at the beginning, and what follows it.
fn split(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(
            [bytes("1GB"), bytes("512MB"), bytes("2GiB"), bytes("7")],
            [Ok(1_000_000_000), Ok(512_000_000), Ok(2 << 30), Ok(7)]
        );
    }

    #[test]
    fn what_is_no_quantity_says_what_is_one() {
        assert_eq!(
            bytes("1 parsec").unwrap_err(),
            "`parsec` is not a unit of size; expected a size such as 512MB or 1GB"
        );
        assert_eq!(bytes("1.2.3").unwrap_err(), "expected a size such as 512MB or 1GB");
    }
}
