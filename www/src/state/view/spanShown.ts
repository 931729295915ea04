// Whether a span of time is being selected on the charts. A separate file, because the code of the span is loaded only
// then.
import { createSignal } from 'solid-js';

export const [spanShown, setSpanShown] = createSignal(false);
