import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ScriptItem } from "@capstan/testing";
import { callTool, finish, reply, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { run } from "../src/process/run.ts";
import { memoryIo, temporaryFolder } from "./memory-io.ts";
import { runScripted } from "./scripted-io.ts";

const plan = (...statuses: readonly string[]): ScriptItem =>
  reply(
    callTool("write_todos", {
      todos: statuses.map((status, place) => ({ content: `Todo ${place + 1}`, status })),
    }),
  );

test("a turn that ends with unfinished todos goes on until they are done", async () => {
  const { io, exitCode, provider } = await runScripted(
    ["prompt"],
    [
      plan("completed", "pending"),
      reply(say("That was the first.")),
      plan("completed", "completed"),
      reply(say("All done.")),
    ],
  );

  expect(exitCode).toBe(0);
  expect(io.stdoutText()).toBe("That was the first.\n\nAll done.\n");
  expect(io.stderrText()).toContain("capstan: todos are left: continuing with them\n");
  expect(provider.requests[2]?.messages.at(-1)).toMatchObject({
    role: "user",
    content: expect.stringMatching(
      /^Your list has unfinished todos:\n\[ \] Todo 2\nContinue with them/,
    ),
  });
});

test("it is not reminded twice of the same list", async () => {
  const { provider, exitCode } = await runScripted(
    ["prompt"],
    [plan("pending"), reply(say("Later.")), reply(say("I said later."))],
  );

  expect(exitCode).toBe(0);
  expect(provider.requests).toHaveLength(3);
});

test("it is reminded three times at most", async () => {
  const { provider } = await runScripted(
    ["prompt"],
    ["in_progress", "pending", "in_progress", "pending"].flatMap((status) => [
      plan(status),
      reply(say("Not yet.")),
    ]),
  );

  expect(provider.requests).toHaveLength(8);
});

test("planning.maxContinuations 0 switches it off", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "capstan.json"), '{ "planning": { "maxContinuations": 0 } }');

  const { provider } = await runScripted(
    ["--trust", "prompt"],
    [plan("pending"), reply(say("Later."))],
    {
      cwd,
    },
  );

  expect(provider.requests).toHaveLength(2);
});

test("a turn that ended early does not go on by itself", async () => {
  const { provider, exitCode } = await runScripted(
    ["prompt"],
    [plan("pending"), reply(say("Much to"), finish("length"))],
  );

  expect(exitCode).toBe(3);
  expect(provider.requests).toHaveLength(2);
});

test("todos of an earlier prompt do not make a later one go on", async () => {
  const { io } = await runScripted(
    ["prompt"],
    [plan("pending"), reply(say("Later.")), reply(say("Really."))],
  );

  const { provider } = await runScripted(["-c", "What time is it?"], [reply(say("Noon."))], {
    home: io.home,
  });

  expect(provider.requests).toHaveLength(1);
});

test("beyond --max-cost nothing goes on by itself", async () => {
  const provider = scriptedProvider([plan("pending"), reply(say("Later."))], {
    usage: { inputTokens: 100_000, outputTokens: 1 },
  });
  const price = { id: "p", inputPerMillion: 5, outputPerMillion: 25 };
  const model = { provider, id: "", price };
  const io = memoryIo({
    chooseModel: () => ({ model, name: "dear", reason: "a test wants it" }),
  });

  const exitCode = await run(["--max-cost", "0.9", "prompt"], io);

  expect(exitCode).toBe(0);
  expect(provider.requests).toHaveLength(2);
});

test.each([
  "Which of the two should I take?",
  "Shall I **go on?**\n",
  "続けますか？",
  "The schema is unclear.\n\nShall I use UUIDs? Tell me, and I will continue.",
  "Which one do you want?\n\n1. SQLite\n2. PostgreSQL\n",
  "Which one do you want?\n- SQLite\n- PostgreSQL",
])("a question to the user goes before unfinished todos: %j", async (question) => {
  const { provider, exitCode } = await runScripted(
    ["prompt"],
    [plan("pending"), reply(say(question))],
  );

  expect(exitCode).toBe(0);
  expect(provider.requests).toHaveLength(2);
});

test.each([
  "Why did it fail? Because of the port.\n\nIt works now.",
  "I changed the condition to `a ? b : c`.",
  "See https://example.org/?x=1 for more.",
])("no question to the user: %j", async (text) => {
  const { provider } = await runScripted(
    ["prompt"],
    [plan("pending"), reply(say(text)), plan("completed"), reply(say("Done."))],
  );

  expect(provider.requests).toHaveLength(4);
});
