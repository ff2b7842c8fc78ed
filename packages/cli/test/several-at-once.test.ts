/** Several commands on one session at the same moment. */
import type { ProviderContract } from "@capstan/kernel";
import type { ScriptItem } from "@capstan/testing";
import { callTool, reply, say, scriptedProvider } from "@capstan/testing";
import { expect, test, vi } from "vitest";
import type { Io } from "../src/process/io.ts";
import { run } from "../src/process/run.ts";
import type { MemoryIo } from "./memory-io.ts";
import { memoryIo } from "./memory-io.ts";
import { choosing, runScripted } from "./scripted-io.ts";

/** Commands with models that say nothing before they are let go. */
function heldCommands({ home, cwd }: Pick<Io, "home" | "cwd">, script: readonly ScriptItem[]) {
  const { promise, resolve: letGo } = Promise.withResolvers<void>();
  const start = (prompt: string) => {
    const provider = scriptedProvider(script);
    const holding: ProviderContract = {
      ...provider,
      async *stream(request) {
        await promise;
        yield* provider.stream(request);
      },
    };
    const io = memoryIo({ home, cwd, chooseModel: choosing(holding) });
    return { io, provider, ended: run(["-c", prompt], io) };
  };
  return { start, letGo };
}

const ascending = (one: number, other: number): number => one - other;
const waitsOf = (io: MemoryIo): number => io.stderrText().split("waiting for it").length - 1;

/** The first one works until it is let go, and three others wait for it. */
async function startFour(script: readonly ScriptItem[]) {
  const { io } = await runScripted(["first"], [reply(say("one"))]);
  const one = heldCommands(io, script);
  const first = one.start("second");
  await vi.waitFor(async () => {
    const list = memoryIo({ home: io.home, cwd: io.cwd });
    await run(["sessions"], list);
    expect(list.stdoutText()).toContain("unfinished");
  });
  const three = heldCommands(io, script);
  const others = ["third", "fourth", "fifth"].map((prompt) => three.start(prompt));
  const waits = () => others.map((other) => waitsOf(other.io)).toSorted(ascending);
  await vi.waitFor(() => expect(waits()).toEqual([1, 1, 1]), { timeout: 10_000 });
  const exitCodes = () => Promise.all([first, ...others].map(({ ended }) => ended));
  return { one, three, others, waits, exitCodes };
}

test("prompts that wait for the same turn are all said and answered, one after the other", async () => {
  const { one, three, others, waits, exitCodes } = await startFour([reply(say("yes"))]);

  one.letGo();
  // All three have tried by now, and two were too late.
  await vi.waitFor(() => expect(waits()).toEqual([1, 2, 2]), { timeout: 10_000 });
  three.letGo();

  expect(await exitCodes()).toEqual([0, 0, 0, 0]);
  const requests = others.flatMap(({ provider }) => provider.requests);
  const sizes = requests.map(({ messages }) => messages.length).toSorted(ascending);
  expect(sizes).toEqual([5, 7, 9]);
});

test("a call that waits for a decision gets one from any of them, and none of them fails", async () => {
  const script = [reply(callTool("bash", { command: "ls" })), reply(say("without"))];
  const { one, three, others, exitCodes } = await startFour([...script, ...script]);

  three.letGo();
  one.letGo();

  expect(await exitCodes()).toEqual([4, 4, 4, 4]);
  const notes = others.map(({ io }) => io.stderrText()).join("");
  expect(notes).not.toContain("what was unfinished has failed");
});
