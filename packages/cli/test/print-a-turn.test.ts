import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ProviderContract } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import { callTool, failAfter, failBefore, finish, reply, say, usage } from "@capstan/testing";
import { expect, test } from "vitest";
import { run } from "../src/process/run.ts";
import { memoryIo, temporaryFolder } from "./memory-io.ts";
import { choosing, runScripted } from "./scripted-io.ts";

test("what is said goes to stdout, what is done to stderr, in the order in which it happens", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "README.md"), "# Title\n\nA sentence. Another.\n");
  const io = memoryIo({ cwd });

  const exitCode = await run(["--offline", "What", "is", "in", "this", "folder?"], io);

  expect(exitCode).toBe(0);
  expect(io.screen().replace(/session \w+/, "session ID")).toBe(
    [
      "capstan: using offline, because --offline was given",
      "No language model is connected: the offline provider only looks around.",
      "",
      "I list this folder.",
      "• ls .",
      "  ls . → 1 line, 15 bytes",
      "",
      "I read README.md.",
      "• read README.md",
      "  read README.md → 3 lines, 36 bytes",
      "",
      "This folder contains 1 file: README.md.",
      'README.md is titled "Title" and begins: A sentence.',
      "capstan: session ID",
      "",
    ].join("\n"),
  );
  expect(io.stdoutText()).not.toContain("•");
  expect(io.stderrText()).not.toContain("Title");
});

test("a failed call is shown with its reason", async () => {
  const { io } = await runScripted(
    ["prompt"],
    [reply(callTool("read", { path: "nowhere.txt" })), reply(say("ok"))],
  );

  expect(io.stderrText()).toContain(
    "  read nowhere.txt → failed: nowhere.txt does not exist. Use ls to see which files exist.\n",
  );
});

test("an edit is shown as how many lines came and went, a list of todos as it is", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "a.txt"), "one\n-- two\nthree\n");
  const edits = [{ old: "-- two", new: "2\n2b" }];
  const todos = [
    { content: "Look", status: "completed" },
    { content: "Act", status: "completed" },
  ];

  const { io } = await runScripted(
    ["--allow", "edit", "prompt"],
    [
      reply(callTool("read", { path: "a.txt" })),
      reply(callTool("edit", { path: "a.txt", edits })),
      reply(callTool("write_todos", { todos })),
      reply(say("done")),
    ],
    { cwd },
  );

  expect(io.stderrText()).toContain("  edit a.txt [1] → +2 −1\n");
  expect(io.stderrText()).toContain("    [x] Look\n    [x] Act\n");
});

test("the last line says what it took and which session it is", async () => {
  const { io } = await runScripted(
    ["prompt"],
    [
      reply(callTool("ls", {}), usage({ inputTokens: 1200, outputTokens: 30 })),
      reply(say("done"), usage({ inputTokens: 1300, outputTokens: 4 })),
    ],
  );

  expect(io.stderrText()).toMatch(/\ncapstan: 2,500 tokens in, 34 out; session [0-9a-v]{16}\n$/);
});

test("on a terminal notes are dim, unless NO_COLOR is set or the terminal is dumb", async () => {
  const cwd = await temporaryFolder();
  const environments = [{}, { NO_COLOR: "" }, { NO_COLOR: "1" }, { TERM: "dumb" }];
  const ios = environments.map((env) => memoryIo({ cwd, env, isTTY: true }));
  const pipe = memoryIo({ cwd });

  await Promise.all([...ios, pipe].map((io) => run(["--offline", "folder"], io)));

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
  const onTerminal = { stdout: { isTTY: true, write: (text: string) => void shown.push(text) } };
  const shown: string[] = [];

  await runScripted(["prompt"], script, onTerminal);
  const { io: pipe } = await runScripted(["prompt"], script);

  expect(shown.join("")).toBe("[31mred 2J\ttext\n");
  expect(pipe.stdoutText()).toBe("\u001b[31mred\u0007 \u009b2J\ttext\r\n");
  expect(pipe.stderrText()).toContain("• read ]0;titlea b\n");
});

test("a turn that fails is explained on stderr and exits with 1", async () => {
  const { io, exitCode } = await runScripted(
    ["prompt"],
    [failBefore(new Error("the model is gone"))],
  );

  expect(exitCode).toBe(1);
  expect(io.stderrText()).toContain("capstan: the turn failed: the model is gone\n");
  expect(io.stdoutText()).toBe("");
});

test("a turn that is cut short by the model's limit exits with 3, and the reason is shown", async () => {
  const { io, exitCode } = await runScripted(
    ["prompt"],
    [reply(say("Once upon"), finish("length"))],
  );

  expect(exitCode).toBe(3);
  expect(io.screen()).toMatch(/\nOnce upon\ncapstan: the turn ended early: length\n/);
});

test("a session that is too long for its model exits with 3, and says what to do", async () => {
  const overflow = new ProviderError("context_overflow", "prompt is too long");
  const { io, exitCode } = await runScripted(
    ["prompt"],
    [failBefore(overflow), failBefore(overflow)],
  );

  expect(exitCode).toBe(3);
  expect(io.stderrText()).toContain(
    "capstan: the turn ended early: context-exhausted. The conversation is too long",
  );
  expect(io.stderrText()).toContain("start a new session");
});

test("a model that goes in circles is stopped by the limit of steps", async () => {
  const circling: ProviderContract = {
    id: "circling",
    contextWindow: 1_000_000,
    async *stream({ tools }) {
      if ((tools ?? []).length > 0) {
        yield { type: "toolcall_start", index: 0, name: "ls" };
        yield { type: "toolcall_end", index: 0, input: {} };
        yield { type: "finish", reason: "tool-calls" };
        return;
      }
      yield { type: "text_delta", delta: "I give up." };
      yield { type: "finish", reason: "stop" };
    },
  };

  const io = memoryIo({ env: { CAPSTAN_MAX_STEPS: "5" }, chooseModel: choosing(circling) });
  const exitCode = await run(["prompt"], io);

  expect(exitCode).toBe(3);
  expect(io.stderrText()).toContain("\ncapstan: the turn ended early: max-steps\n");
});

test("an aborted turn ends its line, is recorded, and exits with the code of the signal", async () => {
  const controller = new AbortController();
  const hanging: ProviderContract = {
    id: "hanging",
    contextWindow: 1_000_000,
    async *stream({ signal }) {
      yield { type: "text_delta", delta: "Let me" };
      controller.abort();
      await new Promise((_, reject) => signal.addEventListener("abort", reject));
    },
  };
  const io = memoryIo({
    signal: controller.signal,
    interruptedCode: () => 143,
    chooseModel: choosing(hanging),
  });

  const exitCode = await run(["prompt"], io);
  const later = memoryIo({ home: io.home });
  await run(["sessions", "list"], later);

  expect(exitCode).toBe(143);
  expect(io.screen()).toMatch(/\nLet me\ncapstan: interrupted\n/);
  expect(later.stdoutText()).toMatch(/^\w{16}  just now  done        prompt\n$/);
});

test("with -p stdout has the last answer alone: no narration, and nothing of a discarded attempt", async () => {
  const { io, exitCode } = await runScripted(
    ["-p", "prompt"],
    [
      reply(say("I look."), callTool("ls", {})),
      failAfter(say("The answer is 4"), "overloaded"),
      reply(say("The answer is 42.")),
    ],
  );

  expect(exitCode).toBe(0);
  expect(io.stdoutText()).toBe("The answer is 42.\n");
  expect(io.stderrText()).toContain("I look.\n");
});

test("with -p a turn that fails leaves stdout empty", async () => {
  const { io, exitCode } = await runScripted(
    ["-p", "prompt"],
    [failAfter(say("Half an ans"), new Error("gone"))],
  );

  expect(exitCode).toBe(1);
  expect(io.stdoutText()).toBe("");
});
