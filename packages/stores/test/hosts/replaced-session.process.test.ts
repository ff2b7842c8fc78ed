/** Servers in processes of their own, on one store: one of them deletes a session and begins it again. */
import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { startPostgres } from "../postgres-server.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const database = await startPostgres();

afterAll(async () => {
  if (typeof database !== "string") await database.stop();
});

const local = ["sqlite", "fs"];
const kinds = typeof database === "string" ? local : [...local, "postgres"];
if (typeof database === "string") test("on postgres", ({ skip }) => skip(database));
const headers = {
  authorization: "Bearer ann-0123456789abcdef",
  "content-type": "application/json",
};

/** A server that stands still gives no answer at all: only a failure takes so long. */
const patienceMs = 20_000;

class Served {
  readonly #url: string;
  readonly #path: string;
  readonly key: string;
  readonly kill: () => Promise<void>;

  constructor(url: string, key: string, kill: () => Promise<void>) {
    this.#url = url;
    this.#path = `/api/agent/session/${key}`;
    this.key = key;
    this.kill = kill;
  }

  async #ask(method: string, path: string, body?: object): Promise<string> {
    const signal = AbortSignal.timeout(patienceMs);
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(this.#url + path, { method, headers, signal, ...sent });
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status}: ${text}`);
    return text;
  }

  /** The status of the session, and what was said in it. */
  async read(): Promise<string> {
    const reading = JSON.parse(await this.#ask("GET", this.#path)) as Record<string, unknown>;
    return `${String(reading["status"])} ${JSON.stringify(reading["messages"])}`;
  }

  execute(input: string, id: string): Promise<string> {
    const body = { sessionId: this.key, input, id, context: {} };
    return this.#ask("POST", "/api/agent/execute", body);
  }

  delete(): Promise<string> {
    return this.#ask("DELETE", this.#path);
  }

  isHealthy(): Promise<string> {
    return this.#ask("GET", "/healthz");
  }
}

type Start = (mood?: "stuck") => Promise<Served>;

function prepare(kind: string): Start {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const where = kind !== "postgres" || typeof database === "string" ? folder.path : database.url;
  const key = `chat-${randomUUID()}`;
  return async (mood) => {
    const script = fileURLToPath(new URL("./served-worker.ts", import.meta.url));
    const execArgv = ["--conditions=@capstan/source", "--no-warnings"];
    const child = fork(script, [kind, where, mood ?? ""], { execArgv });
    const kill = async (): Promise<void> => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    };
    onTestFinished(kill);
    const [{ url }] = (await once(child, "message")) as [{ readonly url: string }];
    return new Served(url, key, kill);
  };
}

/** A session with a secret, which all of these servers have in memory. */
async function knownTo(...servers: readonly Served[]): Promise<void> {
  for (const n of [1, 2, 3]) await servers[0]?.execute(`My secret ${n}`, `s${n}`);
  for (const server of servers) expect(await server.read()).toContain("My secret 3");
}

test.each(kinds)(
  "on %s, servers that know the old session read and send to the new one",
  async (kind) => {
    const start = prepare(kind);
    const [a, b, c] = [await start(), await start(), await start()];
    await knownTo(a, b, c);

    await a.delete();
    await a.execute("Fresh start", "n1");
    const read = await b.read();
    const sent = await c.execute("Hello from C", "n2");
    const last = await Promise.all([a, b, c].map((server) => server.read()));

    expect(read).toContain("Fresh start");
    expect(sent).toContain("I was shown 3");
    expect(new Set(last).size).toBe(1);
    expect([read, sent, ...last].join()).not.toContain("secret");
    await expect(b.isHealthy()).resolves.toBeDefined();
  },
  60_000,
);

test.each(kinds)(
  "on %s, a server that knows the old session takes the new one over when its starter is killed",
  async (kind) => {
    const start = prepare(kind);
    const [a, b] = [await start("stuck"), await start()];
    await knownTo(a, b);
    await a.delete();
    const cut = a.execute("Fresh and slow", "n1").catch(() => "cut");
    // Not found until the new session has begun.
    while (!(await a.read().catch(() => "")).startsWith("running")) await wait(20);

    await a.kill();
    await cut;
    const c = await start();
    while (!(await c.read()).startsWith("completed")) await wait(50);
    const last = [await b.read(), await c.read()];

    expect(last[0]).toBe(last[1]);
    expect(last[0]).toContain("I was shown 1");
    expect(last.join()).not.toContain("secret");
  },
  60_000,
);
