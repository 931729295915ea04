//! Pointer files: Git LFS and git-annex leave them in place of a large file that was not fetched.

use crate::Diagnostic;

/// First line of a pointer of Git LFS.
const LFS: &str = "version https://git-lfs.github.com/spec/";
/// Longest first line of a pointer.
const MOST: usize = 1024;

/// If a text is a pointer: a message with the command that fetches the file.
pub fn pointer(text: &str) -> Option<Diagnostic> {
    let line = text.trim_start_matches('\u{feff}').trim_start().lines().next()?.trim_end();
    let told = |what: &str, fix: &str| Diagnostic::error("", what, "the file that it stands for", fix);
    if line.starts_with(LFS) {
        let fix = "fetch the file with `git lfs pull`, or download it itself";
        return Some(told("a pointer of Git LFS instead of the file", fix));
    }
    // An unlocked file contains the path of its key; a link that was copied as text contains its target.
    let annexed = line.starts_with("/annex/objects/") || line.contains(".git/annex/objects/");
    let fix = "fetch the file with `git annex get`, or download it itself";
    (annexed && line.len() < MOST && !line.contains(['{', '"', ',']))
        .then(|| told("a pointer of git-annex instead of the file", fix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_are_named_with_the_command_that_fetches_the_file() {
        let fix = |text: &str| pointer(text).map(|d| d.fix);
        let lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab\nsize 12345\n";
        assert!(fix(lfs).is_some_and(|fix| fix.contains("git lfs pull")));
        for key in
            ["/annex/objects/SHA256E-s31390--f50d.csv\n", "../.git/annex/objects/a/b/K/SHA256E-s3--f5.csv"]
        {
            assert!(fix(key).is_some_and(|fix| fix.contains("git annex get")), "{key}");
        }
        for text in
            ["", "version: 2\n", "TIMESTAMP,ContextTokens\n", "{\"path\": \"a/.git/annex/objects/x\"}"]
        {
            assert_eq!(pointer(text), None, "{text}");
        }
    }
}
