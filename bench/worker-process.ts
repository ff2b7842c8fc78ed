/** The parent's side of a worker: one question at a time, and one answer. */
import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { join } from "node:path";
import type { Pace } from "./bench.ts";
import type { Subject } from "./subject.ts";
import type { Answer, Ask } from "./worker.ts";

export class WorkerProcess implements Disposable {
  readonly subject: Subject;
  readonly workload: string;
  readonly #label: string;
  readonly #child: ChildProcess;

  constructor(bench: string, subject: Subject, workload: string) {
    this.subject = subject;
    this.workload = workload;
    this.#label = `${bench}, ${subject.name}, ${workload}`;
    this.#child = fork(join(import.meta.dirname, "worker.ts"), [bench, subject.name, workload], {
      execArgv: ["--expose-gc", "--conditions=@capstan/source"],
    });
  }

  async warmUp(pace: Pace): Promise<void> {
    await this.#ask({ type: "warm-up", pace });
  }

  /** CPU microseconds per unit. */
  round(pace: Pace): Promise<number> {
    return this.#ask({ type: "round", pace });
  }

  probe(name: string): Promise<number> {
    return this.#ask({ type: "probe", name });
  }

  [Symbol.dispose](): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  #ask(ask: Ask): Promise<number> {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      const onExit = (code: number | null): void =>
        settle(() => reject(new Error(`${this.#label}: the process ended with ${code}`)));
      const onMessage = (answer: Answer): void =>
        settle(() => {
          if (answer.type === "value") resolve(answer.value);
          else reject(new Error(`${this.#label}: ${answer.message}`));
        });
      const settle = (then: () => void): void => {
        child.off("exit", onExit);
        child.off("message", onMessage);
        then();
      };
      child.on("exit", onExit);
      child.on("message", onMessage);
      child.send(ask, (error) => {
        if (error !== null) settle(() => reject(error));
      });
    });
  }
}
