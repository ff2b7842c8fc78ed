import { readFile } from "node:fs/promises";
import type { SandboxMode } from "@capstan/toolset";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSession } from "../collect-events.ts";
import type { Stage } from "./stage.ts";
import { hasSandbox, openStage, sandboxNote } from "./stage.ts";

const text = await readFile(new URL("escapes.tsv", import.meta.url), "utf8");
const rows = text
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => {
    const [mode = "", what = "", command = "", why = ""] = line.split("\t");
    return { mode, what, command, why };
  });
const modes: readonly SandboxMode[] = ["write", "strict"];
const groups = modes.flatMap((mode) => {
  const own = rows.filter((row) => row.mode === mode || row.mode === "both");
  return [...Map.groupBy(own, ({ why }) => why)].map(([why, attempts]) => ({
    mode,
    why,
    attempts,
  }));
});

/** Commands that a sandbox must stop, and that reach only the stage itself without one. */
const controls = [
  ['echo x > "$OUT/new"', "changed what is outside or protected"],
  ["echo x > link-file", "changed what is outside or protected"],
  ["echo x >> .git/config", "changed what is outside or protected"],
  ["echo x > .envrc", "changed what is outside or protected"],
  ['cat "$CONFIG/key.txt"', "told sk-stage-config"],
  ['tr "\\0" "\\n" < /proc/$VICTIM/environ', "told sk-stage-victim"],
  ['exec 7<>"/dev/tcp/127.0.0.1/$PORT"', "connected"],
  [
    "perl -MSocket -e 'socket S, PF_UNIX, SOCK_STREAM, 0; connect S, sockaddr_un($ENV{SOCK})'",
    "connected",
  ],
] as const;

describe.skipIf(!hasSandbox)(`commands that try to leave their sandbox${sandboxNote}`, () => {
  const stages: Stage[] = [];
  beforeAll(async () => {
    for (const _ of [1, 2, 3]) stages.push(await openStage());
  }, 60_000);
  afterAll(async () => {
    for (const stage of stages) await stage.close();
  });

  test("are at least 300, each with a reason", () => {
    expect(new Set(rows.map(({ command }) => command)).size).toBeGreaterThanOrEqual(300);
    expect(rows.filter(({ why, what }) => why === "" || what === "")).toEqual([]);
    expect(rows.filter(({ mode }) => !["both", "write", "strict"].includes(mode))).toEqual([]);
  });

  test.each(controls)("without one, %s is noticed", async (command, expected) => {
    const { call } = openSession();

    expect(await stages[0]?.attempt(call, undefined, command)).toContain(expected);
  });

  test.each(groups)("in $mode: $why", { timeout: 180_000 }, async ({ mode, attempts }) => {
    const { call } = openSession();
    const waiting = [...attempts];
    const through: string[] = [];
    const work = async (stage: Stage): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const done = await stage.attempt(call, mode, next.command);
        if (done.length > 0) through.push(`${next.command}: ${done.join(", ")}`);
      }
    };
    await Promise.all(stages.map(work));

    expect(through).toEqual([]);
  });
});
