// The WebAssembly module's declarations where it has not been built yet; a built one takes precedence.
declare module '*/pkg/tokenyard.js' {
  export class Trace {
    constructor(fileName: string);
    push(bytes: Uint8Array): void;
    finish(): string;
    free(): void;
  }
  export class Sim {
    static check(text: string): string;
    static architectureFromHf(text: string): string;
    static presets(): string;
    static version(): string;
    constructor(text: string);
    static withTrace(text: string, trace: Trace): Sim;
    advance(untilUs: number, maxMs: number): string;
    beginStep(kind: string): void;
    advanceStep(maxMs: number): string;
    apply(editJson: string): string;
    nowUs(): number;
    events(): number;
    frame(queryJson: string): string;
    eventRows(queryJson: string): string;
    inspect(request: number): string;
    columns(queryJson: string): string;
    columnPtr(index: number): number;
    columnLen(index: number): number;
    report(): string;
    digest(): string;
    scenario(): string;
    free(): void;
  }
  export default function init(options: {
    module_or_path: WebAssembly.Module;
  }): Promise<{ memory: WebAssembly.Memory }>;
}
declare module '*/pkg/tokenyard_bg.wasm?url' {
  const url: string;
  export default url;
}
