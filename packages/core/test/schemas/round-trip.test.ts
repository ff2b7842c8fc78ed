import {
  ChatMessageSchema,
  JsonValueSchema,
  SessionSnapshotSchema,
  TurnEventBodySchema,
  TurnEventSchema,
} from "@capstan/core/schemas";
import * as fc from "fast-check";
import type { z } from "zod";
import { expect, test } from "vitest";
import { anyBody } from "./arbitrary-events.ts";
import { anyJson, anyMessage, anyText } from "./arbitrary-messages.ts";
import { anyState } from "./arbitrary-state.ts";

/** Written, read and checked, it is what it was. */
function survives(schema: z.ZodType, value: unknown): void {
  const written = JSON.stringify(value);
  const read: unknown = JSON.parse(written);

  const parsed = schema.parse(read);

  expect(parsed).toStrictEqual(read);
  expect(JSON.parse(JSON.stringify(parsed))).toStrictEqual(read);
}

test("any JSON value comes through as it was", () => {
  fc.assert(fc.property(anyJson, (value) => survives(JsonValueSchema, value)));
});

test("any message comes through as it was", () => {
  fc.assert(fc.property(anyMessage, (message) => survives(ChatMessageSchema, message)));
});

test("any event comes through as it was, with its ids and without", () => {
  fc.assert(
    fc.property(anyBody, anyText, anyText, (body, sessionId, turnId) => {
      survives(TurnEventBodySchema, body);
      survives(TurnEventSchema, { ...body, sessionId, turnId });
    }),
    { numRuns: 1_000 },
  );
});

test("any state of a session comes through as it was, entries of other versions included", () => {
  fc.assert(fc.property(anyState, (state) => survives(SessionSnapshotSchema, state)));
});

const newField = fc.string({ minLength: 1, maxLength: 5 }).map((name) => `new ${name}`);

test("fields that a newer program added are kept", () => {
  fc.assert(
    fc.property(
      fc.tuple(anyMessage, anyBody, anyState),
      fc.dictionary(newField, anyJson, { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
      ([message, body, state], added) => {
        survives(ChatMessageSchema, { ...message, ...added });
        survives(TurnEventBodySchema, { ...body, ...added });
        survives(SessionSnapshotSchema, { ...state, ...added });
      },
    ),
  );
});
