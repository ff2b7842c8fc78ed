// Worker processes, and what can be done to them.

import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { join } from "node:path";
import type { Order, WorkerMessage, WorkerSettings } from "./worker.ts";

export interface FleetOptions {
  readonly settings: WorkerSettings;
  readonly size: number;
  onMessage(message: Extract<WorkerMessage, { readonly turnId: string }>): void;
}

export class Fleet {
  readonly #options: FleetOptions;
  readonly #workers: ChildProcess[] = [];
  readonly #errors: string[] = [];
  /** The worker that has each order, until nothing more comes of it. */
  readonly #given = new Map<number, ChildProcess>();

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  /** What workers have written to stderr: nothing, if all is well. */
  get errors(): readonly string[] {
    return this.#errors;
  }

  async start(): Promise<void> {
    await Promise.all(Array.from({ length: this.#options.size }, () => this.#spawn()));
  }

  /** To one of them; false if it is dying. */
  give(order: Order, random: () => number): boolean {
    const worker = this.#pick(random);
    if (worker?.connected !== true || !worker.send(order, () => {})) return false;
    this.#given.set(order.n, worker);
    return true;
  }

  /** Whether a worker may still act on this order. */
  isUnderWay(n: number): boolean {
    return this.#given.has(n);
  }

  /** Kills one as if the power had failed, and starts another in its place. */
  async kill(random: () => number): Promise<void> {
    const worker = this.#pick(random);
    if (worker === undefined) return;
    await this.#end(worker);
    await this.#spawn();
  }

  /** Lets one stand still for so long, in the middle of whatever it does. */
  async freeze(ms: number, random: () => number): Promise<void> {
    const worker = this.#pick(random);
    worker?.kill("SIGSTOP");
    await new Promise((resolve) => setTimeout(resolve, ms));
    worker?.kill("SIGCONT");
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#workers].map((worker) => this.#end(worker)));
  }

  async #end(worker: ChildProcess): Promise<void> {
    this.#workers.splice(this.#workers.indexOf(worker), 1);
    await this.#kill(worker);
    for (const [n, one] of this.#given) if (one === worker) this.#given.delete(n);
  }

  async #kill(worker: ChildProcess): Promise<void> {
    if (worker.exitCode !== null) {
      this.#errors.push(`A worker ended by itself, with ${worker.exitCode}`);
      return;
    }
    const gone = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
    worker.kill("SIGKILL");
    await gone;
  }

  #pick(random: () => number): ChildProcess | undefined {
    return this.#workers[Math.floor(random() * this.#workers.length)];
  }

  #spawn(): Promise<void> {
    const { settings, onMessage } = this.#options;
    const worker = fork(join(import.meta.dirname, "worker.ts"), [JSON.stringify(settings)], {
      execArgv: ["--conditions=@capstan/source", "--no-warnings"],
      stdio: ["ignore", "inherit", "pipe", "ipc"],
    });
    worker.stderr?.on("data", (chunk: Buffer) => this.#errors.push(chunk.toString()));
    this.#workers.push(worker);
    return new Promise((resolve, reject) => {
      worker.once("exit", () =>
        reject(new Error(`A worker ended by itself: ${this.#errors.join("")}`)),
      );
      worker.on("message", (message: WorkerMessage) => {
        if (message.type === "ready") resolve();
        else if (message.type === "over") this.#given.delete(message.n);
        else onMessage(message);
      });
    });
  }
}
