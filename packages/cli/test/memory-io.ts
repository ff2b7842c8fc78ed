/** An `Io` without a terminal or a process: what is written is kept. */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { manualClock, sequentialIds } from "@capstan/testing";
import { onTestFinished } from "vitest";
import type { Io } from "../src/io.ts";

export interface MemoryIo extends Io {
  stdoutText(): string;
  stderrText(): string;
  /** Both, in the order in which they were written. */
  screen(): string;
}

export function memoryIo(changes: Partial<Io> & { readonly isTTY?: boolean } = {}): MemoryIo {
  const { isTTY = false, ...others } = changes;
  const written: { readonly to: "stdout" | "stderr"; readonly text: string }[] = [];
  const textOf = (to: string): string =>
    written
      .filter((write) => write.to === to)
      .map(({ text }) => text)
      .join("");
  const clock = manualClock();
  return {
    stdout: { isTTY, write: (text) => written.push({ to: "stdout", text }) },
    stderr: { isTTY, write: (text) => written.push({ to: "stderr", text }) },
    env: {},
    cwd: "/",
    signal: new AbortController().signal,
    now: clock.now,
    timer: clock.timer,
    newId: sequentialIds(),
    ...others,
    stdoutText: () => textOf("stdout"),
    stderrText: () => textOf("stderr"),
    screen: () => written.map(({ text }) => text).join(""),
  };
}

/** An empty folder, by its real path, that is gone after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "capstan-cli-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
