// The pointer on the stage: what it takes, carries and lets go. One drag is one act at its end; Escape or a lost pointer ends it
// without any.
import { offsetIn } from '../base/pointer.ts';
import type { Grip } from './grips.ts';
import { type Drag, type HandActs, letGo } from './handDrag.ts';
import type { Box } from './layout.ts';

/** A finger carries a request after it has rested on it for so long; sooner, it scrolls. */
const HOLD_MS = 250;
/** A press that moves farther is a drag. */
const STILL_PX = 4;

/** What the pointer asks of the stage, and where it tells what it does. */
export type HandPort = {
  readonly acts: () => HandActs;
  readonly gripAt: (x: number, y: number, touch: boolean) => Grip | undefined;
  readonly targetAt: (x: number, y: number) => { readonly replica: number; readonly box: Box } | undefined;
  readonly drag: () => Drag | undefined;
  readonly setDrag: (next: Drag | undefined) => void;
  readonly setOver: (next: Grip | undefined) => void;
  readonly onRequest: (request: number) => void;
};

type Pressed = { readonly grip: Grip; readonly x: number; readonly y: number; ready: boolean };

/** The cursor over what can be taken, and while it is. */
function cursorOf(grip: Grip, carried: boolean): string {
  if (grip.on !== 'request') return grip.axis;
  return carried ? 'carries' : 'takes';
}

export class HandPointer {
  private readonly sheet: HTMLElement;
  private readonly port: HandPort;
  private pressed: Pressed | undefined;
  /** Whether the next click is the end of a drag. */
  private swallows = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly ended = new AbortController();

  constructor(sheet: HTMLElement, port: HandPort) {
    this.sheet = sheet;
    this.port = port;
    const { signal } = this.ended;
    sheet.addEventListener('pointerdown', (event) => this.down(event), { signal });
    sheet.addEventListener('pointermove', (event) => this.move(event), { signal });
    sheet.addEventListener('pointerup', () => this.up(), { signal });
    sheet.addEventListener('pointercancel', () => this.cancel(), { signal });
    sheet.addEventListener('pointerleave', () => this.leave(), { signal });
    sheet.addEventListener('click', (event) => this.click(event), { signal, capture: true });
    // A finger that carries something neither scrolls nor opens a menu.
    const keep = (event: Event): void => {
      if (!port.drag()) return;
      event.preventDefault();
      event.stopPropagation();
    };
    sheet.addEventListener('contextmenu', keep, { signal, capture: true });
    sheet.addEventListener('touchmove', keep, { signal, passive: false });
    addEventListener('keydown', (event) => this.key(event), { signal, capture: true });
  }

  dispose(): void {
    this.end();
    this.ended.abort();
  }

  private mark(grip: Grip | undefined): void {
    if (grip) this.sheet.dataset.hand = cursorOf(grip, this.port.drag() !== undefined);
    else delete this.sheet.dataset.hand;
  }

  private end(): void {
    clearTimeout(this.timer);
    this.pressed = undefined;
    this.port.setDrag(undefined);
    this.port.setOver(undefined);
    this.mark(undefined);
  }

  private begin(x: number, y: number): void {
    const { pressed } = this;
    if (!pressed) return;
    const { grip } = pressed;
    const amount = this.port.acts().amountOf(grip);
    if (grip.on !== 'request' && !amount) {
      this.end();
      return;
    }
    this.port.setDrag({ grip, amount, from: { x: pressed.x, y: pressed.y }, at: { x, y }, over: undefined });
    this.mark(grip);
  }

  private follow(x: number, y: number): void {
    const now = this.port.drag();
    if (!now) return;
    const { grip } = now;
    const under = grip.on === 'request' ? this.port.targetAt(x, y) : undefined;
    const over = grip.on === 'request' && under?.replica !== grip.replica ? under : undefined;
    this.port.setDrag({ ...now, at: { x, y }, over });
  }

  private down(event: PointerEvent): void {
    this.swallows = false;
    if (!event.isPrimary || event.button !== 0 || !(event.target instanceof HTMLCanvasElement)) return;
    const { offsetX: x, offsetY: y } = offsetIn(this.sheet, event);
    const touch = event.pointerType === 'touch';
    const grip = this.port.gripAt(x, y, touch);
    if (!grip) return;
    const ready = !touch || grip.on !== 'request';
    // What stands over the stage, such as a tool, is not in the way.
    event.target.setPointerCapture(event.pointerId);
    this.pressed = { grip, x, y, ready };
    if (ready) return;
    this.timer = setTimeout(() => {
      if (this.pressed) this.pressed.ready = true;
      this.begin(x, y);
    }, HOLD_MS);
  }

  private move(event: PointerEvent): void {
    const { offsetX: x, offsetY: y } = offsetIn(this.sheet, event);
    if (this.port.drag()) this.follow(x, y);
    else if (this.pressed) this.start(event, this.pressed, x, y);
    else if (event.pointerType === 'mouse') {
      const grip = event.target instanceof HTMLCanvasElement ? this.port.gripAt(x, y, false) : undefined;
      this.port.setOver(grip);
      this.mark(grip);
    }
  }

  private start(event: PointerEvent, { grip, ready, ...from }: Pressed, x: number, y: number): void {
    const [dx, dy] = [Math.abs(x - from.x), Math.abs(y - from.y)];
    if (Math.max(dx, dy) < STILL_PX) return;
    // A finger that goes across an edge scrolls.
    const across = grip.on !== 'request' && (grip.axis === 'x' ? dy > dx : dx > dy);
    if (!ready || (event.pointerType === 'touch' && across)) {
      this.end();
      return;
    }
    this.begin(x, y);
    this.follow(x, y);
  }

  private up(): void {
    const done = this.port.drag();
    // After Escape, the click that comes is still that of the drag.
    this.swallows ||= done !== undefined;
    this.end();
    if (done) letGo(done, this.port.acts());
  }

  private cancel(): void {
    this.swallows = this.port.drag() !== undefined;
    this.end();
  }

  private leave(): void {
    if (this.port.drag()) return;
    this.port.setOver(undefined);
    this.mark(undefined);
  }

  /** The press that ends a drag selects nothing; one on a request on its way selects that. */
  private click(event: MouseEvent): void {
    const { offsetX, offsetY } = offsetIn(this.sheet, event);
    const onCanvas = event.target instanceof HTMLCanvasElement;
    const grip = this.swallows || !onCanvas ? undefined : this.port.gripAt(offsetX, offsetY, false);
    const onItsWay = grip?.on === 'request' && grip.replica === undefined ? grip.request : undefined;
    if (onItsWay !== undefined) this.port.onRequest(onItsWay);
    else if (!this.swallows) return;
    this.swallows = false;
    event.stopPropagation();
    event.preventDefault();
  }

  private key(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || !this.port.drag()) return;
    event.stopPropagation();
    event.preventDefault();
    this.cancel();
  }
}
