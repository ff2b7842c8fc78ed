import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { callTool, reply, say } from "@capstan/testing";
import { openAiChatEmulator } from "@capstan/testing/emulators";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../memory-io.ts";
import { ollamaServer, serve } from "../model/local-server.ts";
import type { RunningCommand } from "../spawn-command.ts";
import { files, spawnCommand } from "../spawn-command.ts";
import { environmentIn } from "./desk.ts";

async function newUser(variables: Readonly<Record<string, string>> = {}) {
  const home = await temporaryFolder();
  const cwd = join(home, "work");
  await mkdir(cwd);
  const env = { ...environmentIn(home), ...variables };
  const capstan = (...args: readonly string[]): RunningCommand =>
    spawnCommand(files.bin, args, { cwd, env });
  return { home, cwd, capstan };
}

/** Ollama's own API, in front of a service as strict as Ollama's. */
async function ollamaWith(script: Parameters<typeof openAiChatEmulator>[0]) {
  const service = await openAiChatEmulator(script, { dialect: "ollama" });
  onTestFinished(() => service.close());
  const details = { capabilities: ["completion", "tools"], parameters: "num_ctx 32768" };
  const own = await ollamaServer([{ name: "qwen3:8b", details }]);
  const front = await serve(async (request, response) => {
    const to = request.url?.startsWith("/api/") ? own.url : new URL(service.url).origin;
    const body = (await Array.fromAsync(request)).join("");
    const { method = "GET", headers } = request;
    const answer = await fetch(`${to}${request.url}`, {
      method,
      headers: { "content-type": "application/json", authorization: headers.authorization ?? "" },
      ...(method === "POST" && { body }),
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const piece of answer.body ?? []) response.write(piece);
    response.end();
  });
  return { url: front.url, service };
}

test("without a key a model on this machine is found, said and used", async () => {
  const { url, service } = await ollamaWith([
    reply(callTool("ls", { path: "." })),
    say("An empty folder."),
  ]);
  // A machine that is busy with other tests may need more than 200 ms to answer itself.
  const user = await newUser({ OLLAMA_BASE_URL: `${url}/v1`, CAPSTAN_LOOK_MS: "10000" });

  const command = user.capstan("What is here?");
  const { exitCode } = await command.ended;

  expect(command.stderr()).toContain(
    `capstan: using ollama/qwen3:8b, because no key is set and Ollama is running at ${url}\n`,
  );
  expect({ exitCode, stdout: command.stdout() }).toEqual({
    exitCode: 0,
    stdout: "An empty folder.\n",
  });
  expect(service.refusals).toEqual([]);
});

test("with nothing at all the offline provider looks around, and a line says why", async () => {
  const user = await newUser();

  const command = user.capstan("What is here?");
  const { exitCode } = await command.ended;

  expect(exitCode).toBe(0);
  expect(command.stderr().split("\n")[0]).toMatch(
    /^capstan: using offline, because no key is set .* see `capstan doctor`$/,
  );
  expect(command.stdout()).toMatch(/^No language model is connected/);
});

test("a model without its key, or without a known window, is an error that exits with 2", async () => {
  const user = await newUser({ OPENAI_API_KEY: "sk-test-secret-1234" });

  const foreign = user.capstan("--model", "claude-opus-5", "Hello");
  const foreignEnd = await foreign.ended;
  const unknown = user.capstan("--model", "openai/gpt-next", "Hello");
  const unknownEnd = await unknown.ended;

  expect([foreignEnd.exitCode, unknownEnd.exitCode]).toEqual([2, 2]);
  expect(foreign.stderr()).toContain("set ANTHROPIC_API_KEY");
  expect(unknown.stderr()).toContain("providers.openai.models");
  expect(foreign.stderr() + unknown.stderr()).not.toContain("sk-test-secret");
});

test("capstan models lists what there is, and capstan doctor says how everything is", async () => {
  const user = await newUser({ ANTHROPIC_API_KEY: "sk-test-secret-1234" });

  const models = user.capstan("models", "claude", "opus", "--json");
  const doctor = user.capstan("doctor", "--json");
  const ends = await Promise.all([models.ended, doctor.ended]);
  const checks = doctor.stdout().trim().split("\n");

  expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  expect(JSON.parse(models.stdout().split("\n")[0] ?? "")).toMatchObject({
    name: expect.stringMatching(/^anthropic\/claude-opus/),
  });
  expect(checks.map((line) => JSON.parse(line).state)).not.toContain("fail");
  expect(models.stdout() + doctor.stdout()).not.toContain("sk-test-secret");
  // Commands that only read leave no files.
  expect(await readdir(user.home)).toEqual(["work"]);
});

test("capstan doctor exits with 1 if something fails", async () => {
  const user = await newUser({ CAPSTAN_STORE: "broken.db" });
  await writeFile(join(user.cwd, "broken.db"), "This is a text and not a database. ".repeat(10));

  const doctor = user.capstan("doctor");
  const { exitCode } = await doctor.ended;

  expect(exitCode).toBe(1);
  expect(doctor.stdout()).toMatch(/^fail  store: .*broken\.db.*\n {6}→ /m);
});
