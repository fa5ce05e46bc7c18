//! A moment, for people.

/// `2026-11-16 05:41 UTC`; nothing for the beginning of time, which stands for unknown.
pub(super) fn moment(seconds: u64) -> Option<String> {
    if seconds == 0 {
        return None;
    }
    let (days, minutes) = (seconds / 86_400, seconds % 86_400 / 60);
    let (year, month, day) = date(days);
    Some(format!("{year}-{month:02}-{day:02} {:02}:{:02} UTC", minutes / 60, minutes % 60))
}

/// The date so many days after 1 January 1970.
fn date(mut days: u64) -> (u64, u64, u64) {
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    // Four centuries are always as long; without this, a nonsensical time would take for ever.
    year += days / 146_097 * 400;
    days %= 146_097;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use super::{date, moment};

    #[test]
    fn dates_are_those_of_the_calendar() {
        let known = [(0, (1970, 1, 1)), (59, (1970, 3, 1)), (789, (1972, 2, 29)), (11_016, (2000, 2, 29))];
        for (days, expected) in
            known.into_iter().chain([(20_772, (2026, 11, 15)), (47_540, (2100, 2, 28)), (47_541, (2100, 3, 1))])
        {
            assert_eq!(date(days), expected);
        }
        assert_eq!(moment(1_794_809_651).as_deref(), Some("2026-11-16 06:14 UTC"));
        assert_eq!(moment(0), None);
        assert!(moment(u64::MAX).is_some());
    }
}
