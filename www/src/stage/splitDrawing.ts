// The drawing of prefill and decode apart, loaded when the first such stage is to be shown: most pages never show one.

type Drawing = typeof import('./drawSplit.ts');

let drawing: Drawing | undefined;
let loading: Promise<void> | undefined;

/** Loads it once; a failed attempt can be made again. */
export function loadSplitDrawing(): Promise<void> {
  loading ??= import('./drawSplit.ts').then(
    (module) => {
      drawing = module;
    },
    () => {
      loading = undefined;
    },
  );
  return loading;
}

/** It, or nothing while it is being loaded. */
export function splitDrawing(): Drawing | undefined {
  if (!drawing) void loadSplitDrawing();
  return drawing;
}
