/** Identity of the caller over HTTP: it comes from `authenticate`, and from nothing that a client sends. */
import { defineTool } from "@capstan/core";
import type { JsonValue } from "@capstan/kernel";
import { callTool, say } from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import type { World } from "./world.ts";
import { createWorld, errorOf, tokens } from "./world.ts";

const path = "/api/agent/execute";
const appContext = z.object({ tenant: z.string(), role: z.string() });

interface AskingWorld extends World {
  readonly seen: unknown[];
  /** App context of the next requests. */
  app: unknown;
}

async function askingWorld(script: readonly ScriptItem[]): Promise<AskingWorld> {
  const seen: unknown[] = [];
  const look = defineTool({
    name: "look",
    description: "Looks",
    input: z.object({}),
    appContext,
    execute(_input, { session: { principal }, app }) {
      seen.push({ principal, app });
      return "seen";
    },
  });
  const state = { app: { tenant: "acme", role: "user" } as unknown };
  const world = await createWorld(script, {
    agent: { appContext, tools: [look] },
    server: {
      authenticate: (request) => {
        const token = request.headers.get("authorization")?.slice("Bearer ".length);
        const principal = Object.entries(tokens).find(([, known]) => known === token)?.[0];
        return principal === undefined ? undefined : { principal, app: state.app };
      },
    },
  });
  return Object.assign(state, world, { seen });
}

const looks = [callTool("look"), say("Done")];

test("a tool learns the principal and the app context that authenticate returned for this request", async () => {
  const world = await askingWorld([...looks, ...looks, ...looks]);

  const { sessionId } = await world.execute({ input: "Hello" });
  world.app = { tenant: "acme", role: "admin" };
  await world.execute({ sessionId, input: "Again" });
  await world.execute({ input: "Hello" }, tokens.bob);

  expect(world.seen).toEqual([
    { principal: "ann", app: { tenant: "acme", role: "user" } },
    { principal: "ann", app: { tenant: "acme", role: "admin" } },
    { principal: "bob", app: { tenant: "acme", role: "admin" } },
  ]);
});

test("a queued message runs with the app context of its request", async () => {
  const world = await askingWorld([say("Ready"), ...looks]);
  const { sessionId } = await world.execute({ input: "Hello" });

  world.app = { tenant: "acme", role: "fired" };
  await world.post(`/api/agent/session/${sessionId}/follow-up`, { input: "Again" });
  await (await world.host.open(sessionId)).waitForIdle();

  expect(world.seen).toEqual([{ principal: "ann", app: { tenant: "acme", role: "fired" } }]);
});

const claimed = { tenant: "other", role: "admin" };
const hostile: readonly [string, JsonValue][] = [
  ["app", { input: "Hello", app: claimed }],
  ["principal", { input: "Hello", principal: "bob" }],
  ["app in options", { input: "Hello", options: { app: claimed } }],
  ["metadata in options", { input: "Hello", options: { metadata: claimed } }],
  ["app in the context", { input: "Hello", context: { app: claimed } }],
  ["a request as input", { input: { input: "Hello", app: claimed } }],
  ["app in a message", { input: { role: "user", content: "Hello", app: claimed } }],
  ["a prototype", JSON.parse('{ "input": "Hello", "__proto__": { "app": {} } }') as JsonValue],
  ["app in a list of messages", { input: [{ role: "user", content: "Hello", app: claimed }] }],
];

test.each(hostile)("a client that sends %s is refused", async (_what, body) => {
  const world = await askingWorld(looks);

  const response = await world.post(path, body);

  expect(response.status).toBe(400);
  expect(world.seen).toEqual([]);
});

test("a client cannot queue a message with an app context", async () => {
  const world = await askingWorld([say("Ready")]);
  const { sessionId } = await world.execute({ input: "Hello" });

  const body = { input: "Hello", app: claimed };
  for (const queue of ["steer", "follow-up"]) {
    const response = await world.post(`/api/agent/session/${sessionId}/${queue}`, body);
    expect(response.status).toBe(400);
  }
});

test("the context of a request and the metadata of a message are not an app context", async () => {
  const world = await askingWorld(looks);

  await world.execute({
    input: { role: "user", content: "Hello", metadata: { ...claimed, app: claimed } },
    context: { messages: [{ role: "user", content: "Earlier", metadata: { app: claimed } }] },
  });

  expect(world.seen).toEqual([{ principal: "ann", app: { tenant: "acme", role: "user" } }]);
});

test("a client does not see the app context", async () => {
  const world = await askingWorld([say("Ready"), ...looks]);
  const { sessionId } = await world.execute({ input: "Hello" });
  await world.post(`/api/agent/session/${sessionId}/follow-up`, { input: "Again" });
  await (await world.host.open(sessionId)).waitForIdle();

  const text = await (await world.request(`/api/agent/session/${sessionId}`)).text();

  expect(text).toContain('"created"');
  expect(text).not.toContain("acme");
});

test("a client does not see the app context in a checkpoint", async () => {
  const world = await askingWorld([say("Ready"), say("Again")]);
  const { sessionId } = await world.execute({ input: "Hello" });
  const session = await world.host.open(sessionId);
  for (let count = 0; count < 256; count += 1) await session.clearHistory();
  await world.execute({ sessionId, input: "Again" });

  const text = await (await world.request(`/api/agent/session/${sessionId}`)).text();

  expect(text).toMatch(/"type":"checkpoint"[^{}]*"state":{}/);
  expect(text).not.toContain("acme");
});

test("a repeated request is the same turn, even if its app context has changed in the meantime", async () => {
  const world = await askingWorld(looks);
  const body = { sessionId: "mine", id: "t1", input: "Hello", context: {} };
  const first = await world.execute(body);

  world.app = { tenant: "acme", role: "admin" };
  const again = await world.execute(body);

  expect(again.complete).toEqual(first.complete);
  expect(world.seen).toHaveLength(1);
});

test("an app context that the agent does not accept is the server's fault, and clients are told nothing of it", async () => {
  const world = await askingWorld(looks);
  world.app = { secret: "hunter2" };

  const response = await world.post(path, { input: "Hello" });

  expect(response.status).toBe(500);
  expect(JSON.stringify(await errorOf(response))).not.toMatch(/tenant|secret/);
  expect(String(world.faults[0])).toMatch(/tenant/);
});

test("an agent without an app context works for every identity", async () => {
  const world = await createWorld([say("Done")], {
    server: { authenticate: () => ({ principal: "ann", app: { tenant: "acme" } }) },
  });

  const { complete } = await world.execute({ input: "Hello" });

  expect(complete).toMatchObject({ status: "completed" });
});
