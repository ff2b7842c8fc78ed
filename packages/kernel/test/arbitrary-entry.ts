/** Unfinished calls in any state, as a turn finds them that is entered in the middle of a step. */
import type { OpenCall, PendingCall } from "@capstan/kernel";
import * as fc from "fast-check";
import { toolNames } from "./arbitrary-tools.ts";
import { called, historyWith } from "./unfinished-step.ts";

const states = [
  "fresh",
  "started",
  "approved",
  "denied",
  "answered",
  "recorded",
  "pending",
  "unlisted",
] as const;

export interface EnteredCall {
  readonly name: string;
  readonly state: (typeof states)[number];
}

export const anyEntry: fc.Arbitrary<readonly EnteredCall[]> = fc.array(
  fc.record({
    name: fc.constantFrom(...toolNames, "gone"),
    state: fc.constantFrom(...states),
  }),
  { minLength: 1, maxLength: 4 },
);

/** Input of a turn that enters with these calls. */
export function entryOf(calls: readonly EnteredCall[]) {
  return {
    messages: historyWith(...calls.map(({ name }, at) => called(`k${at}`, name, { n: at % 2 }))),
    open: calls.flatMap(openCall),
    prior: { steps: 1, attempts: 1, usage: {}, isResumed: true },
  };
}

function openCall({ name, state }: EnteredCall, at: number): OpenCall[] {
  const toolCallId = `k${at}`;
  const result = { isError: false, output: "answered" };
  switch (state) {
    case "fresh":
    case "approved":
    case "denied":
      return [{ toolCallId, state }];
    case "started":
      // A remote call never starts here.
      return name.startsWith("remote") ? [] : [{ toolCallId, state, key: `key-${at}` }];
    case "answered":
      return [{ toolCallId, state: "settled", result }];
    case "recorded":
      return [{ toolCallId, state: "settled", result, isRecorded: true }];
    case "pending":
      return [{ toolCallId, state, pending: pendingCall(name, at) }];
    case "unlisted":
      return [];
    default:
      return state satisfies never;
  }
}

function pendingCall(toolName: string, at: number): PendingCall {
  const kind = toolName.startsWith("remote") ? "execution" : "approval";
  return { toolCallId: `k${at}`, kind, toolName, input: { n: at % 2 }, hash: `hash-${at}` };
}
