/** How responses stand one behind the other: as events, or as one JSON array that grows. */
import type { WireEvent } from "../emulation.ts";
import type { JsonValue } from "@capstan/kernel";

export interface Frames {
  /** One more response. */
  next(response: JsonValue): WireEvent;
  /** What closes a stream that is complete. */
  end(): readonly WireEvent[];
  /** An error in a stream that has begun. */
  fail(error: JsonValue): WireEvent;
}

/** An error stands there bare, which is no event at all. */
export function eventFrames(): Frames {
  return {
    next: (response) => ({ text: `data: ${JSON.stringify(response)}\r\n\r\n` }),
    end: () => [],
    fail: (error) => ({ text: `${JSON.stringify(error, null, 2)}\n` }),
  };
}

/** What comes without `alt=sse`. */
export function arrayFrames(): Frames {
  let isFirst = true;
  function add(response: JsonValue): string {
    const separator = isFirst ? "[" : "\n,\n";
    isFirst = false;
    return `${separator}${JSON.stringify(response, null, 2)}`;
  }
  return {
    next: (response) => ({ text: add(response) }),
    end: () => [{ text: "\n]" }],
    fail: (error) => ({ text: `${add(error)}\n]` }),
  };
}
