/** The words of a script for what only a wire can do. */
import { ProviderError } from "@capstan/kernel";
import type { ProviderPart } from "@capstan/kernel";
import { failBefore } from "../script/script-faults.ts";
import type { Fragment } from "../script/script-item.ts";

/** An answer that the emulator sends as it is. */
export interface WireAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Thrown through the script to the server. */
export class WireFault extends Error {
  override readonly name = "WireFault";
  /** Undefined: the connection is cut. */
  readonly answer: WireAnswer | undefined;

  constructor(message: string, answer?: WireAnswer) {
    super(message);
    this.answer = answer;
  }
}

/** 429, with how long to wait. */
export function throttle(options: { readonly retryAfterSeconds?: number } = {}): Fragment {
  const { retryAfterSeconds } = options;
  const retryAfterMs = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000;
  return failBefore(
    new ProviderError("rate_limit", "scripted throttle", {
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    }),
  );
}

/** 529 or 503, whichever the vendor has for it. */
export function overload(): Fragment {
  return failBefore("overloaded");
}

/** The connection breaks inside of the next event, or in the middle of the body of a reply that comes whole. */
export function cutConnection(): Fragment {
  return faulty("cutConnection()", new WireFault("the connection is cut"));
}

/** Any answer at all, such as the page of a proxy. It has to be the first thing of a reply. */
export function respondWith(answer: WireAnswer): Fragment {
  const label = `respondWith(${answer.status})`;
  return faulty(label, new WireFault(label, answer));
}

function faulty(label: string, fault: WireFault): Fragment {
  return {
    label,
    // eslint-disable-next-line require-yield -- it fails before it can yield
    *play(): Generator<ProviderPart> {
      throw fault;
    },
  };
}
