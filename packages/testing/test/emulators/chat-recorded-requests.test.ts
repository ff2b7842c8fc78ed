import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { say } from "@capstan/testing";
import { openAiChatEmulator } from "@capstan/testing/emulators";
import type { ChatDialectName } from "@capstan/testing/emulators";
import { describe, expect, test } from "vitest";
import { askChat } from "./exchange.ts";

const folder = join(import.meta.dirname, "../../../../../shared/fixtures");
const isThere = existsSync(folder);
const missing = "the recordings are not here";

interface Recording {
  readonly name: string;
  readonly path: string;
  readonly api: string;
  readonly provider: string;
}

/** Whose server took it. Those of others are left out: each has fields and models of its own. */
const dialectOf: Readonly<Record<string, ChatDialectName>> = {
  openai: "openai",
  // OpenAI's models behind another door, where the deployment is of one.
  azure: "openai",
  mistral: "mistral",
  deepseek: "deepseek",
  openrouter: "openrouter",
  groq: "groq",
  ollama: "ollama",
};

/** Not for this emulator, and why. */
const left: Readonly<Record<string, string>> = {
  "chat--azure-json-content-filter": "its model has a name of the customer's",
  "chat--azure-json-http429": "it was refused for its rate, and its model is of another maker",
  "chat--azure-sse-cached-2": "its model is of another maker",
  "chat--azure-sse-tool-noargs-usage-repeated": "its model is of another maker",
};

function recordings(): Recording[] {
  return globSync("{open,derived}/*/request*.json", { cwd: folder })
    .sort()
    .map((path) => {
      const meta = readFileSync(join(folder, path, "../meta.json"), "utf8");
      return { ...(JSON.parse(meta) as Recording), name: path.replace(/^\w+\//, ""), path };
    })
    .filter(({ api, provider, name }) => {
      const [folderName = ""] = name.split("/");
      return api === "openai-chat" && provider in dialectOf && !(folderName in left);
    });
}

describe.skipIf(!isThere)(`recorded requests${isThere ? "" : ` (skipped: ${missing})`}`, () => {
  test.each(recordings())("$provider took $name, and so does the emulator", async (recording) => {
    const dialect = dialectOf[recording.provider] ?? "openai";
    await using emulator = await openAiChatEmulator([say("ok")], { dialect, trustsForeign: true });

    const answer = await askChat(emulator, readFileSync(join(folder, recording.path), "utf8"));

    expect(answer.json["error"] ?? answer.json["detail"]).toBeUndefined();
    expect(answer.status).toBe(200);
  });
});
