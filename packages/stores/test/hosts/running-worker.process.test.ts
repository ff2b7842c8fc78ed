/** Workers that run until a signal, on stores that other processes share. */
import type { ChildProcess } from "node:child_process";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createAgent, createHost } from "@capstan/core";
import type { SessionRepository } from "@capstan/log";
import { scriptedProvider, stall } from "@capstan/testing";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { openStore } from "../open-store.ts";
import type { PostgresServer } from "../postgres-server.ts";
import { startPostgres } from "../postgres-server.ts";
import { readAll } from "../samples.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const server = await startPostgres();

afterAll(async () => {
  if (typeof server !== "string") await server.stop();
});

function mustServe(skip: (reason: string) => void): PostgresServer {
  if (typeof server !== "string") return server;
  skip(server);
  throw new Error(server);
}

class Worker {
  readonly child: ChildProcess;
  readonly lines: string[] = [];
  readonly #ended: Promise<unknown[]>;

  constructor(args: readonly string[]) {
    const script = fileURLToPath(new URL("./running-worker.ts", import.meta.url));
    const flags = ["--conditions=@capstan/source", "--no-warnings"];
    this.child = spawn(process.execPath, [...flags, script, ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#ended = once(this.child, "close");
    onTestFinished(() => void this.child.kill("SIGKILL"));
    const { stdout } = this.child;
    if (stdout === null) throw new Error("the worker has no pipe");
    createInterface(stdout).on("line", (line) => this.lines.push(line));
  }

  async printed(line: string): Promise<void> {
    const look = (): void => expect(this.lines).toContain(line);
    await vi.waitFor(look, { timeout: 25_000, interval: 10 });
  }

  /** Exit code and signal. */
  async ended(): Promise<unknown[]> {
    return this.#ended;
  }
}

/** Another process of the app has begun a turn, and left it. */
async function leaveTurn(repository: SessionRepository, id: string): Promise<void> {
  const agent = createAgent({ name: "worker", model: scriptedProvider([stall()]) });
  const host = createHost({ agents: [agent], repository, pollMs: Infinity });
  const session = host.createSession({ id, agent: "worker" });
  const turn = session.send("Work");
  await session.flush();
  await host.close();
  await turn.response;
}

async function typesIn(repository: SessionRepository, id: string): Promise<string[]> {
  return (await readAll(repository, id)).map(({ type }) => type);
}

test.for(["sqlite", "postgres"])(
  "%s: a worker stays alive, takes up what others leave, and is drained by SIGTERM without loss or repetition",
  async (kind, { skip }) => {
    using folder = temporaryFolder();
    const where = kind === "postgres" ? mustServe(skip).url : folder.path;
    const gate = join(folder.path, "gate");
    await using store = openStore(kind, where);
    const id = `${kind}-${process.pid}`;
    const first = new Worker([kind, where, gate, "20000"]);
    await first.printed("running");

    await leaveTurn(store, id);
    await first.printed(`works ${id}`);
    first.child.kill("SIGTERM");
    await first.printed("signal 1");
    const whileItWorks = await typesIn(store, id);
    writeFileSync(gate, "");
    const firstEnd = await first.ended();
    const atHandover = await typesIn(store, id);
    const second = new Worker([kind, where, gate, "20000"]);
    await vi.waitFor(async () => expect(await typesIn(store, id)).toContain("turn_ended"), 25_000);
    second.child.kill("SIGINT");
    const secondEnd = await second.ended();

    expect(whileItWorks.at(-1)).toBe("tool_intent");
    expect(atHandover.at(-1)).toBe("tool_result");
    expect(firstEnd).toEqual([0, null]);
    expect(secondEnd).toEqual([0, null]);
    expect(first.lines.at(-1)).toBe("closed");
    expect([...first.lines, ...second.lines].filter((line) => line.startsWith("works"))).toEqual([
      `works ${id}`,
    ]);
    const results = (await typesIn(store, id)).filter((type) => type === "tool_result");
    expect(results).toHaveLength(1);
  },
);

test("a second SIGTERM closes a worker at once, and its call is left as it is", async () => {
  using folder = temporaryFolder();
  await using store = openStore("sqlite", folder.path);
  const worker = new Worker(["sqlite", folder.path, join(folder.path, "never"), "600000"]);
  await worker.printed("running");
  await leaveTurn(store, "s");
  await worker.printed("works s");

  worker.child.kill("SIGTERM");
  await worker.printed("signal 1");
  worker.child.kill("SIGTERM");
  await worker.printed("closed");

  expect((await typesIn(store, "s")).at(-1)).toBe("tool_intent");
});

test("without a `process` a run is ended by its signal, and keeps the program alive until then", async () => {
  const program = `
    import { createAgent, createHost } from "@capstan/core";
    import { memoryRepository } from "@capstan/log";
    import { scriptedProvider } from "@capstan/testing";
    delete globalThis.process;
    const agent = createAgent({ name: "worker", model: scriptedProvider([]) });
    const host = createHost({ agents: [agent], repository: memoryRepository() });
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50).unref();
    await host.run({ signal: stop.signal });
    console.log("stopped");
  `;

  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@capstan/source", "--input-type=module", "--eval", program],
    { cwd: import.meta.dirname },
  );

  expect(stdout).toBe("stopped\n");
});
