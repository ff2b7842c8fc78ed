/** A session that is deleted through one server process and begun again, while others still know the old one. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { StreamReader } from "./sse.ts";

const headers = {
  authorization: "Bearer ann-0123456789abcdef",
  "content-type": "application/json",
};
const path = "/api/agent/session/chat";

interface Reading {
  readonly status: string;
  readonly messages: readonly { readonly role: string }[];
}

class ServerProcess {
  readonly #url: string;
  readonly kill: () => Promise<void>;

  constructor(url: string, kill: () => Promise<void>) {
    this.#url = url;
    this.kill = kill;
  }

  request(address: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.#url}${address}`, { headers, ...init });
  }

  post(body: object): Promise<Response> {
    const init = { method: "POST", body: JSON.stringify(body) };
    return this.request("/api/agent/execute", init);
  }

  /** To the end of the turn. */
  async say(input: string, id: string): Promise<string> {
    const stream = new StreamReader(await this.post({ sessionId: "chat", input, id, context: {} }));
    return JSON.stringify((await stream.until("execute_complete")).data);
  }

  async read(): Promise<Reading> {
    const response = await this.request(path);
    expect(response.status).toBe(200);
    return (await response.json()) as Reading;
  }
}

async function start(store: string, place: string, name: string): Promise<ServerProcess> {
  const child = fork(join(import.meta.dirname, "replacing-process.ts"), [store, place, name], {
    execArgv: ["--conditions=@capstan/source", "--no-warnings"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [{ port }] = (await once(child, "message")) as [{ readonly port: number }];
  return new ServerProcess(`http://127.0.0.1:${port}`, async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  });
}

/** Servers on one store; the session `chat` has a past that all of them have read. */
async function startAll(store: string, names: readonly string[]): Promise<ServerProcess[]> {
  const folder = mkdtempSync(join(tmpdir(), "capstan-replaced-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const place = store === "fs" ? folder : join(folder, "sessions.db");
  const servers = await Promise.all(names.map((name) => start(store, place, name)));
  for (const id of ["s1", "s2", "s3"]) await servers[0]?.say("My secret", id);
  for (const server of servers) expect((await server.read()).messages).toHaveLength(6);
  return servers;
}

const fleets = [
  ["sqlite", ["A", "B"]],
  ["sqlite", ["A", "B", "C"]],
  ["fs", ["A", "B"]],
  ["fs", ["A", "B", "C"]],
] as const;

test.each(fleets)(
  "%s, servers %j: all of them read, follow and send to the session that was begun again",
  async (store, names) => {
    const servers = await startAll(store, names);
    const [first, ...others] = servers;
    const streams = await Promise.all(
      servers.map(async (server) => new StreamReader(await server.request(`${path}/events`))),
    );
    await first?.request(path, { method: "DELETE" });
    await first?.say("Fresh start", "n0");

    for (const [index, other] of others.entries()) {
      const told = await other.say("Hello", `n${index + 1}`);
      expect(told).toContain("completed");
    }
    const readings = await Promise.all(servers.map((server) => server.read()));
    const ends = await Promise.all(streams.map(async (stream) => (await stream.rest()).at(-1)));
    const follower = new StreamReader(
      await (others[0] as ServerProcess).request(`${path}/events?after=0.0`),
    );
    await follower.until("turn_end");
    await follower.leave();

    for (const { messages } of readings) {
      expect(messages).toHaveLength(2 * names.length);
      expect(JSON.stringify(messages)).not.toContain("secret");
    }
    expect(JSON.stringify(follower.seen)).not.toContain("secret");
    expect(ends.map((end) => end?.data)).toEqual(
      names.map(() => ({ type: "stream_end", reason: "deleted" })),
    );
  },
);

test.each(fleets)(
  "%s, servers %j: one that knows the old session takes over the new one, with its own past",
  async (store, names) => {
    const [first, ...others] = await startAll(store, names);
    await first?.request(path, { method: "DELETE" });
    const body = { sessionId: "chat", input: "Fresh and slow", id: "n0", context: {} };
    const running = new StreamReader((await first?.post(body)) as Response);
    await running.until("text_delta");
    await first?.kill();
    // The killed server cuts the stream.
    await running.rest().catch(() => {});

    for (const other of others) {
      const reader = new StreamReader(await other.request(`${path}/events?after=0.0`));
      await reader.until("turn_end");
      await reader.leave();
      const { messages, status } = await other.read();

      expect(status).toBe("completed");
      expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
      expect(JSON.stringify(messages)).toContain("was shown 1 messages");
      expect(JSON.stringify([messages, reader.seen])).not.toContain("secret");
    }
  },
);
