import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ProviderContract } from "@capstan/kernel";
import { callTool, failBefore, finish, reply, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { run } from "../src/run.ts";
import { memoryIo, temporaryFolder } from "./memory-io.ts";

function choosing(provider: ProviderContract) {
  return () => ({ provider, reason: "a test wants it" });
}

test("what is said goes to stdout, what is done to stderr, in the order in which it happens", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "README.md"), "# Title\n\nA sentence. Another.\n");
  const io = memoryIo({ cwd });

  const exitCode = await run(["What", "is", "in", "this", "folder?"], io);

  expect(exitCode).toBe(0);
  expect(io.screen()).toBe(
    [
      "capstan: using the offline provider, because no language model is connected",
      "No language model is connected: the offline provider only looks around.",
      "",
      "I list this folder.",
      "• ls .",
      "  ls . → 1 line, 15 bytes",
      "",
      "I read README.md.",
      "• read README.md",
      "  read README.md → 3 lines, 30 bytes",
      "",
      "This folder holds 1 file: README.md.",
      'README.md is titled "Title" and begins: A sentence.',
      "",
    ].join("\n"),
  );
  expect(io.stdoutText()).not.toContain("•");
  expect(io.stderrText()).not.toContain("Title");
});

test("a failed call is shown with its reason", async () => {
  const io = memoryIo({ cwd: await temporaryFolder() });

  await run(["Read nowhere.txt"], io);

  expect(io.stderrText()).toContain(
    "  read nowhere.txt → failed: There is no nowhere.txt. Use ls to see what there is.\n",
  );
});

test("on a terminal notes are dim, unless NO_COLOR is set or the terminal is dumb", async () => {
  const cwd = await temporaryFolder();
  const environments = [{}, { NO_COLOR: "" }, { NO_COLOR: "1" }, { TERM: "dumb" }];
  const ios = environments.map((env) => memoryIo({ cwd, env, isTTY: true }));
  const pipe = memoryIo({ cwd });

  await Promise.all([...ios, pipe].map((io) => run(["folder"], io)));

  const isDim = [...ios, pipe].map((io) => io.stderrText().includes("\u001b[2m• ls .\u001b[22m\n"));
  const hasEscape = [...ios, pipe].map((io) => io.screen().includes("\u001b"));
  expect(isDim).toEqual([true, true, false, false, false]);
  expect(hasEscape).toEqual([true, true, false, false, false]);
});

test("escape sequences of a model or a file do not reach a terminal", async () => {
  const script = [
    reply(callTool("read", { path: "\u001b]0;title\u0007a\nb" })),
    reply(say("\u001b[31mred\u0007 \u009b2J\ttext\r\n")),
  ];
  const terminal = memoryIo({ isTTY: true, chooseProvider: choosing(scriptedProvider(script)) });
  const pipe = memoryIo({ chooseProvider: choosing(scriptedProvider(script)) });

  await Promise.all([run(["prompt"], terminal), run(["prompt"], pipe)]);

  expect(terminal.stdoutText()).toBe("[31mred 2J\ttext\n");
  expect(pipe.stdoutText()).toBe("\u001b[31mred\u0007 \u009b2J\ttext\r\n");
  expect(pipe.stderrText()).toContain("• read ]0;titlea b\n");
});

test("a turn that fails is explained on stderr and exits with 1", async () => {
  const provider = scriptedProvider([failBefore(new Error("the model is gone"))]);
  const io = memoryIo({ chooseProvider: choosing(provider) });

  const exitCode = await run(["prompt"], io);

  expect(exitCode).toBe(1);
  expect(io.stderrText()).toContain("capstan: the turn failed: the model is gone\n");
  expect(io.stdoutText()).toBe("");
});

test("a turn that is cut short by the model's limit is done, and the reason is shown", async () => {
  const provider = scriptedProvider([reply(say("Once upon"), finish("length"))]);
  const io = memoryIo({ chooseProvider: choosing(provider) });

  const exitCode = await run(["prompt"], io);

  expect(exitCode).toBe(0);
  expect(io.screen()).toMatch(/\nOnce upon\ncapstan: the turn ended early: length\n$/);
});

test("a model that goes in circles is stopped", async () => {
  const circling: ProviderContract = {
    id: "circling",
    async *stream() {
      yield { type: "toolcall_start", index: 0, name: "ls" };
      yield { type: "toolcall_end", index: 0, input: {} };
      yield { type: "finish", reason: "tool-calls" };
    },
  };
  const cwd = await temporaryFolder();
  const io = memoryIo({ cwd, chooseProvider: choosing(circling) });

  const exitCode = await run(["prompt"], io);

  expect(exitCode).toBe(0);
  expect(io.stderrText()).toMatch(/\ncapstan: the turn ended early: max-steps\n$/);
});

test("an aborted turn ends its line and exits with 130", async () => {
  const controller = new AbortController();
  const hanging: ProviderContract = {
    id: "hanging",
    async *stream({ signal }) {
      yield { type: "text_delta", delta: "Let me" };
      controller.abort();
      await new Promise((_, reject) => signal.addEventListener("abort", reject));
    },
  };
  const io = memoryIo({ signal: controller.signal, chooseProvider: choosing(hanging) });

  const exitCode = await run(["prompt"], io);

  expect(exitCode).toBe(130);
  expect(io.screen()).toMatch(/\nLet me\ncapstan: interrupted\n$/);
});
