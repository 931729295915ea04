// Moves an element along the screen while a run plays.

/** The range of movement of an element, left and right of its position, in pixels. */
const FROM = -100;
const TO = 100_000;

/**
 * Returns a function that moves `el` sideways. It sets the time of a paused animation, because a new transform makes
 * the browser traverse all layers of the page.
 */
export function slideOf(el: Element, after = ''): (x: number) => void {
  const at = (x: number): string => `translateX(${x}px)${after}`;
  let slide: Animation | undefined;
  return (x) => {
    // Made at the first call, when the element is on the page: elements of a template cannot be animated.
    slide ??= el.animate({ transform: [at(FROM), at(TO)] }, { duration: TO - FROM, fill: 'both' });
    slide.pause();
    slide.currentTime = x - FROM;
  };
}
