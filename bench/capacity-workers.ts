/** The parent's side of `capacity-worker.ts`. */
import { fork } from "node:child_process";
import { join } from "node:path";
import type { CapacityOrder, CapacityReport } from "./capacity-worker.ts";

/** Starts so many at once. `onWarm` is called when all have warmed up. Gives what each tells. */
export async function askWorkers(
  count: number,
  order: CapacityOrder,
  onWarm: () => Promise<void> = async () => {},
): Promise<CapacityReport[]> {
  const workers = Array.from({ length: count }, (_, index) => start({ ...order, index }));
  await Promise.all(workers.map(({ ready }) => ready));
  await onWarm();
  return Promise.all(workers.map(({ ask }) => ask()));
}

interface Worker {
  readonly ready: Promise<unknown>;
  ask(): Promise<CapacityReport>;
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
      // The only message after the first.
      return (await told) as CapacityReport;
    },
  };
}
