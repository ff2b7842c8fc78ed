/** The server inside frameworks and runtimes, as the programs of examples/mounts have it, and a client that drives it. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { connect } from "@capstan/client";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { app } from "../examples/mounts/hono.ts";
import { DELETE, GET, OPTIONS, POST } from "../examples/mounts/next-route.ts";
import { server } from "../examples/mounts/server.ts";
import { skipMissing } from "./runtimes.ts";
import { bundleWorker, findWorkerd, startWorkerd } from "./workerd.ts";

const root = join(import.meta.dirname, "..");
/** `npm ci --prefix test/runtimes` brings Bun and Deno. */
const env = {
  ...process.env,
  PATH: [join(import.meta.dirname, "runtimes", "node_modules", ".bin"), process.env["PATH"]].join(
    delimiter,
  ),
};
const cookie = "sid=5e55-10n";

/** A page of the app: its user is signed in by a cookie. */
function connectPage(url: string, send: typeof fetch = fetch) {
  const client = connect({
    url: `${url}/agents`,
    retry: { maxAttempts: 1 },
    fetch: (input, init = {}) => {
      const headers = new Headers(init.headers);
      headers.set("cookie", cookie);
      return send(input, { ...init, headers });
    },
  });
  onTestFinished(() => client.close());
  return client;
}

async function chat(client: ReturnType<typeof connectPage>) {
  const session = client.createSession();
  const types: string[] = [];
  const turn = session.send("Hello");
  for await (const { type } of turn) types.push(type);
  const { status, text } = await turn.response;
  await session.refresh();
  const roles = session.state.messages.map(({ role }) => role);
  await session.delete();
  const { sessions } = await client.list();
  return { status, hasText: text !== "", types, roles, left: sessions.length };
}

const chatted = {
  status: "completed",
  hasText: true,
  types: expect.arrayContaining(["turn_start", "text_delta", "turn_end"]) as string[],
  roles: ["user", "assistant"],
  left: 0,
};

const condition = "--conditions=@capstan/source";
const node = [process.execPath, condition] as const;

describe("programs", () => {
  test.for([
    ["express", node],
    ["fastify", node],
    ["node-http", node],
    ["bun", ["bun", condition]],
    ["deno", ["deno", "run", "--allow-all", "--no-check", condition]],
  ] as const)(
    "%s serves the app and the agents, and ends at SIGTERM",
    { timeout: 60_000 },
    async ([name, [command, ...args]], { skip }) => {
      const isThere = spawnSync(command, ["--version"], { env }).status === 0;
      if (!isThere) skipMissing(command, skip);
      const program = spawn(command, [...args, `examples/mounts/${name}.ts`], {
        cwd: root,
        env,
        stdio: ["ignore", "pipe", "inherit"],
      });
      onTestFinished(() => void program.kill("SIGKILL"));
      const ended = once(program, "exit");
      const [url] = (await once(createInterface(program.stdout), "line")) as [string];

      const outcome = await chat(connectPage(url));
      const stranger = await fetch(`${url}/agents/api/agent/sessions`);
      program.kill("SIGTERM");

      expect(outcome).toEqual(chatted);
      expect(stranger.status).toBe(401);
      expect(await ended).toEqual([0, null]);
    },
  );
});

test(
  "workerd runs the server and its store in objects, without modules of Node",
  { timeout: 60_000 },
  async ({ skip }) => {
    const binary = findWorkerd() ?? skipMissing("workerd", skip);
    const folder = mkdtempSync(join(tmpdir(), "capstan-workerd-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const mounts = join(root, "examples", "mounts");
    const files = [join(mounts, "workerd.ts"), join(mounts, "workerd.capnp")] as const;
    const workerd = await startWorkerd(binary, await bundleWorker(...files, folder), folder);
    onTestFinished(async () => void (await workerd.stop("SIGKILL")));

    const outcome = await chat(connectPage(workerd.url));
    const stranger = await fetch(`${workerd.url}/agents/api/agent/sessions`);

    expect(outcome).toEqual(chatted);
    expect(stranger.status).toBe(401);
  },
);

describe("functions", () => {
  afterAll(() => server.close());

  test("an app of Hono answers its own paths and those of the agents", async () => {
    const client = connectPage("http://localhost", async (input, init) =>
      app.fetch(new Request(input, init)),
    );

    expect(await chat(client)).toEqual(chatted);
    expect(await (await app.request("/")).text()).toBe("the app");
  });

  test("a route of Next.js answers each method", async () => {
    const methods = { GET, POST, DELETE };
    const client = connectPage("http://localhost:3000", async (input, init) => {
      const request = new Request(input, init);
      return methods[request.method as keyof typeof methods](request);
    });
    const preflight = await OPTIONS(
      new Request("http://localhost:3000/agents/api/agent/sessions", {
        method: "OPTIONS",
        headers: { origin: "https://evil.example" },
      }),
    );

    expect(await chat(client)).toEqual(chatted);
    expect(preflight.status).toBe(403);
  });
});
