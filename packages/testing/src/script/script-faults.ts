/** Script items for streams that fail, wait, hang or end too early. */
import { ProviderError } from "@capstan/kernel";
import type { ProviderErrorCode, ProviderPart, ProviderRequest } from "@capstan/kernel";
import type { Fragment, ScriptItem } from "./script-item.ts";

/** An error to throw, or the code of a `ProviderError`. */
export type ScriptedFailure = Error | ProviderErrorCode;

/** Throws before the first part. */
export function failBefore(failure: ScriptedFailure): Fragment {
  const error = toError(failure);
  return {
    label: `failBefore(${error.message})`,
    // eslint-disable-next-line require-yield -- it fails before it can yield
    *play(): Generator<ProviderPart> {
      throw error;
    },
  };
}

/**
 * Scripts a reply that fails. Plays the items, then throws: in the middle of the reply, as no part has closed it.
 */
export function failAfter(...script: readonly [...ScriptItem[], ScriptedFailure]): ScriptItem {
  const items = script.slice(0, -1) as ScriptItem[];
  const failure = script.at(-1) as ScriptedFailure;
  return [...items, { ...failBefore(failure), label: `failAfter(${toError(failure).message})` }];
}

/** Continues once the promise is fulfilled, so that a test controls the order. Ends at once on abort, or when the reader leaves. */
export function wait(
  until: Promise<unknown> | ((request: ProviderRequest) => Promise<unknown>),
): Fragment {
  return {
    label: "wait(…)",
    async *play(reply) {
      await reply.wait(typeof until === "function" ? until(reply.request) : until);
      yield* nothing;
    },
  };
}

/**
 * Scripts a reply that stops in the middle. Yields nothing more. Throws when the request's signal fires, and ends
 * quietly when the reader leaves.
 */
export function stall(): Fragment {
  return { ...wait(() => new Promise(() => {})), label: "stall()" };
}

/** Scripts a reply that never ends: neither the signal nor the reader's leaving ends its stream. */
export function hang(): Fragment {
  return {
    label: "hang()",
    async *play() {
      await new Promise(() => {});
      yield* nothing;
    },
  };
}

/** Ends the stream here, without `finish`. */
export function cutOff(): Fragment {
  return {
    label: "cutOff()",
    play(reply) {
      reply.isOver = true;
      return nothing;
    },
  };
}

const nothing: readonly ProviderPart[] = [];

function toError(failure: ScriptedFailure): Error {
  return typeof failure === "string" ? new ProviderError(failure, `scripted ${failure}`) : failure;
}
