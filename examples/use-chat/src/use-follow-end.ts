/** Keeps the end of a conversation in view while it grows, unless the user has scrolled up. */
import type { RefObject } from "react";
import { useCallback, useEffect, useRef } from "react";

/** Returns a function that scrolls to the end. */
export function useFollowEnd(scroller: RefObject<HTMLElement | null>): () => void {
  const isAtEnd = useRef(true);
  const scrollToEnd = useCallback(() => {
    isAtEnd.current = true;
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  }, [scroller]);
  useEffect(() => {
    const { current: watched } = scroller;
    if (watched === null) return undefined;
    let lastTop = watched.scrollTop;
    const note = (): void => {
      const { scrollTop, scrollHeight, clientHeight } = watched;
      // The conversation may have grown since it was scrolled to its end: only the way up leaves it.
      if (scrollHeight - scrollTop - clientHeight < 40) isAtEnd.current = true;
      else if (scrollTop < lastTop) isAtEnd.current = false;
      lastTop = scrollTop;
    };
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) scrollToEnd();
    });
    watched.addEventListener("scroll", note);
    for (const element of [watched, ...watched.children]) observer.observe(element);
    return () => {
      watched.removeEventListener("scroll", note);
      observer.disconnect();
    };
  }, [scroller, scrollToEnd]);
  return scrollToEnd;
}
