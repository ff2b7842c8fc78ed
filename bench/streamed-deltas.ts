/** Deltas that a subject streams over HTTP to a client in a process of its own. */
import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Workload } from "./bench.ts";
import type { DeltaServer } from "./subject.ts";

const deltaCount = 5_000;
const delta = "abcd";

interface Read {
  readonly chars: number;
  /** Of the longest delta with a cursor of five digits. */
  readonly bytes: number;
}

export async function streamWorkload(
  name: string,
  serve: ((deltas: readonly string[]) => Promise<DeltaServer>) | undefined,
): Promise<Workload> {
  if (serve === undefined) throw new Error(`${name} serves no deltas`);
  const server = await serve(Array.from({ length: deltaCount }, () => delta));
  const client = fork(join(import.meta.dirname, "sse-client.mjs"));
  return {
    units: deltaCount,
    turns: 1,
    minWarmUpTurns: 30,
    async run() {
      const { chars } = await ask(client, server);
      if (chars !== deltaCount * delta.length) throw new Error(`${name} lost something: ${chars}`);
      await server.forget?.();
    },
    probes: { bytes: async () => (await ask(client, server)).bytes },
  };
}

async function ask(client: ChildProcess, { url, init }: DeltaServer): Promise<Read> {
  client.send({ url, init });
  const [found] = (await once(client, "message")) as [Read | { readonly failure: string }];
  if ("failure" in found) throw new Error(found.failure);
  return found;
}
