/** The parent's side of `capacity-worker.ts`. */
import { fork } from "node:child_process";
import { join } from "node:path";
import type { CapacityOrder } from "./capacity-worker.ts";

/** So many at once. Gives what each tells. */
export async function askWorkers(count: number, order: CapacityOrder): Promise<number[]> {
  const workers = Array.from({ length: count }, (_, index) => start({ ...order, index }));
  await Promise.all(workers.map(({ ready }) => ready));
  return Promise.all(workers.map(({ ask }) => ask()));
}

interface Worker {
  readonly ready: Promise<unknown>;
  ask(): Promise<number>;
}

function start(order: CapacityOrder & { readonly index: number }): Worker {
  const child = fork(join(import.meta.dirname, "capacity-worker.ts"), [JSON.stringify(order)], {
    execArgv: ["--conditions=@capstan/source", "--no-warnings", "--expose-gc"],
  });
  const next = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      child.once("message", resolve);
      child.once("exit", (code) => reject(new Error(`A worker ended with ${code}`)));
    });
  return {
    ready: next(),
    async ask() {
      const told = next();
      child.send("go");
      // It tells a number.
      return (await told) as number;
    },
  };
}
