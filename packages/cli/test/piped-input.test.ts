import { manualClock, reply, say } from "@capstan/testing";
import { expect, test } from "vitest";
import type { Input } from "../src/process/io.ts";
import { inputOf } from "./memory-io.ts";
import { runScripted } from "./scripted-io.ts";

const script = [reply(say("ok"))];

test("what is piped in goes along with the prompt, as a part of its own between marks", async () => {
  const stdin = inputOf(["one\ntw", "o\n"]);

  const { provider } = await runScripted(["Review", "this"], script, { stdin });

  expect(provider.requests[0]?.messages.at(-1)).toMatchObject({
    content: [
      { type: "text", text: "Review this" },
      { type: "text", text: "<stdin>\none\ntwo\n</stdin>" },
    ],
  });
});

test("without a prompt it is the prompt", async () => {
  const stdin = inputOf(["What is ", "new?"], "file");

  const { provider, exitCode } = await runScripted([], script, { stdin });

  expect(exitCode).toBe(0);
  expect(provider.requests[0]?.messages.at(-1)).toMatchObject({ content: "What is new?" });
});

test("an empty pipe is none", async () => {
  const [empty, blank] = [inputOf([]), inputOf([" \n"])];

  const alone = await runScripted([], script, { stdin: empty });
  const { provider } = await runScripted(["prompt"], script, { stdin: blank });

  expect(alone.exitCode).toBe(2);
  expect(alone.io.stderrText()).toMatch(/^Usage: capstan/);
  expect(provider.requests[0]?.messages.at(-1)).toMatchObject({ content: "prompt" });
});

test.each([
  ["bytes that are no UTF-8", new Uint8Array([0x61, 0xff, 0x62])],
  ["a NUL", "a\0b"],
])("%s are refused", async (_, bytes) => {
  const stdin = inputOf([bytes]);

  const { io, exitCode } = await runScripted(["prompt"], script, { stdin });

  expect(exitCode).toBe(2);
  expect(io.stderrText()).toContain("Piped input is not UTF-8 text");
});

test("more than 10 MB are refused, and not read to the end", async () => {
  const chunk = new Uint8Array(1_000_000).fill(0x61);
  const endless: Input = {
    kind: "pipe",
    async *read() {
      for (;;) yield chunk;
    },
  };

  const { io, exitCode } = await runScripted(["prompt"], script, { stdin: endless });

  expect(exitCode).toBe(2);
  expect(io.stderrText()).toContain("Piped input exceeds 10 MB");
});

test("a socket on which nothing comes does not hold a prompt up", async () => {
  const clock = manualClock();
  const silent: Input = {
    kind: "socket",
    async *read() {
      // Never written to.
      queueMicrotask(() => void clock.advance(1_000));
      await new Promise(() => {});
      yield new Uint8Array();
    },
  };

  const { io, provider } = await runScripted(["prompt"], script, { stdin: silent, clock });

  expect(provider.requests[0]?.messages.at(-1)).toMatchObject({ content: "prompt" });
  expect(io.stderrText()).toContain("no input on stdin: continuing with the prompt alone\n");
});

test("a pipe that does not end is waited for, and the note says how to start without it", async () => {
  const clock = manualClock();
  const controller = new AbortController();
  const open: Input = {
    kind: "pipe",
    async *read() {
      await clock.advance(3_000);
      controller.abort();
      await new Promise(() => {});
      yield new Uint8Array();
    },
  };

  const { io, provider } = await runScripted(["prompt"], script, {
    stdin: open,
    clock,
    signal: controller.signal,
  });

  expect(provider.requests).toEqual([]);
  expect(io.stderrText()).toContain(
    "capstan: reading stdin until it ends; to start without it, add < /dev/null\n",
  );
});

test("an interruption ends the wait for a pipe that does not end", async () => {
  const controller = new AbortController();
  const endless: Input = {
    kind: "pipe",
    async *read() {
      yield new Uint8Array([0x61]);
      controller.abort();
      await new Promise(() => {});
    },
  };

  const { exitCode, provider } = await runScripted(["prompt"], script, {
    stdin: endless,
    signal: controller.signal,
  });

  expect({ exitCode, requests: provider.requests }).toEqual({ exitCode: 130, requests: [] });
});
