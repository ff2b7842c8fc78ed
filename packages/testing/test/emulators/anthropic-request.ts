import type { JsonValue } from "@capstan/kernel";
import { say } from "@capstan/testing";
import { anthropicEmulator } from "@capstan/testing/emulators";
import { expect } from "vitest";
import { askClaude } from "./exchange.ts";

type Body = Readonly<Record<string, JsonValue>>;

/** A rule, what breaks it, the words in which that is refused, and the same without the fault. */
export type RefusalRow = readonly [rule: string, bad: Body, message: string, good: Body];

export async function expectRefusal([, bad, message, good]: RefusalRow): Promise<void> {
  await using emulator = await anthropicEmulator([say("ok")], { maxImageBytes: 2000 });

  const refused = await askClaude(emulator, bad);
  const accepted = await askClaude(emulator, good);

  expect(refused.json).toEqual({
    type: "error",
    error: { type: "invalid_request_error", message: expect.stringContaining(message) as string },
    request_id: "req_00000001",
  });
  expect(refused.status).toBe(400);
  expect(accepted.text).toContain('"text":"ok"');
  expect(emulator.refusals).toHaveLength(1);
}

/** A model of old, which takes most of what there ever was. */
export const plain: Body = {
  model: "claude-haiku-4-5",
  max_tokens: 2000,
  messages: [{ role: "user", content: "Hi" }],
};

/** One that takes least. */
export const newest: Body = { ...plain, model: "claude-fable-5-1" };

export const echo: Body = { name: "echo", input_schema: { type: "object" } };

export function call(id = "toolu_1"): JsonValue {
  return { type: "tool_use", id, name: "echo", input: {} };
}

export function result(id = "toolu_1"): JsonValue {
  return { type: "tool_result", tool_use_id: id, content: "ok" };
}

export function text(said: string): JsonValue {
  return { type: "text", text: said };
}

/** A conversation that takes turns, beginning with the user. */
export function talk(...contents: readonly JsonValue[]): JsonValue {
  return contents.map((content, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content }));
}

/** A PNG that is nothing but its header. */
export function picture(width: number, height: number): string {
  const bytes = Buffer.alloc(33);
  bytes.writeUInt32BE(0x89504e47, 0);
  bytes.writeUInt32BE(0x0d0a1a0a, 4);
  bytes.write("IHDR", 12, "latin1");
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes.toString("base64");
}

export function image(data = picture(10, 10), media_type = "image/png"): JsonValue {
  return { type: "image", source: { type: "base64", media_type, data } };
}

export function pdf(text = "%PDF-1.7", media_type = "application/pdf"): JsonValue {
  const data = Buffer.from(text).toString("base64");
  return { type: "document", source: { type: "base64", media_type, data } };
}

export const marker: JsonValue = { type: "ephemeral" };
