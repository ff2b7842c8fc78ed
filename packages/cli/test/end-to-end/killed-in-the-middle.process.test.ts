import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ScriptItem } from "@capstan/testing";
import { reply, say, stall } from "@capstan/testing";
import type { EmulatedRequest } from "@capstan/testing/emulators";
import { describe, expect, test } from "vitest";
import { openDesk } from "./desk.ts";
import { processEnded } from "./process-ended.ts";
import { protocols } from "./protocols.ts";
import {
  allowed,
  answer,
  bash,
  check,
  close,
  find,
  fix,
  fixed,
  look,
  plan,
  prompt,
  tell,
  watchCommand,
} from "./task.ts";

const original = await readFile(join(import.meta.dirname, "project/src/basket.js"), "utf8");
const alsoWatch = [...allowed, "--allow", `bash(${watchCommand})`];

/** Last message to the model, and its reply. */
function seeing(seen: string[], item: ScriptItem) {
  return ({ messages }: EmulatedRequest): ScriptItem => {
    seen.push(JSON.stringify(messages.at(-1)));
    return item;
  };
}

describe.each(protocols)("over $name", (protocol) => {
  test("killed while a command runs: --continue finishes, and the command is not run again", async () => {
    const seen: string[] = [];
    const desk = await openDesk(protocol, [
      plan,
      reply(look, fix),
      bash(watchCommand),
      seeing(seen, check),
      close,
      tell,
    ]);
    const killed = desk.capstan(...alsoWatch, prompt);
    const pid = Number(await desk.written("watch.log"));

    killed.child.kill("SIGKILL");
    await killed.ended;
    await processEnded(pid);
    const resumed = desk.capstan("--continue", ...alsoWatch);
    const { exitCode } = await resumed.ended;

    expect(exitCode).toBe(0);
    expect(resumed.stdout()).toBe(`${answer}\n`);
    expect(seen).toEqual([expect.stringMatching(/unknown/)]);
    expect(await desk.read("watch.log")).toBe(`${pid}\n`);
    expect(await desk.read("runs.log")).toBe("run\n");
    expect(await desk.read("src/basket.js")).toBe(fixed(original));
    expect(desk.service.refusals).toEqual([]);
    expect(() => desk.service.assertComplete()).not.toThrow();
  });

  test("killed while a reply comes: --continue asks again, and goes on from there", async () => {
    const halfReply = reply(say(["Now I ", "change"]), stall());
    const desk = await openDesk(protocol, [plan, find, look, halfReply, fix, check, close, tell]);
    const killed = desk.capstan(...allowed, prompt);
    await killed.seen("Now I change");

    killed.child.kill("SIGKILL");
    await killed.ended;
    const resumed = desk.capstan("--continue", ...allowed);
    const { exitCode } = await resumed.ended;

    expect(exitCode).toBe(0);
    expect(resumed.stdout()).toBe(`${answer}\n`);
    expect(await desk.read("src/basket.js")).toBe(fixed(original));
    expect(await desk.read("runs.log")).toBe("run\n");
    expect(desk.service.refusals).toEqual([]);
    expect(() => desk.service.assertComplete()).not.toThrow();
    const [half, again] = desk.service.requests.slice(3).map(({ body }) => JSON.stringify(body));
    expect(again).toBe(half);
  });

  test("killed twice in one session: nothing that was done is done again", async () => {
    const desk = await openDesk(protocol, [
      plan,
      reply(look, fix),
      reply(say("Half a word"), stall()),
      check,
      bash(watchCommand),
      close,
      tell,
    ]);
    const first = desk.capstan(...alsoWatch, prompt);
    await first.seen("Half a word");
    first.child.kill("SIGKILL");
    await first.ended;
    const second = desk.capstan("--continue", ...alsoWatch);
    const pid = Number(await desk.written("watch.log"));
    second.child.kill("SIGKILL");
    await second.ended;
    await processEnded(pid);

    const third = desk.capstan("--continue", ...alsoWatch);
    const { exitCode } = await third.ended;

    expect(exitCode).toBe(0);
    expect(third.stdout()).toBe(`${answer}\n`);
    expect(await desk.read("watch.log")).toBe(`${pid}\n`);
    expect(await desk.read("runs.log")).toBe("run\n");
    expect(await desk.read("src/basket.js")).toBe(fixed(original));
    expect(desk.service.refusals).toEqual([]);
  });
});
