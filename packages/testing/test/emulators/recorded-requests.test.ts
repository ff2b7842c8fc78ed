import { say } from "@capstan/testing";
import { anthropicEmulator, openAiResponsesEmulator } from "@capstan/testing/emulators";
import { describe, expect, test } from "vitest";
import { askClaude, askOpenAi } from "./exchange.ts";
import { hasRecordings, missingCases, recordings, recordingsNote } from "./recordings.ts";

/** Doors to models of the vendor's own. Others speak the protocol with models and habits of theirs. */
const openAiDoors = ["openai", "azure", "openai-codex", "opencode-zen"];

describe.skipIf(!hasRecordings)(`recorded requests${recordingsNote}`, () => {
  const toClaude = recordings("anthropic-messages").filter(
    ({ provider }) => provider === "anthropic",
  );
  const toOpenAi = recordings("openai-responses").filter(({ provider }) =>
    openAiDoors.includes(provider),
  );

  test.each(["anthropic-messages", "openai-responses"])("none of %s is left out", (api) => {
    expect(missingCases(api)).toEqual([]);
  });

  test.each(toClaude.filter(({ status }) => status < 400))(
    "Claude took $name, and so does the emulator",
    async ({ body }) => {
      await using emulator = await anthropicEmulator([say("ok")], { trustsForeign: true });

      const answer = await askClaude(emulator, body, { "anthropic-beta": "mcp-client-2025-11-20" });

      expect(answer.json["error"] ?? null).toBeNull();
      expect(answer.status).toBe(200);
    },
  );

  test.each(toOpenAi.filter(({ status }) => status < 400))(
    "OpenAI took $name, and so does the emulator",
    async ({ body }) => {
      await using emulator = await openAiResponsesEmulator([say("ok")], { trustsForeign: true });

      const answer = await askOpenAi(emulator, body);

      expect(answer.json["error"] ?? null).toBeNull();
      expect(answer.status).toBe(200);
    },
  );

  test.each(toOpenAi.filter(({ status, body }) => status === 400 && body.includes('.mp3"')))(
    "OpenAI refused the song of $name as a file, and the emulator does in the same words",
    async ({ body, response }) => {
      await using emulator = await openAiResponsesEmulator([], { trustsForeign: true });

      const answer = await askOpenAi(emulator, body);

      expect(answer.json).toEqual(JSON.parse(response));
    },
  );

  test.each(
    toClaude.filter(({ status, body }) => status === 400 && body.includes("<MASSIVE_TEXT>")),
  )(
    "Claude refused $name as too long, and the emulator does in the same form",
    async ({ body, response }) => {
      const long = body.replaceAll("<MASSIVE_TEXT>", "word ".repeat(100_000));
      await using emulator = await anthropicEmulator([]);

      const answer = await askClaude(emulator, long);

      const digits = /\d+(?= tokens)|req_\w+/g;
      const recorded: unknown = JSON.parse(response.replaceAll(digits, "N"));
      expect(JSON.parse(answer.text.replaceAll(digits, "N"))).toEqual(recorded);
    },
  );
});
