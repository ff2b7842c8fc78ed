import type { AssistantMessage, ChatMessage, ToolCallPart } from "@capstan/kernel";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { CallIdShape, VendorIdOf } from "../src/projection/call-ids.ts";
import { CallIds } from "../src/projection/call-ids.ts";

/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 500);

const wide: CallIdShape = { character: /[A-Za-z0-9_-]/, maxLength: 64 };
const narrow: CallIdShape = { character: /[A-Za-z0-9]/, minLength: 9, maxLength: 9 };

/** The vendor "v" gets its ids back. */
const vendorIdOf: VendorIdOf = ({ providerData }, { origin }) =>
  origin?.provider === "v" && typeof providerData === "string" ? providerData : undefined;

function call(id: string, providerData?: string): ToolCallPart {
  const base = { type: "tool_call", id, name: "t", input: {} } as const;
  return providerData === undefined ? base : { ...base, providerData };
}

function reply(provider: string, ...content: readonly ToolCallPart[]): AssistantMessage {
  return { role: "assistant", id: "a", content, stopReason: "tool-calls", origin: { provider } };
}

test("a call of the target keeps the id that the vendor gave it", () => {
  const ids = new CallIds([reply("v", call("c1", "toolu_1"))], wide, vendorIdOf);

  expect(ids.wireId("c1")).toBe("toolu_1");
});

test("a call of another vendor goes under our id", () => {
  const ids = new CallIds([reply("other", call("c1", "call|fc_1"))], wide, vendorIdOf);

  expect(ids.wireId("c1")).toBe("c1");
});

test("two calls that a vendor gave the same id are told apart", () => {
  const messages = [reply("v", call("c1", "call_0")), reply("v", call("c2", "call_0"))];

  const ids = new CallIds(messages, wide, vendorIdOf);

  expect([ids.wireId("c1"), ids.wireId("c2")]).toEqual(["call_0", "c2"]);
});

test("an id of ours that a vendor has used already is made another", () => {
  const messages = [reply("v", call("c1", "c2")), reply("other", call("c2"))];

  const ids = new CallIds(messages, wide, vendorIdOf);

  expect(ids.wireId("c1")).toBe("c2");
  expect(ids.wireId("c2")).toMatch(/^c2[0-9a-f]{12}$/);
});

test("an id that does not fit is cleaned, shortened and told apart from those that begin alike", () => {
  const long = "turn.1".repeat(20);
  const messages = [reply("other", call(long), call(`${long}!`), call("a.b"))];

  const ids = new CallIds(messages, wide, vendorIdOf);

  const wireIds = [long, `${long}!`, "a.b"].map((id) => ids.wireId(id));
  expect(wireIds[0]).toMatch(/^(turn1)+[\w-]+$/);
  expect(wireIds[0]).toHaveLength(64);
  expect(wireIds[1]).not.toBe(wireIds[0]);
  expect(wireIds[2]).toMatch(/^ab[0-9a-f]{12}$/);
});

test("a result whose call is not there gets an id as well, and always the same", () => {
  const ids = new CallIds([], narrow, vendorIdOf);

  const wireId = ids.wireId("lost call");

  expect(wireId).toMatch(/^[A-Za-z0-9]{9}$/);
  expect(ids.wireId("lost call")).toBe(wireId);
});

const anyCall = fc
  .tuple(
    fc.string({ minLength: 1, maxLength: 80 }),
    fc.option(fc.constantFrom("x1", "x2", "c1"), { nil: undefined }),
  )
  .map(([id, vendorId]) => call(id, vendorId));
const anyMessages = fc
  .uniqueArray(anyCall, { selector: ({ id }) => id, maxLength: 20 })
  .chain((calls) =>
    fc
      .array(fc.constantFrom("v", "other"), { minLength: calls.length, maxLength: calls.length })
      .map((providers): readonly ChatMessage[] =>
        calls.map((one, index) => reply(providers[index] ?? "v", one)),
      ),
  );

test("no two calls share an id, all fit, and a longer conversation begins with the same ones", () => {
  fc.assert(
    fc.property(
      anyMessages,
      fc.nat(20),
      fc.constantFrom(wide, narrow, { ...wide, minLength: 40, maxLength: 40 }),
      (messages, length, shape) => {
        const ids = messages.flatMap((message) =>
          message.role === "assistant"
            ? message.content.map((part) => (part as ToolCallPart).id)
            : [],
        );
        const all = new CallIds(messages, shape, () => undefined);
        const mixed = new CallIds(messages, shape, vendorIdOf);
        const shorter = new CallIds(messages.slice(0, length), shape, vendorIdOf);

        const wireIds = ids.map((id) => all.wireId(id));
        const mixedIds = ids.map((id) => mixed.wireId(id));

        expect(new Set(wireIds).size).toBe(ids.length);
        expect(new Set(mixedIds).size).toBe(ids.length);
        expect(wireIds.filter((id) => !fits(id, shape))).toEqual([]);
        expect(ids.slice(0, length).map((id) => shorter.wireId(id))).toEqual(
          mixedIds.slice(0, length),
        );
      },
    ),
    { numRuns },
  );
}, 600_000);

function fits(id: string, { character, minLength = 1, maxLength }: CallIdShape): boolean {
  if (id.length < minLength || id.length > maxLength) return false;
  return Array.from(id).every((char) => character.test(char));
}
