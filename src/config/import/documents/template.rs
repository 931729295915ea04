//! Texts with placeholders `{{ … }}`: templates of Helm, which are no documents yet, and objects whose arguments another program fills
//! in, which are.

use base::Diagnostic;

/// What only Helm's templates have.
const HELM: [&str; 7] =
    ["{{ .Values", "{{.Values", "{{- .Values", "{{ .Release", "{{.Release", "{{ include", "{{- include"];

/// Most lines that a message names.
const MOST: usize = 5;

/// The problem of a template of Helm.
pub(super) fn of_helm(text: &str) -> Option<Diagnostic> {
    let is_helm = HELM.iter().any(|part| text.contains(part)) || text.contains(" .Values.");
    let fix = "render it first: `helm template` prints the objects";
    (is_helm && text.contains("{{"))
        .then(|| Diagnostic::error("", "a template of Helm", "YAML with its values", fix))
}

/// The problem of a text with placeholders that is no document.
pub(super) fn problem(text: &str) -> Option<Diagnostic> {
    let lines = || text.lines().enumerate().filter(|(_, line)| line.contains("{{"));
    let first = lines().next()?.0 + 1;
    let numbers: Vec<String> = lines().take(MOST).map(|(i, _)| (i + 1).to_string()).collect();
    let more = if lines().count() > MOST { " and more" } else { "" };
    let found = format!("placeholders {{{{ … }}}} in the lines {}{more}", numbers.join(", "));
    let fix = "give the object as it is in the cluster: `kubectl get … -o yaml`";
    Some(Diagnostic::error(format!("line {first}"), found, "YAML with its values", fix))
}
