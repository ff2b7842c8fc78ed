/** An `Io` without a terminal or a process: what is written is kept. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@capstan/core";
import { onTestFinished } from "vitest";
import type { Input, Io } from "../src/process/io.ts";

export interface MemoryIo extends Io {
  stdoutText(): string;
  stderrText(): string;
  /** Both, in the order in which they were written. */
  screen(): string;
}

/** Each has an empty home, and with it a store of its own, unless they are given the same one. */
export function memoryIo(changes: Partial<Io> & { readonly isTTY?: boolean } = {}): MemoryIo {
  const { isTTY = false, home = temporaryHome(), ...others } = changes;
  const written: { readonly to: "stdout" | "stderr"; readonly text: string }[] = [];
  const textOf = (to: string): string =>
    written
      .filter((write) => write.to === to)
      .map(({ text }) => text)
      .join("");
  return {
    stdin: noInput,
    stdout: { isTTY, write: (text) => written.push({ to: "stdout", text }) },
    stderr: { isTTY, write: (text) => written.push({ to: "stderr", text }) },
    env: {},
    platform: "linux",
    home,
    cwd: home,
    signal: new AbortController().signal,
    interruptedCode: () => 130,
    clock: systemClock,
    ...others,
    stdoutText: () => textOf("stdout"),
    stderrText: () => textOf("stderr"),
    screen: () => written.map(({ text }) => text).join(""),
  };
}

const noInput: Input = { kind: "none", read: () => inputOf([]).read() };

/** Piped input. */
export function inputOf(
  chunks: readonly (string | Uint8Array)[],
  kind: Input["kind"] = "pipe",
): Input {
  return {
    kind,
    async *read() {
      for (const chunk of chunks) {
        yield typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk;
      }
    },
  };
}

/** An empty folder, by its real path, that is gone after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "capstan-cli-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function temporaryHome(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "capstan-home-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
