// Whether a span of time is being selected on the charts. Apart from the span, whose code is loaded then.
import { createSignal } from 'solid-js';

export const [spanShown, setSpanShown] = createSignal(false);
