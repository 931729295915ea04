//! Instants in trace files, in whole microseconds.

use time::{Date, Month};

/// Largest distance of an instant from zero in microseconds: 2^53, exact in a float.
const MOST_US: f64 = 9_007_199_254_740_992.0;

/// `2023-11-16 18:15:46.6805900` or `2024-05-10T00:00:00.009930+00:00`: microseconds since 1970, UTC if no zone is
/// given. Digits of the fraction beyond the sixth are dropped. (The formats have 6 to 9 digits of fraction, an
/// optional zone and two separators, so this is plainer than a format description.)
pub(super) fn date_time(text: &str) -> Option<i64> {
    let (date, rest) = text.split_once([' ', 'T'])?;
    let (clock, zone_s) = split_zone(rest.trim())?;
    let mut ymd = date.split('-');
    let (year, month, day) = (digits(ymd.next()?)?, digits(ymd.next()?)?, digits(ymd.next()?)?);
    if ymd.next().is_some() || !(1..=9999).contains(&year) {
        return None;
    }
    let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
    let date = Date::from_calendar_date(i32::try_from(year).ok()?, month, u8::try_from(day).ok()?).ok()?;
    let days =
        i64::from(date.to_julian_day()) - i64::from(Date::from_ordinal_date(1970, 1).ok()?.to_julian_day());
    let (hms, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let mut hms = hms.split(':');
    let (h, m, s) = (digits(hms.next()?)?, digits(hms.next()?)?, digits(hms.next()?)?);
    if hms.next().is_some() || h > 23 || m > 59 || s > 59 {
        return None;
    }
    let seconds = days * 86_400 + i64::from(h * 3600 + m * 60 + s) - zone_s;
    Some(seconds * 1_000_000 + fraction_us(fraction)?)
}

/// Microseconds since 1970 as a date in UTC, such as `2024-05-10T00:00:00.250000Z`.
pub(super) fn date_text(us: i64) -> Option<String> {
    let day = i32::try_from(us.div_euclid(86_400_000_000)).ok()?;
    let date = Date::from_julian_day(Date::from_ordinal_date(1970, 1).ok()?.to_julian_day() + day).ok()?;
    let us = us.rem_euclid(86_400_000_000);
    let (s, us) = (us / 1_000_000, us % 1_000_000);
    let (h, m, s) = (s / 3600, s / 60 % 60, s % 60);
    let (year, month, day) = (date.year(), u8::from(date.month()), date.day());
    Some(format!("{year:04}-{month:02}-{day:02}T{h:02}:{m:02}:{s:02}.{us:06}Z"))
}

/// A number of `unit_us` microseconds, rounded to whole ones.
pub(super) fn number(x: f64, unit_us: f64) -> Option<i64> {
    let us = x * unit_us;
    (us.is_finite() && us.abs() < MOST_US).then_some(us.round() as i64)
}

/// Splits `18:15:46.68+01:00` into its clock and its zone's seconds ahead of UTC.
fn split_zone(text: &str) -> Option<(&str, i64)> {
    if let Some(clock) = text.strip_suffix(['Z', 'z']) {
        return Some((clock, 0));
    }
    let Some(at) = text.find(['+', '-']) else { return Some((text, 0)) };
    let (clock, zone) = text.split_at(at);
    let (hours, minutes) = match zone[1..].split_once(':') {
        Some((hours, minutes)) => (digits(hours)?, digits(minutes)?),
        None if zone.len() == 5 => (digits(zone.get(1..3)?)?, digits(zone.get(3..5)?)?),
        None => (digits(&zone[1..])?, 0),
    };
    if hours > 23 || minutes > 59 {
        return None;
    }
    let seconds = i64::from(hours * 3600 + minutes * 60);
    Some((clock.trim_end(), if zone.starts_with('-') { -seconds } else { seconds }))
}

/// `6805900` after the point is 680,590 microseconds.
fn fraction_us(text: &str) -> Option<i64> {
    if text.is_empty() || text.len() > 12 || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(text.bytes().chain(*b"000000").take(6).fold(0, |us, b| us * 10 + i64::from(b - b'0')))
}

/// A decimal number. The scenario's number reader parses it, so that the page downloads only one such reader with its
/// tables; forms outside JSON (`+1`, `.5`, `1.`, `007`) are converted first.
pub(super) fn decimal(text: &str) -> Option<f64> {
    let json = |text: &str| serde_json::from_str(text).ok();
    json(text).or_else(|| not_finite(text)).or_else(|| json(&as_json(text)?))
}

/// Tools write these words for non-finite numbers; the limits refuse them by name.
fn not_finite(text: &str) -> Option<f64> {
    let (size, sign) =
        text.strip_prefix('-').map_or((text.strip_prefix('+').unwrap_or(text), 1.0), |t| (t, -1.0));
    match size.to_ascii_lowercase().as_str() {
        "nan" => Some(f64::NAN),
        "inf" | "infinity" => Some(sign * f64::INFINITY),
        _ => None,
    }
}

fn as_json(text: &str) -> Option<String> {
    let (sign, size) = match text.strip_prefix('-') {
        Some(size) => ("-", size),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let number = size.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && size.bytes().any(|b| b.is_ascii_digit());
    let size = size.strip_suffix('.').unwrap_or(size).trim_start_matches('0');
    let zero = if size.starts_with(|c: char| c.is_ascii_digit()) { "" } else { "0" };
    number.then(|| format!("{sign}{zero}{size}"))
}

/// One to four digits.
fn digits(text: &str) -> Option<u32> {
    let fits = (1..=4).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    if fits { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_exact_to_the_microsecond() {
        assert_eq!(date_time("1970-01-01 00:00:00"), Some(0));
        assert_eq!(date_time("2023-11-16 18:15:46.6805900"), Some(1_700_158_546_680_590));
        assert_eq!(date_time("2024-05-10 00:00:00.009930+00:00"), Some(1_715_299_200_009_930));
        assert_eq!(date_time("2024-05-10T02:00:00.009930+02:00"), Some(1_715_299_200_009_930));
        assert_eq!(date_time("2024-05-09T19:30:00-0430"), Some(1_715_299_200_000_000));
        assert_eq!(date_time("2024-05-10 00:00:00.5Z"), Some(1_715_299_200_500_000));
        // A day, a leap day and a year roll over.
        let step = |a, b| date_time(b).unwrap() - date_time(a).unwrap();
        assert_eq!(step("2024-02-28 23:59:59.999999", "2024-02-29 00:00:00.000001"), 2);
        assert_eq!(step("2023-12-31 23:59:59", "2024-01-01 00:00:00"), 1_000_000);
    }

    #[test]
    fn dates_are_written_as_they_are_read() {
        for text in
            ["1970-01-01T00:00:00.000000Z", "2024-02-29T23:59:59.999999Z", "2100-12-31T12:30:01.000250Z"]
        {
            assert_eq!(date_time(text).and_then(date_text).as_deref(), Some(text));
        }
        assert_eq!(date_text(i64::MAX), None);
    }

    #[test]
    fn decimals_are_read_as_the_standard_library_reads_them() {
        for text in [
            "0",
            "7",
            "-7",
            "+7",
            "007",
            "0.1",
            ".5",
            "-.5",
            "5.",
            "00.25",
            "0e3",
            "1e3",
            "1E-3",
            "374.0",
            "1.7976931348623157e308",
            "9007199254740993",
            "",
            ".",
            "-",
            "+-1",
            "e5",
            "x",
            "1x",
            "0x10",
            "1 2",
            "1,5",
            "--1",
            "-e1",
            "inf",
            "-Infinity",
            "+INF",
        ] {
            assert_eq!(decimal(text), text.parse().ok(), "{text}");
        }
        assert!(decimal("NaN").is_some_and(f64::is_nan));
    }

    #[test]
    fn what_is_no_date_is_refused() {
        let bad = "|x|2023-11-16|2023-13-01 00:00:00|2023-02-29 00:00:00|2023-11-16 24:00:00|2023-11-16 18:15|\
                   2023-11-16 18:15:46.|2023-11-16 18:15:46.6x|2023-11-16 18:15:46+99:00|2023-11-16 18:+1:46|1e9";
        for text in bad.split('|') {
            assert_eq!(date_time(text), None, "{text}");
        }
        assert_eq!(number(f64::NAN, 1.0), None);
        assert_eq!(number(1e300, 1000.0), None);
        assert_eq!(number(61.114, 1e6), Some(61_114_000));
    }
}
