// Moves an element along the screen while a run plays.

/** How far to the left of where it stands something can be moved, and how far to the right, in pixels. */
const FROM = -100;
const TO = 100_000;

/**
 * Tells how to move `el` sideways to a place. It is a resting animation that is set to where the place is: a transform that is
 * written anew makes the browser look through all layers of the page.
 */
export function slideOf(el: Element, after = ''): (x: number) => void {
  const at = (x: number): string => `translateX(${x}px)${after}`;
  let slide: Animation | undefined;
  return (x) => {
    // Made at the first call, with which it is on the page: what is a part of a template yet cannot be animated.
    slide ??= el.animate({ transform: [at(FROM), at(TO)] }, { duration: TO - FROM, fill: 'both' });
    slide.pause();
    slide.currentTime = x - FROM;
  };
}
