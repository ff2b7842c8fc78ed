import { say } from "@capstan/testing";
import { openAiChatEmulator } from "@capstan/testing/emulators";
import type { ChatDialectName } from "@capstan/testing/emulators";
import { describe, expect, test } from "vitest";
import { askChat } from "./exchange.ts";
import type { Recording } from "./recordings.ts";
import { hasRecordings, missingCases, recordings, recordingsNote } from "./recordings.ts";

/** Whose server took it. Those of others are left out: each has fields and models of its own. */
const dialectOf: Readonly<Record<string, ChatDialectName>> = {
  openai: "openai",
  // OpenAI's models at another endpoint, if the deployment has one.
  azure: "openai",
  mistral: "mistral",
  deepseek: "deepseek",
  openrouter: "openrouter",
  groq: "groq",
  ollama: "ollama",
};

/** Azure serves models of other makers as well, and under names of the customer's. */
function isForTheEmulator({ provider, model, status }: Recording): boolean {
  const isKnown = provider !== "azure" || /^(gpt-|o\d)/.test(model ?? "");
  return provider in dialectOf && isKnown && status < 400;
}

describe.skipIf(!hasRecordings)(`recorded requests${recordingsNote}`, () => {
  test("none is left out", () => {
    expect(missingCases("openai-chat")).toEqual([]);
  });

  test.each(recordings("openai-chat").filter(isForTheEmulator))(
    "$provider took $name, and so does the emulator",
    async ({ provider, body }) => {
      const dialect = dialectOf[provider] ?? "openai";
      await using emulator = await openAiChatEmulator([say("ok")], {
        dialect,
        trustsForeign: true,
      });

      const answer = await askChat(emulator, body);

      expect(answer.json["error"] ?? answer.json["detail"]).toBeUndefined();
      expect(answer.status).toBe(200);
    },
  );
});
