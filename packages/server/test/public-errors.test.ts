/** Errors of turns as clients see them, and fields that no endpoint knows. */
import { ProviderError } from "@capstan/kernel";
import { callTool, failBefore, remoteTool, say } from "@capstan/testing";
import { expect, test } from "vitest";
import type { WorldOptions } from "./world.ts";
import { createWorld, errorOf } from "./world.ts";

const secret = "http://10.0.0.7/internal-gateway/v1";

function instructions(): string {
  throw Object.assign(new Error("ENOENT /etc/agent/prompt.md"), { code: "ENOENT" });
}

async function failingTurn(options: WorldOptions = {}) {
  const refused = new ProviderError("invalid_request", `POST ${secret}: no`);
  const world = await createWorld([failBefore(refused)], options);
  const { sessionId, frames, complete } = await world.execute({ input: "Hi" });
  const got = await (await world.request(`/api/agent/session/${sessionId}`)).text();
  const session = await world.host.open(sessionId);
  const stored = JSON.stringify((await session.read()).entries);
  return { frames: JSON.stringify(frames), complete, got, stored };
}

test("what a vendor said stays inside: events, the end of the turn and GET have a code and a public message", async () => {
  const { frames, complete, got, stored } = await failingTurn();

  expect(frames + got).not.toContain("internal-gateway");
  expect(complete["error"]).toEqual({
    name: "ProviderError",
    code: "invalid_request",
    message: "The model's provider rejected the request",
  });
  expect(got).toContain("The model's provider rejected the request");
  expect(stored).toContain("internal-gateway");
});

test("what an agent's own code threw stays inside, whatever code it has", async () => {
  const { frames, got, complete } = await failingTurn({ agent: { instructions } });

  expect(frames + got).not.toContain("/etc/agent");
  expect(complete["error"]).not.toHaveProperty("message", expect.stringContaining("ENOENT"));
});

test("an operator may choose to show everything", async () => {
  const { frames, got } = await failingTurn({ server: { errorDetails: true } });

  expect(frames).toContain(secret);
  expect(got).toContain(secret);
});

test.each([
  ["an approval with an input of its own", { approved: true, hash: "h", input: { amount: 1e9 } }],
  ["an approval that is a result, too", { approved: true, hash: "h", output: "x" }],
  ["a result that is an approval, too", { output: "x", approved: true }],
  ["an unknown field in a part", { output: [{ type: "text", text: "x", run: 1 }] }],
])("%s is refused, and the field is named", async (_, fields) => {
  const world = await createWorld([callTool("pay"), say("Paid")], {
    tools: [remoteTool({ name: "pay" })],
  });
  const { sessionId } = await world.execute({ input: "Hi" });
  const session = await world.host.open(sessionId);
  const [pending] = session.pendingToolCalls;
  const answers = [{ toolCallId: pending?.toolCallId, ...fields }];

  const refused = await errorOf(
    await world.post(`/api/agent/session/${sessionId}/answers`, { answers }),
  );

  const unknown = /^answers\[0\]\.(input|isError|output|approved|output\[0\]\.run)$/;
  expect(refused).toMatchObject({ status: 400, code: "invalid_request" });
  expect(refused.paths.some((path) => unknown.test(path))).toBe(true);
  expect(session.pendingToolCalls).toHaveLength(1);
});

test.each([
  ["execute", "/api/agent/execute", { input: "Hi", modle: "x" }],
  ["steer", "/api/agent/session/ID/steer", { input: "Hi", modle: "x" }],
  ["follow-up", "/api/agent/session/ID/follow-up", { input: "Hi", modle: "x" }],
  ["cancel", "/api/agent/session/ID/cancel", { turnId: "t", modle: "x" }],
  ["claims", "/api/agent/session/ID/claims", { toolCallId: "c", client: "c", modle: "x" }],
  ["fork", "/api/agent/session/ID/fork", { modle: "x" }],
  ["rewind", "/api/agent/session/ID/rewind", { to: "m", modle: "x" }],
  ["answers", "/api/agent/session/ID/answers", { answers: [], modle: "x" }],
])("%s refuses an unknown field, and names it", async (_, path, body) => {
  const world = await createWorld([say("Hi")]);
  const { sessionId } = await world.execute({ input: "Hi" });

  const refused = await errorOf(await world.post(path.replace("ID", sessionId), body));

  expect(refused).toMatchObject({ status: 400, code: "invalid_request" });
  expect(refused.paths).toContain("modle");
});
