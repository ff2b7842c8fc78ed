/** Generates sessions as one value, with entries of today, of yesterday and of tomorrow. */
import type { SessionSnapshot } from "../../src/session/snapshot.ts";
import type { StoredEntry } from "@capstan/log";
import * as fc from "fast-check";
import {
  anyAmount,
  anyJson,
  anyMessage,
  anyPendingCall,
  anyText,
  anyUsage,
} from "./arbitrary-messages.ts";

const entry: fc.Arbitrary<StoredEntry> = fc
  .tuple(
    fc.dictionary(fc.string({ maxLength: 5 }), anyJson, { maxKeys: 3, noNullPrototype: true }),
    fc.record({
      seq: fc.integer({ min: 1 }),
      v: fc.integer({ min: 1, max: 9 }),
      type: fc.oneof(fc.constantFrom("created", "input"), anyText),
      id: anyText,
      at: anyAmount,
    }),
  )
  .map(([rest, envelope]) => ({ ...rest, ...envelope }));

export const anyState: fc.Arbitrary<SessionSnapshot> = fc.record(
  {
    version: fc.constant(1),
    id: anyText,
    agent: anyText,
    createdAt: anyAmount,
    updatedAt: anyAmount,
    status: fc.constantFrom("idle", "running", "awaiting_tool_execution", "completed", "error"),
    cwd: anyText,
    provider: anyText,
    model: anyText,
    title: anyText,
    principal: anyText,
    metadata: anyJson,
    messages: fc.array(anyMessage, { maxLength: 3 }),
    pendingToolCalls: fc.array(anyPendingCall, { maxLength: 2 }),
    usage: anyUsage,
    totalCost: anyAmount,
    entries: fc.array(entry, { maxLength: 4 }),
    blobs: fc.array(fc.record({ blob: anyText, data: fc.base64String() }), { maxLength: 2 }),
  },
  {
    requiredKeys: [
      "version",
      "id",
      "agent",
      "createdAt",
      "updatedAt",
      "status",
      "messages",
      "pendingToolCalls",
      "usage",
      "entries",
    ],
  },
);
