import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { offlineProvider } from "@capstan/providers/offline";
import { assertValidEvents, assertValidTranscript, failingTool, runToEnd } from "@capstan/testing";
import { lsTool, readTool } from "@capstan/toolset";
import { expect, onTestFinished, test } from "vitest";
import { prompt } from "./offline-reply.ts";

async function projectFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-offline-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, "src"));
  await writeFile(join(folder, "README.md"), "# Demo\n\nA demo project. It is small.\n");
  await writeFile(join(folder, "package.json"), '{ "name": "demo", "version": "0.1.0" }');
  return folder;
}

test("a turn lists the folder, reads two files at once, and sums up what they really say", async () => {
  const cwd = await projectFolder();

  const turn = await runToEnd({
    provider: offlineProvider(),
    tools: [lsTool(), readTool()],
    input: [prompt("What is in this folder?")],
    cwd,
  });

  const roles = turn.messages.map(({ role }) => role);
  const last = turn.messages.at(-1);
  expect(turn.finishReason).toBe("stop");
  expect(roles).toEqual(["assistant", "tool", "assistant", "tool", "tool", "assistant"]);
  expect(last?.role === "assistant" ? last.content : []).toEqual([
    {
      type: "text",
      text:
        "This folder contains 1 folder, 2 files: README.md, package.json, src/.\n" +
        'README.md is titled "Demo" and begins: A demo project.\n' +
        "package.json names the package demo, version 0.1.0.",
    },
  ]);
  assertValidTranscript(turn.transcript);
  assertValidEvents(turn.events);
});

test("the usage of a turn is unknown, not zero", async () => {
  const turn = await runToEnd({ provider: offlineProvider(), input: [prompt("Hello")] });

  expect(turn.usage).toEqual({ unreportedAttempts: 1 });
});

test("tools that fail do not keep a turn from coming to its end", async () => {
  const tools = [failingTool({ name: "ls" }), failingTool({ name: "read" })];
  const input = [prompt("Read a.txt in some/folder")];

  const turn = await runToEnd({ provider: offlineProvider(), tools, input });

  const last = turn.messages.at(-1);
  expect(turn.finishReason).toBe("stop");
  expect(JSON.stringify(last)).toContain("There is nothing more I can look at.");
});

test("a second prompt in the same session is a turn of its own", async () => {
  const cwd = await projectFolder();
  const tools = [lsTool(), readTool()];
  const first = await runToEnd({
    provider: offlineProvider(),
    tools,
    cwd,
    input: [prompt("What is in this folder?")],
  });

  const second = await runToEnd({
    provider: offlineProvider(),
    tools,
    cwd,
    turnId: "t2",
    messages: first.transcript,
    input: [{ role: "user", id: "user-2", content: "Read src/../package.json" }],
  });

  expect(second.messages).toHaveLength(3);
  expect(JSON.stringify(second.messages.at(-1))).toContain("src/../package.json has 1 line.");
});
