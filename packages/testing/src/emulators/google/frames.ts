/** Framing of streamed responses: as events, or as one growing JSON array. */
import type { WireEvent } from "../emulation.ts";
import type { JsonValue } from "@capstan/kernel";

export interface Frames {
  /** Frames one more response. */
  next(response: JsonValue): WireEvent;
  /** Frames the end of a complete stream. */
  end(): readonly WireEvent[];
  /** Frames an error in a stream that has started. */
  fail(error: JsonValue): WireEvent;
}

/** An error is sent bare, which is not an event at all. */
export function eventFrames(): Frames {
  return {
    next: (response) => ({ text: `data: ${JSON.stringify(response)}\r\n\r\n` }),
    end: () => [],
    fail: (error) => ({ text: `${JSON.stringify(error, null, 2)}\n` }),
  };
}

/** Used without `alt=sse`. */
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
