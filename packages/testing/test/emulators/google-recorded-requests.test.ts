import { say } from "@capstan/testing";
import { googleEmulator } from "@capstan/testing/emulators";
import { describe, expect, test } from "vitest";
import { askGoogle } from "./exchange.ts";
import type { Recording } from "./recordings.ts";
import { hasRecordings, missingCases, recordings, recordingsNote } from "./recordings.ts";

/** Model Armor is a setting of Vertex AI, which is not emulated. */
function isForTheEmulator({ body }: Recording): boolean {
  return !/"model_?armor_?config"/i.test(body);
}

function ask({ model, body }: Recording, emulator: Parameters<typeof askGoogle>[0]) {
  return askGoogle(emulator, body, { model: model ?? "gemini-2.5-flash" });
}

describe.skipIf(!hasRecordings)(`recorded requests${recordingsNote}`, () => {
  const all = recordings("google-generate").filter(isForTheEmulator);

  test("none is left out", () => {
    expect(missingCases("google-generate")).toEqual([]);
  });

  test.each(all.filter(({ status }) => status < 400))(
    "Google took $name, and so does the emulator",
    async (recording) => {
      await using emulator = await googleEmulator([say("ok")], { trustsForeign: true });

      const answer = await ask(recording, emulator);

      expect(answer.json["error"]).toBeUndefined();
      expect(answer.status).toBe(200);
    },
  );

  test.each(all.filter(({ response }) => response.includes("Please use a valid role")))(
    "Google refused $name for its role, and the emulator does in the same words",
    async (recording) => {
      await using emulator = await googleEmulator([]);

      const answer = await ask(recording, emulator);

      const { error } = JSON.parse(recording.response) as { error: { details?: unknown } };
      expect(answer.json).toEqual({ error: { ...error, details: undefined } });
    },
  );
});
