import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { say } from "@capstan/testing";
import { googleEmulator } from "@capstan/testing/emulators";
import { describe, expect, test } from "vitest";
import { askGoogle } from "./exchange.ts";

const folder = join(import.meta.dirname, "../../../../../shared/fixtures");
const isThere = existsSync(folder);
const missing = "the recordings are not here";

interface Recording {
  readonly name: string;
  readonly path: string;
  readonly api: string;
  readonly model: string | null;
}

/** Not for this emulator, and why. */
const left: Readonly<Record<string, string>> = {
  "google--google-vertex-json-blocked/request.json": "Model Armor is a setting of Vertex AI",
  "google--google-vertex-json-model-armor/request.json": "Model Armor is a setting of Vertex AI",
  "exchange--google-google-vertex-json-noargs-reasoning-block-rejected-replays-signature-steps3/request3.json":
    "it was refused for what a server elsewhere said",
};

const refusedForItsRole = "google--google-vertex-json-http400/request.json";

function recordings(): Recording[] {
  return globSync("{open,derived}/*/request*.json", { cwd: folder })
    .sort()
    .map((path) => {
      const meta = readFileSync(join(folder, path, "../meta.json"), "utf8");
      return { ...(JSON.parse(meta) as Recording), name: path.replace(/^\w+\//, ""), path };
    })
    .filter(({ api, name }) => api === "google-generate" && !(name in left));
}

function ask(recording: Recording, emulator: Parameters<typeof askGoogle>[0]) {
  const model = recording.model ?? "gemini-2.5-flash";
  return askGoogle(emulator, readFileSync(join(folder, recording.path), "utf8"), { model });
}

describe.skipIf(!isThere)(`recorded requests${isThere ? "" : ` (skipped: ${missing})`}`, () => {
  const all = recordings();

  test.each(all.filter(({ name }) => name !== refusedForItsRole))(
    "Google took $name, and so does the emulator",
    async (recording) => {
      await using emulator = await googleEmulator([say("ok")], { trustsForeign: true });

      const answer = await ask(recording, emulator);

      expect(answer.json["error"]).toBeUndefined();
      expect(answer.status).toBe(200);
    },
  );

  test.each(all.filter(({ name }) => name === refusedForItsRole))(
    "Google refused $name for its role, and the emulator does in the same words",
    async (recording) => {
      await using emulator = await googleEmulator([]);
      const response = readFileSync(join(folder, recording.path, "../response.json"), "utf8");

      const answer = await ask(recording, emulator);

      const { error } = JSON.parse(response) as { error: { details?: unknown } };
      expect(answer.json).toEqual({ error: { ...error, details: undefined } });
    },
  );
});
