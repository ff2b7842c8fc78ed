import type { JsonValue } from "@capstan/kernel";
import { say } from "@capstan/testing";
import { openAiChatEmulator } from "@capstan/testing/emulators";
import type { ChatDialectName } from "@capstan/testing/emulators";
import { expect } from "vitest";
import { askChat } from "./exchange.ts";

export type Body = Readonly<Record<string, JsonValue>>;

/** The service's error about a request. */
interface Fault {
  readonly message: string;
  readonly param: string | null;
  readonly code: string | null;
}

/** A rule, what breaks it, the refusal, and the same without the fault. */
export type RefusalRow = readonly [rule: string, bad: Body, fault: Fault, good: Body];

export async function expectRefusal([, bad, fault, good]: RefusalRow): Promise<void> {
  await using emulator = await openAiChatEmulator([say("ok")]);

  const refused = await askChat(emulator, bad);
  const accepted = await askChat(emulator, good);

  expect(refused.json).toEqual({
    error: {
      type: "invalid_request_error",
      ...fault,
      message: expect.stringContaining(fault.message) as string,
    },
  });
  expect(refused.status).toBe(400);
  expect(accepted.json).toMatchObject({ choices: [{ message: { content: "ok" } }] });
  expect(emulator.refusals).toHaveLength(1);
}

export function fault(message: string, param: string | null, code: string | null = null): Fault {
  return { message, param, code };
}

/** Answer of another server: the status, and its body or part of it. */
export type DialectRow = readonly [
  rule: string,
  dialect: ChatDialectName,
  bad: Body,
  status: number,
  body: object,
  good: Body,
];

export async function expectDialectRefusal(row: DialectRow): Promise<void> {
  const [, dialect, bad, status, body, good] = row;
  await using emulator = await openAiChatEmulator([say("ok")], { dialect });

  const refused = await askChat(emulator, bad);
  const accepted = await askChat(emulator, good);

  expect(refused.json).toMatchObject(body);
  expect(refused.status).toBe(status);
  expect(accepted.text).toContain('"content":"ok"');
}

export const user: JsonValue = { role: "user", content: "Hi" };
export const plain: Body = { model: "gpt-4.1", messages: [user] };
export const reasoning: Body = { model: "gpt-5", messages: [user] };

const object: JsonValue = { type: "object", properties: {}, additionalProperties: false };

export const echo: Body = { type: "function", function: { name: "echo", parameters: object } };

export function call(id = "call_1", more: Body = {}): Body {
  return { id, type: "function", function: { name: "echo", arguments: "{}" }, ...more };
}

export function calling(calls: readonly Body[], more: Body = {}): JsonValue {
  return { role: "assistant", content: null, tool_calls: calls, ...more };
}

export function result(tool_call_id = "call_1"): Body {
  return { role: "tool", tool_call_id, content: "ok" };
}

export function saying(...messages: readonly JsonValue[]): Body {
  return { ...plain, messages };
}

/** To another model; without messages, with one of the user. */
export function to(model: string, ...messages: readonly JsonValue[]): Body {
  return { model, messages: messages.length === 0 ? [user] : messages };
}
