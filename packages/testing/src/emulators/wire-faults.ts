/** Script items for faults of the connection. */
import { ProviderError } from "@capstan/kernel";
import type { ProviderPart } from "@capstan/kernel";
import { failBefore } from "../script/script-faults.ts";
import type { Fragment } from "../script/script-item.ts";

/** An answer that the emulator sends unchanged. */
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

/** Answers 429, with the time to wait. */
export function throttle(options: { readonly retryAfterSeconds?: number } = {}): Fragment {
  const { retryAfterSeconds } = options;
  const retryAfterMs = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000;
  return failBefore(
    new ProviderError("rate_limit", "scripted throttle", {
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    }),
  );
}

/** Answers 529 or 503, depending on the vendor. */
export function overload(): Fragment {
  return failBefore("overloaded");
}

/** Breaks the connection inside the next event, or in the middle of a complete body. */
export function cutConnection(): Fragment {
  return faulty("cutConnection()", new WireFault("the connection is cut"));
}

/** Sends any answer, such as the page of a proxy. It must be the first item of a reply. */
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
