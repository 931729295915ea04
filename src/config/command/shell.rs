//! Commands within the texts and lists of containers: words of a shell, variables, and the command of an engine among
//! them.

use crate::command::flags::Word;
use crate::command::shell_words::split;
use crate::command::variables::{ScriptVariables, Variables};

/// A program whose servers are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum EngineKind {
    #[default]
    Vllm,
    Sglang,
    Trtllm,
}

/// A command of an engine among the words of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EngineCommand {
    pub(crate) kind: EngineKind,
    /// The words before its flags: variables, the program, options of a container's runtime.
    pub(crate) program: Vec<Word>,
    /// The flags, and the model that stands without one.
    pub(crate) flags: Vec<Word>,
    /// The words after it, from the first operator of the shell.
    pub(crate) rest: Vec<Word>,
    /// The image, if the command names one.
    pub(crate) image: Option<Word>,
}

/// The programs that are started with `python -m`.
const MODULES: [(&str, EngineKind); 9] = [
    ("vllm.entrypoints.openai.api_server", EngineKind::Vllm),
    ("vllm.entrypoints.api_server", EngineKind::Vllm),
    ("vllm.entrypoints.cli.main", EngineKind::Vllm),
    ("dynamo.vllm", EngineKind::Vllm),
    ("components.backends.vllm", EngineKind::Vllm),
    ("vllm", EngineKind::Vllm),
    ("sglang.launch_server", EngineKind::Sglang),
    ("dynamo.sglang", EngineKind::Sglang),
    ("dynamo.trtllm", EngineKind::Trtllm),
];

/// The programs that are started by their own names, with the words after these.
const PROGRAMS: [(&str, Option<&str>, EngineKind); 4] = [
    ("vllm", Some("serve"), EngineKind::Vllm),
    ("sglang", Some("serve"), EngineKind::Sglang),
    ("trtllm-serve", Some("serve"), EngineKind::Trtllm),
    ("trtllm-serve", None, EngineKind::Trtllm),
];

/// What `trtllm-serve` does besides serving a model.
const NO_SERVERS: [&str; 3] = ["disaggregated", "disaggregated_mpi_worker", "mm_embedding_serve"];

/// Splits the words that are whole scripts, so that each word of a script has a path of its own. Variables have the values of the
/// container, and those that the script sets before it starts the program.
pub(crate) fn expanded(words: Vec<Word>, variables: &Variables) -> Vec<Word> {
    let mut all: Vec<Word> = Vec::new();
    let mut shell = false;
    for word in words {
        let text = word.text.trim();
        shell |= text.ends_with("sh");
        if text.contains(char::is_whitespace) && is_script(text, all.last().filter(|_| shell)) {
            let set = set_before_the_program(text, variables);
            for (i, part) in split(text).into_iter().enumerate() {
                let path = format!("{}.{i}", word.path);
                all.extend(set.words(&part, false).into_iter().map(|text| Word { path: path.clone(), text }));
            }
        } else {
            let texts = variables.words(text, true);
            all.extend(texts.into_iter().map(|text| Word { path: word.path.clone(), text }));
        }
    }
    all
}

/// The variables of a script where it starts a program.
fn set_before_the_program(script: &str, variables: &Variables) -> Variables {
    let starts = |line: &str| COMMANDS.iter().any(|part| line.contains(part));
    let line = script.lines().position(starts).unwrap_or(0);
    let mut found = ScriptVariables::new(script, variables.clone());
    found.go_to(line + 1);
    found.set
}

/// Parts of texts that run a server or a router.
const COMMANDS: [&str; 7] =
    [" serve ", "-m vllm", "-m dynamo", "-m sglang", "trtllm-serve ", "smg launch", "vllm-router "];

/// Whether a word is a script: what a shell is given after `-c` (`before`), or a command of an engine in one text.
fn is_script(text: &str, before: Option<&Word>) -> bool {
    let given = before.is_some_and(|last| last.text.starts_with('-') && last.text.ends_with('c'));
    given || COMMANDS.iter().any(|part| text.contains(part))
}

/// Parts of the names of images of servers. SGLang's and TensorRT-LLM's need a command.
const IMAGES: [&str; 7] =
    ["vllm-openai", "/vllm", "vllm-runtime", "llm-d-cuda", "llm-d:", "llm-d-dev", "llm-d-aws"];

/// Whether a word is an image of a vLLM server.
pub(crate) fn is_engine_image(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let image = lower.contains('/') && !lower.starts_with(['-', '/', '.']) && !lower.contains("://");
    image && IMAGES.iter().any(|part| lower.contains(part)) && !lower.contains("router")
}

/// The program of an engine that begins at a word: its kind, and its first flag.
fn program_at(words: &[Word], i: usize) -> Option<(EngineKind, usize)> {
    let text = |i: usize| words.get(i).map_or("", |word| word.text.as_str());
    let name = text(i).rsplit('/').next().unwrap_or_default();
    let by_name = PROGRAMS.iter().find(|(program, then, _)| {
        *program == name && then.is_none_or(|then| text(i + 1) == then) && !NO_SERVERS.contains(&text(i + 1))
    });
    if let Some((_, then, kind)) = by_name {
        return Some((*kind, i + 1 + usize::from(then.is_some())));
    }
    let (module, kind) = MODULES.iter().find(|(module, _)| text(i) == "-m" && text(i + 1) == *module)?;
    let serve = usize::from(text(i + 2) == "serve");
    (*module != "vllm" || serve == 1).then_some((*kind, i + 2 + serve))
}

/// The command of an engine among words, if there is one: `vllm serve`, `python -m …` or an image with its arguments.
pub(crate) fn engine_command(words: &[Word]) -> Option<EngineCommand> {
    let text = |i: usize| words.get(i).map_or("", |word| word.text.as_str());
    let mut found = None;
    let mut runs = false;
    for i in 0..words.len() {
        if let Some((kind, start)) = program_at(words, i) {
            found = Some((kind, start, None));
            break;
        }
        if found.is_none() && runs && is_engine_image(text(i)) {
            found = Some((EngineKind::Vllm, i + 1, words.get(i).cloned()));
        }
        runs |= text(i) == "run";
    }
    let (kind, start, image) = found?;
    let image = image.or_else(|| {
        let docker = words.iter().any(|word| matches!(word.text.as_str(), "docker" | "podman" | "nerdctl"));
        words[..start].iter().find(|word| docker && is_engine_image(&word.text)).cloned()
    });
    let operator = |word: &Word| {
        matches!(word.text.as_str(), ";" | "&&" | "||" | "|" | "&" | "fi" | "done")
            || word.text.starts_with(['>', '<'])
            || word.text.starts_with("2>")
    };
    let end = words[start..].iter().position(operator).map_or(words.len(), |n| start + n);
    Some(EngineCommand {
        kind,
        program: words[..start].to_vec(),
        flags: words[start..end].to_vec(),
        rest: words[end..].to_vec(),
        image,
    })
}

/// The minor number of a release of vLLM in a tag, such as 11 of `vllm/vllm-openai:v0.11.2`. Tags of other images are
/// releases of other programs.
pub(crate) fn release_of(image: &str) -> Option<u32> {
    let (name, tag) = image.rsplit_once(':')?;
    let last = name.rsplit('/').next().unwrap_or_default();
    // LMCache numbers its images by its own releases.
    let own = (last == "vllm" || last.starts_with("vllm-openai")) && !name.contains("lmcache");
    if own { release(tag) } else { None }
}

/// The minor number of a release 0.N, and a number above all of them from 1.0 on.
pub(crate) fn release(text: &str) -> Option<u32> {
    let text = text.trim().strip_prefix('v').unwrap_or_else(|| text.trim());
    let mut parts = text.split(['.', '-', '+']);
    let major: u32 = parts.next()?.parse().ok()?;
    let minor: u32 = parts.next()?.parse().ok()?;
    Some(if major > 0 { u32::MAX } else { minor })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(script: &str) -> Vec<Word> {
        let word = |path: &str, text: &str| Word { path: path.to_owned(), text: text.to_owned() };
        let variables = Variables::of([("TP".to_owned(), "4".to_owned())]);
        expanded(vec![word("c.0", "/bin/sh"), word("c.1", "-c"), word("args.0", script)], &variables)
    }

    #[test]
    fn the_command_of_a_script_ends_at_an_operator() {
        let script = "set -e\nexport A=1 # not this\nexec vllm serve org/model \\\r\n  --a '{\"x\": 1}' -tp $(TP) ${N:-8} $Z 2>&1 | tee log";
        let all = words(script);
        let command = engine_command(&all).expect("a command");
        let texts: Vec<&str> = command.flags.iter().map(|word| word.text.as_str()).collect();
        assert_eq!(texts, ["org/model", "--a", "{\"x\": 1}", "-tp", "4", "8", "$Z"]);
        assert!(command.flags[0].path.starts_with("args.0."), "{:?}", command.flags[0]);
    }

    #[test]
    fn commands_of_other_programs_are_not_those_of_an_engine() {
        for script in
            ["vllm bench serve", "vllm-router --port 1", "python -m dynamo.frontend", "", "serve", "'"]
        {
            assert_eq!(engine_command(&words(&format!("x {script}"))), None, "{script}");
        }
        for script in
            ["python3 -m vllm.entrypoints.openai.api_server --model m", "python -m dynamo.vllm --model m"]
        {
            let command = engine_command(&words(script)).expect(script);
            assert_eq!(command.flags.len(), 2);
        }
        let docker = "docker run --gpus all -p 8000:8000 vllm/vllm-openai:v0.11.0 --model m";
        let command = engine_command(&words(docker)).expect(docker);
        assert_eq!(command.image.and_then(|image| release_of(&image.text)), Some(11));
        assert_eq!(command.flags.len(), 2);
    }

    #[test]
    fn releases_are_read_from_tags() {
        for (image, minor) in [
            ("vllm/vllm-openai:v0.11.2", Some(11)),
            ("registry:5000/vllm/vllm-openai:v0.33.0", Some(33)),
            ("vllm/vllm-openai:latest", None),
            ("vllm/vllm-openai", None),
            ("nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.6.1", None),
            ("x/vllm:v1.0.0", Some(u32::MAX)),
            ("lmcache/vllm-openai:v0.3.7", None),
        ] {
            assert_eq!(release_of(image), minor, "{image}");
        }
    }
}
