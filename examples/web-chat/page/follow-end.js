/** Keeps the end of a conversation in view while it grows, unless the user has scrolled up. */

/**
 * Returns a function that scrolls to the end.
 *
 * @param {HTMLElement} scroller
 */
export function followEnd(scroller) {
  let isAtEnd = true;
  const scrollToEnd = () => {
    isAtEnd = true;
    scroller.scrollTop = scroller.scrollHeight;
  };
  let lastTop = scroller.scrollTop;
  scroller.addEventListener("scroll", () => {
    const { scrollTop, scrollHeight, clientHeight } = scroller;
    // The conversation may have grown since it was scrolled to its end: only the way up leaves it.
    if (scrollHeight - scrollTop - clientHeight < 40) isAtEnd = true;
    else if (scrollTop < lastTop) isAtEnd = false;
    lastTop = scrollTop;
  });
  const observer = new ResizeObserver(() => {
    if (isAtEnd) scrollToEnd();
  });
  for (const watched of [scroller, ...scroller.children]) observer.observe(watched);
  return scrollToEnd;
}
