import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { connect } from "@capstan/client";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { serve } from "../src/serve.ts";

const folder = mkdtempSync(join(tmpdir(), "chat-"));
const database = join(folder, "sessions.db");
after(() => rmSync(folder, { recursive: true }));

test("the page and all modules that it imports are served", async (context) => {
  const server = await serve({ database, model: scriptedProvider([]) });
  context.after(() => server.close());

  const html = await (await fetch(server.url)).text();
  const paths = [...html.matchAll(/"(\/\w+\/[\w-]+\.\w+)"/g)].map(([, path = ""]) => path);
  const statuses = await Promise.all(
    paths.map(async (path) => (await fetch(server.url + path)).status),
  );

  assert.ok(paths.length > 4);
  assert.deepEqual(new Set(statuses), new Set([200]));
  assert.equal((await fetch(`${server.url}/page/../package.json`)).status, 404);
});

test("a visitor chats with the agent, and other visitors do not see the session", async (context) => {
  const model = scriptedProvider([callTool("weather", { city: "Oslo" }), say("Sunglasses.")]);
  const server = await serve({ database, model });
  context.after(() => server.close());
  const mine = connect({ url: server.url, fetch: await visitor(server.url) });
  const { text } = await mine.session("my-chat").send("What should I wear in Oslo?").response;

  const others = connect({ url: server.url, fetch: await visitor(server.url) });

  assert.equal(text, "Sunglasses.");
  assert.deepEqual((await others.list()).sessions, []);
  assert.equal((await mine.list()).sessions.length, 1);
  mine.close();
  others.close();
});

/** Opens the page as a browser does, which gives the visitor a cookie. */
async function visitor(url: string): Promise<typeof fetch> {
  const [cookie = ""] = (await fetch(url)).headers.getSetCookie();
  const [value = ""] = cookie.split(";");
  return (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set("cookie", value);
    return fetch(input, { ...init, headers });
  };
}
