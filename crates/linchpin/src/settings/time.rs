//! Times as people type them.

use std::time::Duration;

/// `10s`, `500ms`, `2m`, `1h`; a plain number is seconds.
///
/// ```
/// use std::time::Duration;
///
/// assert_eq!(linchpin::command::duration("1.5m"), Ok(Duration::from_secs(90)));
/// assert!(linchpin::command::duration("soon").is_err());
/// ```
///
/// # Errors
///
/// A text that is no time; the message says what one looks like.
pub fn duration(text: &str) -> Result<Duration, String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = (&text[..end], text[end..].trim());
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

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn times_have_units() {
        let ms = |text| duration(text).map(|time| time.as_millis());
        assert_eq!(
            [ms("10s"), ms("500ms"), ms("2m"), ms("1h"), ms("1.5"), ms("3 s")],
            [Ok(10_000), Ok(500), Ok(120_000), Ok(3_600_000), Ok(1_500), Ok(3_000)]
        );
    }

    #[test]
    fn what_is_no_time_says_what_is_one() {
        assert_eq!(
            duration("soon").unwrap_err(),
            "`soon` is not a unit of time; expected a time such as 10s, 500ms, 2m or 1h"
        );
        assert_eq!(duration("").unwrap_err(), "expected a time such as 10s, 500ms, 2m or 1h");
        assert_eq!(duration("99999999999999999999h").unwrap_err(), "this time is too long");
    }
}
