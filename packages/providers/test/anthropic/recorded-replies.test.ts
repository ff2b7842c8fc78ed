import type { ProviderPart, Usage } from "@capstan/kernel";
import { describe, expect, test } from "vitest";
import { anthropicVendor } from "../../src/vendors/anthropic.ts";
import type { DecodedReply } from "../fixtures-harness/decode-reply.ts";
import { decodeReply } from "../fixtures-harness/decode-reply.ts";
import { dataOf } from "../fixtures-harness/exchange-transcript.ts";
import type { FixtureReply } from "../fixtures-harness/fixtures.ts";
import { fixtureReplies, fixturesNote, hasFixtures } from "../fixtures-harness/fixtures.ts";
import { decodesRecordedReplies } from "../fixtures-harness/recorded-replies.ts";
import { blockType, claudeAdapter } from "./claude-adapter.ts";

const replies = fixtureReplies("anthropic-messages");
const named = replies.map((reply) => [reply.name, reply] as const);
const whole = named.filter(([, { expect: facts }]) => facts.ok);
const broken = named.filter(([, { expect: facts, isStream }]) => !facts.ok && isStream);
const model = "claude-sonnet-4-5";

const decode = (reply: FixtureReply): Promise<DecodedReply> =>
  decodeReply(anthropicVendor, reply, undefined, { model });

decodesRecordedReplies({ vendor: anthropicVendor, adapter: claudeAdapter, model });

describe.runIf(hasFixtures)(`recorded replies of Claude${fixturesNote}`, () => {
  test.each(named)("%s: the vendor's own words are kept", async (_, reply) => {
    const { message } = await decode(reply);

    const metadata = dataOf(message?.metadata);
    const { id, model, finish_reason: stopReason, usage_raw: usage } = reply.expect;
    const wanted = reply.expect.ok ? { id, model, stop_reason: stopReason, usage } : {};
    expect(metadata).toMatchObject(withoutNulls(wanted));
  });

  test.each(whole)("%s has all of its blocks, in their order", async (_, reply) => {
    const { message } = await decode(reply);

    const types = message?.content.map(blockType).filter((type) => type !== "refusal");
    expect(types ?? []).toEqual(reply.expect["block_types"]);
  });

  test.each(broken)(
    "%s: what came before it broke off is there, and no half call is finished",
    async (_, reply) => {
      const { parts } = await decode(reply);

      const { text, usage, tool_calls: calls, server_tools: ran = [] } = reply.expect;
      const ended = parts.filter(({ type }) => type === "toolcall_end");
      const halves = calls.filter((call) => call.arguments === null);
      expect(textIn(parts)).toBe(text);
      expect(lastUsage(parts)).toMatchObject({
        inputTokens: usage?.input,
        outputTokens: usage?.output,
      });
      expect(ended.length).toBeLessThanOrEqual(calls.length - halves.length + ran.length);
    },
  );
});

function textIn(parts: readonly ProviderPart[]): string {
  return parts.map((part) => (part.type === "text_delta" ? part.delta : "")).join("");
}

function lastUsage(parts: readonly ProviderPart[]): Usage | undefined {
  return parts.findLast((part) => part.type === "usage")?.usage;
}

/** The protocol drops fields that hold nothing, deep down it does not. */
function withoutNulls(value: object): object {
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]: [string, unknown]) => [
      key,
      key === "usage" ? withoutNullFields(inner) : inner,
    ]),
  );
}

function withoutNullFields(value: unknown): object {
  return Object.fromEntries(Object.entries(dataOf(value)).filter(([, inner]) => inner !== null));
}
