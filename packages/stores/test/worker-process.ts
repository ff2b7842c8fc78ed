/** The parent's side of `store-worker.ts`. */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface WorkerOptions {
  readonly kind: string;
  readonly where: string;
  readonly task: string;
  readonly session?: string;
  /** Whose process it is to be. */
  readonly uid?: number;
}

export class WorkerProcess {
  readonly child: ChildProcess;
  /** Reports received so far. */
  readonly lines: string[] = [];
  readonly #ended: Promise<unknown>;
  readonly #waiting = new Set<() => void>();
  errors = "";

  constructor({ kind, where, task, session = "s", uid }: WorkerOptions) {
    const script = fileURLToPath(new URL("./store-worker.ts", import.meta.url));
    const args = ["--conditions=@capstan/source", script, kind, where, session, task];
    this.child = spawn(process.execPath, args, {
      stdio: ["ignore", "pipe", "pipe"],
      ...(uid === undefined ? {} : { uid, gid: uid, cwd: "/" }),
    });
    // `close` comes when everything that it told has arrived.
    this.#ended = once(this.child, "close");
    const { stdout, stderr } = this.child;
    if (stdout === null || stderr === null) throw new Error("the worker has no pipes");
    stderr.setEncoding("utf8").on("data", (text: string) => {
      this.errors += text;
    });
    createInterface(stdout).on("line", (line) => {
      this.lines.push(line);
      for (const look of this.#waiting) look();
    });
  }

  /** When it has told so much. Fails if it ends before. */
  async told(count: number): Promise<void> {
    const enough = new Promise<void>((resolve) => {
      const look = (): void => {
        if (this.lines.length >= count) resolve();
      };
      this.#waiting.add(look);
      look();
    });
    await Promise.race([enough, this.ended()]);
    if (this.lines.length >= count) return;
    throw new Error(`the worker told ${this.lines.length} lines and ended: ${this.errors}`);
  }

  async ended(): Promise<void> {
    await this.#ended;
  }

  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.#ended;
  }
}
