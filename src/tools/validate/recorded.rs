//! Reads recorded requests: files of rows with arrival and lengths, compressed or not.

use super::open::request;
use benchmarks::replayed::piece;
use document::{ExplicitPiece, ExplicitRequest};
use std::io::Read;

/// Most bytes of a request file once it is unpacked.
const MOST_BYTES: u64 = 64 << 20;
/// Most rows of one replay.
const MOST_ROWS: usize = document::limits::EXPLICIT_REQUESTS;

/// A row of a request file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Row {
    /// Stage or rate, as written.
    pub(super) stage: String,
    pub(super) arrival_us: u64,
    pub(super) input: u32,
    pub(super) output: Option<u32>,
    /// As measured.
    pub(super) ttft_us: Option<u64>,
    pub(super) e2e_us: Option<u64>,
    prompt: Option<u32>,
    user: Option<u32>,
    reused: u32,
}

/// The largest number of a row, so that sums of several are still whole microseconds.
const MOST_US: f64 = 1e18;

/// Why a row of a table cannot be read.
pub(super) fn unread(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} cells under {expected_len} names")
        }
        csv::ErrorKind::Utf8 { .. } => "bytes that are not UTF-8".to_owned(),
        _ => "no row of a CSV table".to_owned(),
    }
}

/// Reads the rows; the error names the problem and its line.
pub(super) fn rows(bytes: &[u8]) -> Result<Vec<Row>, String> {
    let mut text = Vec::new();
    let read = if bytes.starts_with(&[0x1f, 0x8b]) {
        flate2::read::MultiGzDecoder::new(bytes).take(MOST_BYTES + 1).read_to_end(&mut text)
    } else {
        bytes.take(MOST_BYTES + 1).read_to_end(&mut text)
    };
    read.map_err(|_| "gzip data that cannot be unpacked".to_owned())?;
    if text.len() as u64 > MOST_BYTES {
        return Err(format!("more than {MOST_BYTES} bytes"));
    }
    let mut reader = csv::Reader::from_reader(text.as_slice());
    let names = reader.headers().map_err(|e| unread(&e))?.clone();
    let column = |name: &str| names.iter().position(|n| n.trim() == name);
    let stage = column("stage").or_else(|| column("qps"));
    let (Some(arrival), Some(input)) = (column("arrival_us"), column("input_tokens")) else {
        return Err("no columns arrival_us and input_tokens".to_owned());
    };
    let [output, prompt, user, reused, ttft, e2e] =
        ["output_tokens", "prompt_id", "user_id", "prefix_reuse_max", "ttft_us", "e2e_us"].map(column);
    let mut rows = Vec::new();
    for (line, record) in (2..).zip(reader.records()) {
        let record = record.map_err(|e| format!("line {line}: {}", unread(&e)))?;
        let whole = |at: usize| {
            let found = record.get(at).and_then(|x| x.trim().parse::<f64>().ok());
            found.filter(|x| (0.0..=MOST_US).contains(x))
        };
        let small = |at: Option<usize>| at.and_then(whole).map(|x| x.min(1e9) as u32);
        let (Some(arrival_us), Some(input)) = (whole(arrival), small(Some(input))) else {
            return Err(format!("line {line}: no numbers for arrival_us and input_tokens"));
        };
        rows.push(Row {
            stage: stage.and_then(|at| record.get(at)).unwrap_or_default().trim().to_owned(),
            arrival_us: arrival_us as u64,
            input,
            output: small(output),
            ttft_us: ttft.and_then(whole).map(|us| us as u64),
            e2e_us: e2e.and_then(whole).map(|us| us as u64),
            prompt: small(prompt),
            user: small(user),
            reused: small(reused).unwrap_or(0),
        });
    }
    if rows.len() > MOST_ROWS {
        return Err(format!("{} rows; at most {MOST_ROWS} are replayed", rows.len()));
    }
    Ok(rows)
}

/// Requests of these rows, in order of arrival; `output` is the length of answers if rows do not have it. Also returns
/// the index of each in `rows`.
pub(super) fn requests(rows: &[&Row], output: Option<u32>) -> Result<Vec<ExplicitRequest>, String> {
    let number = |i: usize| i as u32;
    let make = |(i, row): (usize, &&Row)| {
        let output = row.output.or(output).ok_or("no output_tokens in the rows or the workload")?;
        Ok(request(number(i), row.arrival_us, prompt(row, number(i)), output))
    };
    rows.iter().enumerate().map(make).collect()
}

/// Whether every stage has the same prompts in the same order, judged by their lengths.
pub(super) fn same_prompts(stages: &[Vec<&Row>]) -> bool {
    let lengths = |rows: &[&Row]| rows.iter().map(|r| r.input).collect::<Vec<_>>();
    let named = |r: &&Row| r.prompt.is_some() || r.user.is_some();
    let Some(first) = stages.first().filter(|rows| rows.len() >= FEW && !rows.iter().any(named)) else {
        return false;
    };
    let first = lengths(first);
    stages.len() > 1 && stages.iter().all(|rows| lengths(rows) == first)
}

/// With fewer rows, lengths may be equal by chance.
const FEW: usize = 20;

/// A store of prompts besides the engine's cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct Store {
    /// Tokens of a chunk; only whole chunks are kept.
    pub(super) chunk: u32,
    /// Share of the found tokens that cost no step time; copying the rest delays the engine as much as computing it.
    pub(super) free: f64,
}

impl Store {
    fn found(self, tokens: u32) -> u32 {
        let chunk = self.chunk.max(1);
        (f64::from(tokens) * self.free) as u32 / chunk * chunk
    }
}

/// Two rounds over the same prompts: the rows of one stage, and after `pause_s` those of another, which finds the
/// prompts of the first cached.
pub(super) fn twice(
    rounds: [&[&Row]; 2],
    output: Option<u32>,
    pause_s: f64,
    store: Store,
) -> Result<Vec<ExplicitRequest>, String> {
    let last = rounds[0].iter().map(|r| r.arrival_us).max().unwrap_or(0);
    let mut all: Vec<Row> = Vec::new();
    for (rows, begin_us) in rounds.into_iter().zip([0, last + (pause_s * 1e6) as u64]) {
        let named = |(i, row): (u32, &&Row)| Row {
            prompt: Some(i),
            arrival_us: row.arrival_us + begin_us,
            ..(*row).clone()
        };
        all.extend((0u32..).zip(rows).map(named));
    }
    let mut made = requests(&all.iter().collect::<Vec<_>>(), output)?;
    for (i, (request, row)) in (0u32..).zip(made.iter_mut().zip(&all)).skip(rounds[0].len()) {
        let found = store.found(row.input);
        if let (Some(prompt), true) = (row.prompt, (1..row.input).contains(&found)) {
            request.prompt = vec![piece((1 << 20) + prompt, found), piece((1 << 24) + i, row.input - found)];
        }
    }
    Ok(made)
}

/// Rows with the same number of prompt have the same text; rows of one user are growing prefixes of one text;
/// otherwise all are different except for recorded prefixes.
fn prompt(row: &Row, i: u32) -> Vec<ExplicitPiece> {
    let tokens = row.input.max(1);
    if let Some(id) = row.prompt {
        return vec![piece((1 << 20) + id, tokens)];
    }
    if let Some(user) = row.user {
        return vec![piece((1 << 21) + user, tokens)];
    }
    let reused = row.reused.min(tokens - 1);
    let own = piece((1 << 24) + i, tokens - reused);
    if reused > 0 { vec![piece(1, reused), own] } else { vec![own] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_by_the_names_of_their_columns() {
        let text = b"stage,arrival_us,extra,prompt_id,input_tokens,ttft_us\n0,5,x,7,100,3\n1,9,,7,101,\n";
        let found = rows(text).unwrap();
        assert_eq!((found[0].arrival_us, found[1].input, found[1].stage.as_str()), (5, 101, "1"));
        let list = requests(&found.iter().collect::<Vec<_>>(), Some(20)).unwrap();
        assert_eq!(list[0].prompt[0].text, list[1].prompt[0].text);
        assert!(requests(&found.iter().collect::<Vec<_>>(), None).is_err());
    }

    #[test]
    fn broken_rows_say_where() {
        let error = |text: &[u8]| rows(text).unwrap_err();
        assert!(error(b"a,b\n1,2\n").contains("arrival_us"));
        assert!(error(b"arrival_us,input_tokens\n1,2\nx,3\n").contains("line 3"));
        assert!(error(b"arrival_us,input_tokens\n1\n").contains("line 2"));
        assert!(error(&[0x1f, 0x8b, 0, 1, 2]).contains("unpacked"));
        assert_eq!(rows(b"arrival_us,input_tokens\n").unwrap(), []);
    }

    #[test]
    fn prompts_that_all_stages_share_are_found_again_in_whole_chunks() {
        let lines: Vec<String> = (0..20).map(|i| format!("{},{},9\n", i * 10, 600 + i)).collect();
        let text = lines.concat();
        let stage = rows(format!("arrival_us,input_tokens,output_tokens\n{text}").as_bytes()).unwrap();
        let stage: Vec<&Row> = stage.iter().collect();
        assert!(same_prompts(&[stage.clone(), stage.clone()]));
        assert!(
            !same_prompts(&[stage.clone(), stage[1..].to_vec()])
                && !same_prompts(std::slice::from_ref(&stage))
        );
        let both = twice([&stage, &stage], None, 1.0, Store { chunk: 256, free: 1.0 }).unwrap();
        assert_eq!((both.len(), both[20].arrival_us), (40, 190 + 1_000_000));
        let (first, second) = (&both[0].prompt, &both[20].prompt);
        assert_eq!((first[0].text, second[0].tokens, second[1].tokens), (second[0].text, 512, 88));
        assert!(second[1].text != first[0].text);
        let whole = twice([&stage, &stage], None, 1.0, Store { chunk: 1, free: 1.0 }).unwrap();
        assert_eq!(whole[20].prompt, whole[0].prompt);
    }
}
