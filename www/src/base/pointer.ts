// Where a pointer is within an element, in its own pixels: on a page that is zoomed for a projector, those of the window are
// others.

export type Offset = { readonly offsetX: number; readonly offsetY: number };

/** The zoom of an element and of all around it. */
export function zoomOf(el: Element): number {
  return el.currentCSSZoom || 1;
}

export function offsetIn(el: Element, { clientX, clientY }: MouseEvent): Offset {
  const { left, top } = el.getBoundingClientRect();
  const zoom = zoomOf(el);
  return { offsetX: (clientX - left) / zoom, offsetY: (clientY - top) / zoom };
}
