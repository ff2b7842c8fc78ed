/** A reply of 2,000 deltas a second below a long session, on a real terminal, while keys are pressed. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { median } from "../interleave.ts";
import { deltasOf } from "./deltas.ts";
import type { Pty } from "./pty.ts";
import { openPty } from "./pty.ts";

export interface StreamFigures {
  /** Share of a core, of the whole process. */
  readonly corePercent: number;
  /** Bytes written for each byte of the text. */
  readonly bytesRatio: number;
  /** Milliseconds from a key to its letter in the output. */
  readonly keyMs: number;
  readonly echoMs: number;
}

/** Letters that are in no other text. */
const letters = Array.from("абвгдежзийклмнопрстуфхцчшщъыьэю");
const keyGapMs = 150;

export async function measureStream(home: string, seconds: number): Promise<StreamFigures> {
  const report = join(home, "report.json");
  const env = { ...process.env, HOME: home, B12_SECONDS: String(seconds), B12_REPORT: report };
  const program = join(import.meta.dirname, "program.ts");
  const terminal = openPty(
    ["--conditions=@capstan/source", program, "--continue", "--cwd", home],
    env,
  );
  const echo = openPty([join(import.meta.dirname, "echo.mjs")], env);
  try {
    await Promise.all([terminal.seen("paced ·"), echo.seen("ready")]);
    const before = terminal.bytes();
    const ended = terminal.seen("Я");
    terminal.write("go\r");
    await terminal.seen("The harbour");
    const keys: number[] = [];
    const echoes: number[] = [];
    for (const letter of letters) {
      keys.push(await press(terminal, letter));
      echoes.push(await press(echo, letter));
      await sleep(keyGapMs);
    }
    await ended;
    const bytes = terminal.bytes() - before;
    // The program has written it.
    const { cpuMs, wallMs } = JSON.parse(readFileSync(report, "utf8")) as {
      readonly cpuMs: number;
      readonly wallMs: number;
    };
    return {
      corePercent: (cpuMs / wallMs) * 100,
      bytesRatio: bytes / Buffer.byteLength(deltasOf(seconds).join("")),
      keyMs: median(keys),
      echoMs: median(echoes),
    };
  } finally {
    terminal.kill();
    echo.kill();
  }
}

async function press(pty: Pty, letter: string): Promise<number> {
  const seen = pty.seen(letter);
  const pressedAt = performance.now();
  pty.write(letter);
  return (await seen) - pressedAt;
}
