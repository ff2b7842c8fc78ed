import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { say } from "@capstan/testing";
import { anthropicEmulator, openAiResponsesEmulator } from "@capstan/testing/emulators";
import { describe, expect, test } from "vitest";
import { askClaude, askOpenAi } from "./exchange.ts";

const folder = join(import.meta.dirname, "../../../../../shared/fixtures");
const isThere = existsSync(folder);
const missing = "the recordings are not here";

interface Recording {
  readonly name: string;
  readonly path: string;
  readonly api: string;
  readonly provider: string;
  /** What the service answered to this very request. */
  readonly response: string;
}

function recordings(api: string): Recording[] {
  return globSync("{open,derived}/*/request*.json", { cwd: folder })
    .sort()
    .map((path) => {
      const meta = JSON.parse(
        readFileSync(join(folder, path, "../meta.json"), "utf8"),
      ) as Recording;
      const [response = ""] = globSync(path.replace(/request(\d*)\.json$/, "response$1.*"), {
        cwd: folder,
      });
      return { ...meta, name: path.replace(/^\w+\//, ""), path, response };
    })
    .filter((recording) => recording.api === api);
}

function read(path: string): string {
  return readFileSync(join(folder, path), "utf8");
}

/** Those that the service did not take, and why. */
const refused: Readonly<Record<string, string>> = {
  "anthropic--anthropic-json-http400-2/request.json": "its text was replaced by a placeholder",
  "exchange--responses-openai-json-noargs-reasoning-block-rejected-replays-signature/request2.json":
    "its file is a song",
};

/** Vendors that speak the protocol with models and habits of their own. */
const others = ["xai", "openrouter", "deepseek", "bedrock-mantle", "lmstudio"];

describe.skipIf(!isThere)(`recorded requests${isThere ? "" : ` (skipped: ${missing})`}`, () => {
  const toClaude = recordings("anthropic-messages").filter(({ name }) => !(name in refused));
  const toOpenAi = recordings("openai-responses").filter(
    ({ name, provider }) => !(name in refused) && !others.includes(provider),
  );

  test.each(toClaude)("Claude took $name, and so does the emulator", async ({ path }) => {
    await using emulator = await anthropicEmulator([say("ok")], { trustsForeign: true });

    const answer = await askClaude(emulator, read(path), {
      "anthropic-beta": "mcp-client-2025-11-20",
    });

    expect(answer.json["error"] ?? null).toBeNull();
    expect(answer.status).toBe(200);
  });

  test.each(toOpenAi)("OpenAI took $name, and so does the emulator", async ({ path }) => {
    await using emulator = await openAiResponsesEmulator([say("ok")], { trustsForeign: true });

    const answer = await askOpenAi(emulator, read(path));

    expect(answer.json["error"] ?? null).toBeNull();
    expect(answer.status).toBe(200);
  });

  test("OpenAI refused a song as a file, and the emulator does in the same words", async () => {
    const song = recordings("openai-responses").find(
      ({ name }) => refused[name] === "its file is a song",
    );
    await using emulator = await openAiResponsesEmulator([], { trustsForeign: true });

    const answer = await askOpenAi(emulator, read(song?.path ?? ""));

    expect(answer.json).toEqual(JSON.parse(read(song?.response ?? "")));
  });

  test("Claude refused a prompt that was too long, and the emulator does in the same form", async () => {
    const long = recordings("anthropic-messages").find(({ name }) => name in refused);
    const body = read(long?.path ?? "").replaceAll("<MASSIVE_TEXT>", "word ".repeat(100_000));
    await using emulator = await anthropicEmulator([]);

    const answer = await askClaude(emulator, body);

    const digits = /\d+(?= tokens)|req_\w+/g;
    const recorded: unknown = JSON.parse(read(long?.response ?? "").replaceAll(digits, "N"));
    expect(JSON.parse(answer.text.replaceAll(digits, "N"))).toEqual(recorded);
  });
});
