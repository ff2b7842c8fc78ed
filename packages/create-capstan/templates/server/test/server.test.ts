import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { connect } from "@capstan/client";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { startServer } from "../src/server.ts";

const folder = mkdtempSync(join(tmpdir(), "agent-"));
const database = join(folder, "sessions.db");
const token = "a-token-for-these-tests";
after(() => rmSync(folder, { recursive: true }));

test("a session continues after the server was restarted", async () => {
  const first = scriptedProvider([callTool("weather", { city: "Oslo" }), say("Sunglasses.")]);
  const before = await startServer({ database, tokens: { me: token }, model: first });
  const client = connect({ url: before.url, token });
  const { text } = await client.session("trip").send("What should I wear in Oslo?").response;
  assert.equal(text, "Sunglasses.");
  client.close();
  await before.close();

  const second = scriptedProvider([say("By train.")]);
  const after = await startServer({ database, tokens: { me: token }, model: second });
  const again = connect({ url: after.url, token });
  const answer = await again.session("trip").send("How do I get there?").response;

  assert.equal(answer.text, "By train.");
  assert.match(JSON.stringify(second.requests[0]?.messages), /wear in Oslo/);
  again.close();
  await after.close();
});

test("a client without the token is refused", async (context) => {
  const server = await startServer({
    database,
    tokens: { me: token },
    model: scriptedProvider([]),
  });
  context.after(() => server.close());

  const response = await fetch(`${server.url}/api/agent/execute`, {
    method: "POST",
    headers: { authorization: "Bearer a-guess-at-the-token", "content-type": "application/json" },
    body: JSON.stringify({ input: "Hi" }),
  });

  assert.equal(response.status, 401);
});
