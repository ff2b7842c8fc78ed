import type { JsonValue } from "@capstan/kernel";
import { say } from "@capstan/testing";
import { googleEmulator } from "@capstan/testing/emulators";
import { expect } from "vitest";
import { askGoogle } from "./exchange.ts";

export type Body = Readonly<Record<string, JsonValue>>;

/** A rule, what breaks it, the words of the refusal, the same without the fault, and the model if it matters. */
export type RefusalRow = readonly [
  rule: string,
  bad: Body,
  words: string,
  good: Body,
  model?: string,
];

/** For a table of tests, by their rules. */
export function byRule(rows: readonly RefusalRow[]): (readonly [string, RefusalRow])[] {
  return rows.map((row) => [row[0], row]);
}

export async function expectRefusal(row: RefusalRow): Promise<void> {
  const [, bad, words, good, model = "gemini-2.5-flash"] = row;
  await using emulator = await googleEmulator([say("ok")]);

  const refused = await askGoogle(emulator, bad, { model });
  const accepted = await askGoogle(emulator, good, { model });

  expect(refused.json).toMatchObject({
    error: {
      code: 400,
      status: "INVALID_ARGUMENT",
      message: expect.stringContaining(words) as string,
    },
  });
  expect(refused.status).toBe(400);
  expect(accepted.json).toMatchObject({
    candidates: [{ content: { parts: [{ text: "ok" }], role: "model" } }],
  });
  expect(emulator.refusals).toHaveLength(1);
}

export function user(text = "Hi"): Body {
  return { role: "user", parts: [{ text }] };
}

export function model(...parts: readonly JsonValue[]): Body {
  return { role: "model", parts };
}

export function call(name = "echo", more: Body = {}): Body {
  return { functionCall: { name, args: {} }, ...more };
}

/** Function responses: one part for each name. */
export function results(...names: readonly string[]): Body {
  return {
    role: "user",
    parts: names.map((name) => ({ functionResponse: { name, response: { result: "ok" } } })),
  };
}

export function saying(...contents: readonly JsonValue[]): Body {
  return { contents };
}

export const plain: Body = saying(user());

/** A request with this declaration of a function. */
export function declaring(...declarations: readonly JsonValue[]): Body {
  return { ...plain, tools: [{ functionDeclarations: declarations }] };
}

export function configured(generationConfig: JsonValue): Body {
  return { ...plain, generationConfig };
}
