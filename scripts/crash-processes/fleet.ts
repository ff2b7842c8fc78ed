// Worker processes, and what can be done to them.

import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Order, WorkerMessage, WorkerSettings } from "./worker.ts";

export interface FleetOptions {
  readonly settings: Omit<WorkerSettings, "leaseMs">;
  readonly size: number;
  /** Lease length of the next worker. */
  leaseMs(): number;
  /** How long the oldest worker is not killed, so that one lives long enough to find others dead. Default 0. */
  readonly spareMs?: number;
  onMessage(message: Extract<WorkerMessage, { readonly turnId: string }>): void;
}

interface Worker {
  readonly child: ChildProcess;
  readonly leaseMs: number;
  readonly startedAt: number;
}

/** How far beyond its lease a worker is stopped. */
const pastLease = 1.5;

export class Fleet {
  readonly #options: FleetOptions;
  /** From the oldest to the newest. */
  readonly #workers: Worker[] = [];
  readonly #errors: string[] = [];
  /** The worker that has each order, until nothing more comes of it. */
  readonly #given = new Map<number, ChildProcess>();
  #takeovers = 0;

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  /** What workers have written to stderr, and which of them ended by themselves: nothing, if all is well. */
  get errors(): readonly string[] {
    return this.#errors;
  }

  /** How often a worker ended the leases of processes whose connection had ended, before their time was over. */
  get takeovers(): number {
    return this.#takeovers;
  }

  get pids(): readonly number[] {
    return this.#workers.flatMap(({ child: { pid } }) => pid ?? []);
  }

  async start(): Promise<void> {
    await Promise.all(Array.from({ length: this.#options.size }, () => this.#spawn()));
  }

  /** To one of them; false if it is dying. */
  give(order: Order, random: () => number): boolean {
    const child = pick(this.#workers, random)?.child;
    if (child?.connected !== true || !child.send(order, () => {})) return false;
    this.#given.set(order.n, child);
    return true;
  }

  /** Whether a worker may still act on this order. */
  isUnderWay(n: number): boolean {
    return this.#given.has(n);
  }

  /** Kills one as if the power had failed, and starts another in its place, and in that of each that ended by itself. */
  async kill(random: () => number): Promise<void> {
    const worker = pick(this.#unspared(), random);
    if (worker !== undefined) await this.#end(worker);
    while (this.#workers.length < this.#options.size) await this.#spawn();
  }

  /** Stops one past its lease, in the middle of whatever it does. False if none has such a short lease. */
  async freeze(longestLeaseMs: number, random: () => number): Promise<boolean> {
    const worker = pick(
      this.#workers.filter(({ leaseMs }) => leaseMs <= longestLeaseMs),
      random,
    );
    if (worker === undefined) return false;
    const { child, leaseMs } = worker;
    child.kill("SIGSTOP");
    await new Promise((resolve) => setTimeout(resolve, leaseMs * pastLease));
    child.kill("SIGCONT");
    return true;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#workers].map((worker) => this.#end(worker)));
  }

  #unspared(): readonly Worker[] {
    const [oldest, ...others] = this.#workers;
    const { spareMs = 0 } = this.#options;
    const isSpared = oldest !== undefined && performance.now() - oldest.startedAt < spareMs;
    return isSpared && others.length > 0 ? others : this.#workers;
  }

  async #end(worker: Worker): Promise<void> {
    const { child } = worker;
    this.#forget(worker);
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    const [code, signal] = (await gone) as [number | null, NodeJS.Signals | null];
    // It may have ended by itself a moment before.
    if (signal !== "SIGKILL") this.#report(child, signal ?? code);
  }

  #report({ pid }: ChildProcess, end: NodeJS.Signals | number | null): void {
    this.#errors.push(`Worker ${pid} ended by itself, with ${end}`);
  }

  #forget(worker: Worker): void {
    const index = this.#workers.indexOf(worker);
    if (index >= 0) this.#workers.splice(index, 1);
    for (const [n, child] of this.#given) if (child === worker.child) this.#given.delete(n);
  }

  #spawn(): Promise<void> {
    const { settings, onMessage } = this.#options;
    const leaseMs = this.#options.leaseMs();
    const given: WorkerSettings = { ...settings, leaseMs };
    const child = fork(join(import.meta.dirname, "worker.ts"), [JSON.stringify(given)], {
      execArgv: ["--conditions=@capstan/source", "--no-warnings"],
      stdio: ["ignore", "inherit", "pipe", "ipc"],
    });
    child.stderr?.on("data", (chunk: Buffer) => this.#errors.push(chunk.toString()));
    const worker = { child, leaseMs, startedAt: performance.now() };
    this.#workers.push(worker);
    return new Promise((resolve, reject) => {
      child.once("exit", (code, signal) => {
        // Only the fleet kills, and it forgets a worker before that.
        if (!this.#workers.includes(worker)) return;
        this.#forget(worker);
        this.#report(child, signal ?? code);
        reject(new Error(this.#errors.join("\n")));
      });
      child.on("message", (message: WorkerMessage) => {
        if (message.type === "ready") resolve();
        else if (message.type === "over") this.#given.delete(message.n);
        else if (message.type === "takeover") this.#takeovers += 1;
        else onMessage(message);
      });
    });
  }
}

function pick(workers: readonly Worker[], random: () => number): Worker | undefined {
  return workers[Math.floor(random() * workers.length)];
}
