/** Runs a tree of sessions, or as many plain ones, in a process of its own, and says what that took. */
import type { Agent } from "@capstan/core";
import { agentTool, createAgent, createHost } from "@capstan/core";
import type { ProviderContract, ProviderPart, ProviderRequest } from "@capstan/kernel";
import { memoryRepository } from "@capstan/log";
import { setImmediate, setTimeout } from "node:timers/promises";
import { echoTool } from "@capstan/testing";

/** `tree`: a session and its children, followed as one. `plain`: as many sessions, each followed by itself. */
export type TreeKind = "tree" | "plain";

export interface TreeCost {
  /** CPU for all sessions, in microseconds. */
  readonly cpuUs: number;
  /** Live heap above that before, while all sessions are at work. */
  readonly heapBytes: number;
  readonly events: number;
}

const children = 100;
const toolSteps = 3;
const deltas = 100;
/** The compiler is done late: a tree runs code that plain sessions do not have. */
const warmUps = 60;
const runs = 20;

/** Called by every child at its last delta, in the run whose memory is measured. */
let onLast: (() => Promise<void>) | undefined;

/** Calls a tool in each of its first steps, and then says something. */
const worker: ProviderContract = {
  id: "worker",
  contextWindow: 1_000_000_000,
  async *stream({ step }: ProviderRequest): AsyncGenerator<ProviderPart> {
    await setImmediate();
    if (step <= toolSteps) {
      yield { type: "toolcall_start", index: 0, name: "echo" };
      yield { type: "toolcall_delta", index: 0, delta: '{"text":"x"}' };
      yield { type: "toolcall_end", index: 0 };
      yield { type: "finish", reason: "tool-calls" };
      return;
    }
    for (let n = 0; n < deltas; n += 1) yield { type: "text_delta", delta: "word " };
    await onLast?.();
    yield { type: "finish", reason: "stop" };
  },
};

/** Asks all children at once, if it has any, and then says something. */
function rootProvider(hasChildren: boolean): ProviderContract {
  return {
    id: "root",
    contextWindow: 1_000_000_000,
    async *stream({ step }: ProviderRequest): AsyncGenerator<ProviderPart> {
      await setImmediate();
      if (hasChildren && step === 1) {
        for (let index = 0; index < children; index += 1) {
          yield { type: "toolcall_start", index, name: "worker" };
          yield { type: "toolcall_delta", index, delta: `{"task":"${index}"}` };
          yield { type: "toolcall_end", index };
        }
        yield { type: "finish", reason: "tool-calls" };
        return;
      }
      yield { type: "text_delta", delta: "Done" };
      yield { type: "finish", reason: "stop" };
    },
  };
}

function agents(kind: TreeKind): { readonly root: Agent; readonly child: Agent } {
  const child = createAgent({ name: "worker", model: worker, tools: [echoTool()] });
  const isTree = kind === "tree";
  const root = createAgent({
    name: "root",
    model: rootProvider(isTree),
    tools: isTree ? [agentTool(child, { description: "Works" })] : [],
    dispatch: { mode: "parallel", maxParallel: children },
  });
  return { root, child };
}

async function run(kind: TreeKind): Promise<number> {
  const { root, child } = agents(kind);
  const host = createHost({ agents: [root, child], repository: memoryRepository() });
  let events = 0;
  const start = (agent: string, isTree: boolean): Promise<unknown> => {
    const session = host.createSession({ agent });
    session.subscribe(() => (events += 1), { tree: isTree });
    return session.send("Go").response;
  };
  if (kind === "tree") await start("root", true);
  else {
    const names = ["root", ...Array.from({ length: children }, () => "worker")];
    await Promise.all(names.map((name) => start(name, false)));
  }
  await host.close();
  return events;
}

/** Live heap when the last of the children has said everything. */
async function heapOf(kind: TreeKind): Promise<number> {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error("Start this process with --expose-gc");
  // What earlier runs have left is collected first.
  for (let round = 0; round < 3; round += 1) {
    await setTimeout(50);
    await gc({ execution: "async", type: "major" });
  }
  const before = process.memoryUsage().heapUsed;
  const all = Promise.withResolvers<void>();
  let waiting = 0;
  let heapBytes = 0;
  onLast = async () => {
    waiting += 1;
    if (waiting === children) {
      // The events that are on their way arrive first.
      for (let round = 0; round < 10; round += 1) await setImmediate();
      await gc({ execution: "async", type: "major" });
      heapBytes = process.memoryUsage().heapUsed - before;
      all.resolve();
    }
    await all.promise;
  };
  await run(kind);
  onLast = undefined;
  return heapBytes;
}

async function cost(kind: TreeKind): Promise<TreeCost> {
  for (let count = 0; count < warmUps; count += 1) await run(kind);
  const before = process.cpuUsage();
  let events = 0;
  for (let count = 0; count < runs; count += 1) events += await run(kind);
  const { user, system } = process.cpuUsage(before);
  return {
    cpuUs: (user + system) / runs,
    heapBytes: await heapOf(kind),
    events: events / runs,
  };
}

process.send?.(await cost(process.argv[2] === "tree" ? "tree" : "plain"));
process.disconnect();
