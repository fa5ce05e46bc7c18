//! Times and sizes as people type them.

use std::time::Duration;

/// `10s`, `500ms`, `2m`, `1h`; a plain number is seconds.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let seconds = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("`{unit}` is not a unit of time; expected a time such as 10s, 500ms, 2m or 1h")),
    };
    let number: f64 = number.parse().map_err(|_| "expected a time such as 10s, 500ms, 2m or 1h".to_string())?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| "this time is too long".into())
}

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
    fn times_have_units() {
        let ms = |text| duration(text).map(|time| time.as_millis());
        assert_eq!(
            [ms("10s"), ms("500ms"), ms("2m"), ms("1h"), ms("1.5"), ms("3 s")],
            [Ok(10_000), Ok(500), Ok(120_000), Ok(3_600_000), Ok(1_500), Ok(3_000)]
        );
    }

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
            duration("soon").unwrap_err(),
            "`soon` is not a unit of time; expected a time such as 10s, 500ms, 2m or 1h"
        );
        assert_eq!(duration("").unwrap_err(), "expected a time such as 10s, 500ms, 2m or 1h");
        assert_eq!(duration("99999999999999999999h").unwrap_err(), "this time is too long");
        assert_eq!(
            bytes("1 parsec").unwrap_err(),
            "`parsec` is not a unit of size; expected a size such as 512MB or 1GB"
        );
        assert_eq!(bytes("1.2.3").unwrap_err(), "expected a size such as 512MB or 1GB");
    }
}
