import { say } from "@capstan/testing";
import { anthropicEmulator } from "@capstan/testing/emulators";
import { expect, test } from "vitest";
import { plain, talk } from "./anthropic-request.ts";
import type { RefusalRow } from "./anthropic-request.ts";
import { askClaude } from "./exchange.ts";

type Body = RefusalRow[1];

const version = { "anthropic-version": "2026-10-21" };

test.each<readonly [string, Body, string]>([
  [
    "a temperature, even the usual one",
    { ...plain, temperature: 1 },
    "temperature: Extra inputs are not permitted",
  ],
  [
    "citations in what the user says",
    { ...plain, messages: talk([{ type: "text", text: "Hi", citations: [{}] }]) },
    "messages.0.content.0.text.citations",
  ],
  [
    "a document in what the assistant said",
    {
      ...plain,
      messages: talk("Hi", [{ type: "document", source: { type: "url", url: "https://x" } }], "?"),
    },
    "messages.1: `document` blocks can only be in `user` messages",
  ],
])(
  "the newer version of the API refuses %s, which the older one takes",
  async (_, body, message) => {
    await using emulator = await anthropicEmulator([say("ok")]);

    const refused = await askClaude(emulator, body, version);
    const accepted = await askClaude(emulator, body);

    expect(refused.json).toMatchObject({
      error: { message: expect.stringContaining(message) as string },
    });
    expect(accepted.status).toBe(200);
  },
);

test("a beta header opens its field", async () => {
  await using emulator = await anthropicEmulator([say("ok")]);

  const accepted = await askClaude(
    emulator,
    { ...plain, context_management: {} },
    { "anthropic-beta": "other-2025-01-01, context-management-2025-06-27" },
  );

  expect(accepted.status).toBe(200);
});

test("a prompt beyond the context window is refused with both numbers", async () => {
  await using emulator = await anthropicEmulator([say("ok")], { contextWindow: 100 });

  const refused = await askClaude(emulator, { ...plain, messages: talk("word ".repeat(100)) });
  const accepted = await askClaude(emulator, plain);

  expect(refused.json).toMatchObject({
    error: {
      message: expect.stringMatching(/^prompt is too long: \d+ tokens > 100 maximum$/) as string,
    },
  });
  expect(accepted.status).toBe(200);
});
