import {
  AnswerSchema,
  ChatMessageSchema,
  SessionSnapshotSchema,
  ToolContentSchema,
  TurnEventBodySchema,
  TurnEventSchema,
} from "@capstan/core/schemas";
import * as schemas from "../../src/schemas.ts";
import * as fc from "fast-check";
import { z } from "zod";
import { expect, test } from "vitest";
import { samples } from "./samples.ts";
import { whole } from "./sample.ts";

const user = { role: "user", id: "m1", content: "Hello" } as const;

/** What an error says of its first problem. */
function complaint(schema: z.ZodType, value: unknown): string | undefined {
  const issue = schema.safeParse(value).error?.issues[0];
  return issue && `${z.core.toDotPath(issue.path)}: ${issue.message}`;
}

test("nothing that is thrown at a schema makes it throw", () => {
  const anyone = fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true });

  fc.assert(
    fc.property(fc.constantFrom(...Object.values<z.ZodType>(schemas)), anyone, (schema, value) => {
      schema.safeParse(value);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ["null", null],
  ["a text", "turn_end"],
  ["a list", []],
  ["nothing", undefined],
])("%s is no event, no message and no state", (_, value) => {
  expect(TurnEventSchema.safeParse(value).success).toBe(false);
  expect(ChatMessageSchema.safeParse(value).success).toBe(false);
  expect(SessionSnapshotSchema.safeParse(value).success).toBe(false);
});

test("an event of an unknown type is refused at its type, so that a reader can pass over it", () => {
  const { error } = TurnEventBodySchema.safeParse({ type: "tea_ready", sugar: 2 });

  expect(error?.issues).toMatchObject([{ path: ["type"] }]);
});

test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
  'no type and no role is called "%s"',
  (name) => {
    expect(TurnEventBodySchema.safeParse({ type: name }).success).toBe(false);
    expect(ChatMessageSchema.safeParse({ role: name, id: "m1", content: "" }).success).toBe(false);
  },
);

test("a __proto__ key beside the fields of a message is dropped, and no prototype changes", () => {
  const read: unknown = JSON.parse(
    '{"role":"user","id":"m1","content":"Hello","__proto__":{"source":"repair"}}',
  );

  const parsed = ChatMessageSchema.parse(read);

  expect(parsed).toStrictEqual(user);
  expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
  expect("source" in parsed).toBe(false);
});

test("an unknown field must be JSON as well, and not too deep", () => {
  const deep: unknown = JSON.parse(`${"[".repeat(10_000)}${"]".repeat(10_000)}`);

  expect(complaint(ChatMessageSchema, { ...user, extra: new Date(0) })).toBe(
    "extra: Invalid input: expected JSON, received Date",
  );
  expect(complaint(ChatMessageSchema, { ...user, extra: deep })).toBe(
    "extra: Invalid input: expected JSON of at most 500 levels",
  );
});

test.each([
  ["negative", -1],
  ["infinite", Infinity],
  ["not a number", Number.NaN],
])("a token count that is %s is refused", (_, outputTokens) => {
  const event = { type: "turn_end", finishReason: "stop", usage: { outputTokens } };

  expect(TurnEventBodySchema.safeParse(event).error?.issues).toMatchObject([
    { path: ["usage", "outputTokens"] },
  ]);
});

test("a step that is no whole number is refused", () => {
  expect(TurnEventBodySchema.safeParse({ type: "step_start", step: 1.5 }).success).toBe(false);
});

test("the place of a fault deep inside a message is named", () => {
  const call = { type: "tool_call", id: "k1", name: "book", input: { when: new Date(0) } };
  const message = { role: "assistant", id: "m2", content: [call], stopReason: "stop" };

  expect(complaint(TurnEventBodySchema, { type: "message_end", message })).toBe(
    "message.content[0].input.when: Invalid input: expected JSON, received Date",
  );
});

test("a wrong part of a content that may also be a text is named in the message", () => {
  expect(complaint(ChatMessageSchema, { ...user, content: [{ type: "text", text: 7 }] })).toBe(
    "content: Invalid input: expected string, received number (at [0].text)",
  );
  expect(complaint(ToolContentSchema, 7)).toBe(": Invalid input: expected string, received number");
});

test("an assistant's part in a user message is refused", () => {
  const content = [{ type: "thinking", thinking: "Hm" }];

  expect(ChatMessageSchema.safeParse({ ...user, content }).success).toBe(false);
});

test("an answer is a result or an approval, without any other field", () => {
  const result = { toolCallId: "k1", output: "blue" };
  const approval = { toolCallId: "k1", hash: "h1", approved: true };

  expect(AnswerSchema.parse({ ...result, extra: 1 })).toStrictEqual(result);
  expect(AnswerSchema.parse({ ...approval, extra: 1 })).toStrictEqual(approval);
});

test("a result cannot smuggle in an approval", () => {
  const smuggled = { toolCallId: "k1", output: "blue", approved: "yes" };

  expect(AnswerSchema.parse(smuggled)).toStrictEqual({
    toolCallId: "k1",
    output: "blue",
  });
});

test("a wrong answer is told what it lacks as what it looks like", () => {
  expect(complaint(AnswerSchema, { toolCallId: "k1", approved: true })).toBe(
    ": Invalid input: expected string, received undefined (at hash)",
  );
  expect(complaint(AnswerSchema, { toolCallId: "k1", output: [{ type: "text" }] })).toBe(
    ": Invalid input: expected string, received undefined (at [0].text) (at output)",
  );
});

test("the entries of a state are kept as they are, and an entry without an envelope is refused", () => {
  const strange = { seq: 2, v: 9, type: "from_tomorrow", id: "e2", at: 5, data: { x: [null] } };
  const state = whole(samples.SessionSnapshot);

  const parsed = SessionSnapshotSchema.parse({ ...state, entries: [strange] });
  const { error } = SessionSnapshotSchema.safeParse({
    ...state,
    entries: [{ ...strange, seq: 0 }],
  });

  expect(parsed.entries).toStrictEqual([strange]);
  expect(error?.issues[0]?.path).toEqual(["entries", 0, "seq"]);
});

test.each(Object.entries<z.ZodType>(schemas))("%s can be shown as JSON Schema", (_, schema) => {
  expect(() => z.toJSONSchema(schema)).not.toThrow();
});
