/** Generates scripts of any behaviour a provider can show, and what may go wrong around them. */
import { ProviderError } from "@capstan/kernel";
import {
  callTool,
  callToolRaw,
  cutOff,
  cutToolCall,
  failBefore,
  finish,
  hang,
  native,
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

const toolNames = ["echo", "fail", "remote", "slow", "gone"] as const;

const callingTool: fc.Arbitrary<ScriptItem> = fc
  .tuple(fc.constantFrom(...toolNames), fc.nat({ max: 3 }), fc.boolean())
  .map(([name, argumentDeltas, providerExecuted]) =>
    callTool(
      name,
      { n: 1 },
      { argumentDeltas, providerExecuted: providerExecuted && name === "gone" },
    ),
  );

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
  { arbitrary: callingTool, weight: 4 },
  fc.constant(callToolRaw("echo", "{not json")),
  fc.constant(callToolRaw("echo", "")),
  fc.constant(cutToolCall("echo", '{"n":')),
);

const ending: fc.Arbitrary<readonly ScriptItem[]> = fc.oneof(
  { arbitrary: fc.constant([]), weight: 6 },
  fc.constantFrom(
    [pause()],
    [finish("length")],
    [finish("content-filter")],
    [finish("stop")],
    [cutOff()],
    [stall()],
    [hang()],
    [failBefore("overloaded")],
    [failBefore(new ProviderError("rate_limit", "slow down", { retryAfterMs: 50 }))],
    [failBefore("invalid_request")],
    [failBefore(new TypeError("a bug"))],
  ),
);

/** One reply, ended in any way. */
const anyReply: fc.Arbitrary<ScriptItem> = fc
  .tuple(fc.array(speaking, { maxLength: 3 }), fc.array(calling, { maxLength: 3 }), ending)
  .map(([said, called, end]) => [...said, ...called, ...end].map(readable));

/** A script that comes to rest: its last reply is an answer. */
export const anyScript: fc.Arbitrary<readonly ScriptItem[]> = fc
  .array(anyReply, { maxLength: 4 })
  .map((replies) => [...replies, ...Array.from({ length: 8 }, () => readable(say("done")))]);

/** A counterexample shows the words of the script, not their code. */
function readable(item: ScriptItem): ScriptItem {
  return "label" in item ? Object.assign(item, { [fc.toStringMethod]: () => item.label }) : item;
}
