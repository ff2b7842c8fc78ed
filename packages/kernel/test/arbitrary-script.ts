/** Generates scripts of any behaviour a provider can show. */
import { ProviderError } from "@capstan/kernel";
import type { ProviderPart } from "@capstan/kernel";
import {
  callTool,
  callToolRaw,
  cutOff,
  cutToolCall,
  failBefore,
  finish,
  hang,
  native,
  parts,
  pause,
  ping,
  refuse,
  say,
  stall,
  think,
  usage,
} from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import * as fc from "fast-check";
import { toolNames } from "./arbitrary-tools.ts";

const callingTool: fc.Arbitrary<ScriptItem> = fc
  .tuple(fc.constantFrom(...toolNames, "gone"), fc.nat({ max: 3 }), fc.nat({ max: 2 }))
  .map(([name, argumentDeltas, n]) => callTool(name, { n }, { argumentDeltas }));

const speaking: fc.Arbitrary<ScriptItem> = fc.oneof(
  { arbitrary: fc.array(fc.string({ maxLength: 3 }), { maxLength: 3 }).map(say), weight: 4 },
  fc.string({ maxLength: 3 }).map((text) => think(text)),
  fc.string({ maxLength: 3 }).map((text) => think(text, { signature: "s" })),
  fc.string({ maxLength: 3 }).map((text) => refuse(text)),
  fc.constant(native({ a: 1 })),
  fc.constant(ping()),
  fc.nat({ max: 9 }).map((inputTokens) => usage({ inputTokens })),
);

const calling: fc.Arbitrary<ScriptItem> = fc.oneof(
  { arbitrary: callingTool, weight: 20 },
  fc.constant(callTool("search", {}, { providerExecuted: true })),
  fc.constant(callToolRaw("echo", "{not json")),
  fc.constant(callToolRaw("echo", "")),
  fc.constant(cutToolCall("echo", '{"n":')),
);

/** Parts that no provider should send in their position, and one that no kernel knows yet. */
const strangeParts: readonly ProviderPart[] = [
  { type: "toolcall_delta", index: 99, delta: "x" },
  { type: "toolcall_end", index: 99 },
  { type: "text_end" },
  { type: "banana" } as unknown as ProviderPart,
];

const ending: fc.Arbitrary<readonly ScriptItem[]> = fc.oneof(
  { arbitrary: fc.constant([]), weight: 8 },
  fc.constantFrom(...strangeParts).map((part) => [parts([part], `part ${part.type}`)]),
  {
    arbitrary: fc.constantFrom(
      [pause()],
      [finish("length")],
      [finish("content-filter")],
      [finish("stop")],
      [finish("error")],
      [finish("a reason of its own")],
      [cutOff()],
      [stall()],
      [hang()],
      [failBefore("overloaded")],
      [failBefore(new ProviderError("rate_limit", "slow down", { retryAfterMs: 50 }))],
      [failBefore(new ProviderError("rate_limit", "go away", { retryAfterMs: 3_600_000 }))],
      [failBefore("context_overflow")],
      [failBefore(new TypeError("a bug"))],
    ),
    weight: 5,
  },
);

/** One reply, ended in any way. */
const anyReply: fc.Arbitrary<ScriptItem> = fc
  .tuple(fc.array(speaking, { maxLength: 3 }), fc.array(calling, { maxLength: 4 }), ending)
  .map(([said, called, end]) => [...said, ...called, ...end].map(readable));

/** A script that comes to rest: its last replies are answers. */
export const anyScript: fc.Arbitrary<readonly ScriptItem[]> = fc
  .array(anyReply, { minLength: 1, maxLength: 4 })
  .map((replies) => [...replies, ...Array.from({ length: 12 }, () => readable(say("done")))]);

/** A counterexample shows the words of the script, not their code. */
export function readable(item: ScriptItem): ScriptItem {
  return "label" in item ? Object.assign(item, { [fc.toStringMethod]: () => item.label }) : item;
}
