import type { JsonValue } from "@capstan/kernel";
import { say } from "@capstan/testing";
import { openAiResponsesEmulator } from "@capstan/testing/emulators";
import { expect } from "vitest";
import { askOpenAi } from "./exchange.ts";

type Body = Readonly<Record<string, JsonValue>>;

/** The service's error about a request. */
interface Fault {
  readonly message: string;
  readonly param: string | null;
  readonly code: string | null;
}

/** A rule, what breaks it, the refusal, and the same without the fault. */
export type RefusalRow = readonly [rule: string, bad: Body, fault: Fault, good: Body];

export async function expectRefusal([, bad, fault, good]: RefusalRow): Promise<void> {
  await using emulator = await openAiResponsesEmulator([say("ok")]);

  const refused = await askOpenAi(emulator, bad);
  const accepted = await askOpenAi(emulator, good);

  expect(refused.json).toEqual({
    error: {
      type: "invalid_request_error",
      ...fault,
      message: expect.stringContaining(fault.message) as string,
    },
  });
  expect(refused.status).toBe(400);
  expect(accepted.text).toContain('"text":"ok"');
  expect(emulator.refusals).toHaveLength(1);
}

export function fault(message: string, param: string | null, code: string | null = null): Fault {
  return { message, param, code };
}

export const plain: Body = { model: "gpt-4.1", input: "Hi" };
export const reasoning: Body = { model: "gpt-5.5", input: "Hi" };

const object: JsonValue = { type: "object", properties: {}, additionalProperties: false };

export const echo: Body = { type: "function", name: "echo", parameters: object, strict: false };

export const user: JsonValue = { role: "user", content: "Hi" };

export function call(call_id = "call_1", more: Body = {}): JsonValue {
  return { type: "function_call", call_id, name: "echo", arguments: "{}", ...more };
}

export function output(call_id = "call_1"): JsonValue {
  return { type: "function_call_output", call_id, output: "ok" };
}
