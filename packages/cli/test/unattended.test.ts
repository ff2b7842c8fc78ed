/** Without a user to try again, the command waits for a vendor that is overloaded or out of reach. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ScriptItem } from "@capstan/testing";
import { failBefore, reply, say, stall } from "@capstan/testing";
import { expect, test } from "vitest";
import { createTextPrinter } from "../src/print/text-printer.ts";
import { memoryIo } from "./memory-io.ts";
import type { ScriptedRun } from "./scripted-io.ts";
import { runScripted } from "./scripted-io.ts";

/** Runs a prompt with these settings of the user. */
async function runWith(script: readonly ScriptItem[], settings: object): Promise<ScriptedRun> {
  const { home } = memoryIo();
  await mkdir(join(home, ".config/capstan"), { recursive: true });
  await writeFile(join(home, ".config/capstan/config.json"), JSON.stringify(settings));
  return runScripted(["prompt"], script, { home });
}

const failing = (count: number): readonly ScriptItem[] =>
  Array.from({ length: count }, () => failBefore("overloaded"));

test("a vendor that is overloaded is asked again and again", async () => {
  const retry = { baseDelayMs: 1, maxDelayMs: 1 };

  const { exitCode, io } = await runWith([...failing(8), reply(say("At last."))], { retry });

  expect(exitCode).toBe(0);
  expect(io.stdoutText()).toBe("At last.\n");
  expect(io.stderrText().match(/^capstan: retrying: .+$/gm)).toHaveLength(8);
});

test("the user's settings limit that", async () => {
  const retry = { maxTotalMs: 0 };

  const { exitCode, provider } = await runWith(failing(9), { retry });

  expect(exitCode).toBe(1);
  expect(provider.requests).toHaveLength(1);
});

test("stderr says how long it is waited for, and why", () => {
  const io = memoryIo();
  const { onEvent } = createTextPrinter(io);
  const ids = { sessionId: "s", turnId: "t" };
  const error = { name: "ProviderError", message: "anthropic: overloaded" };

  onEvent(
    { type: "attempt_discarded", ...ids, step: 1, attempt: 1, error, delayMs: 20_300 },
    { seq: 1, n: 0 },
  );

  expect(io.stderrText()).toBe("capstan: waiting 20 s, then retrying: anthropic: overloaded\n");
});

test("the error of a silent vendor names the key of the setting, which takes effect", async () => {
  const { exitCode, io } = await runWith([stall()], {
    deadlines: { firstPartMs: 50 },
    retry: { maxAttempts: 1 },
  });

  expect(exitCode).toBe(1);
  expect(io.stderrText()).toContain("no first part within 50 ms");
  expect(io.stderrText()).toContain("raise deadlines.firstPartMs");
});
