/** Client-side tools over HTTP: declared, claimed, run and answered by any tab, also after a reload. */
import type { PendingCall } from "@capstan/kernel";
import { defineTool } from "@capstan/core";
import { callTool, echoTool, reply, say } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { StreamReader, typesOf } from "./sse.ts";
import type { World } from "./world.ts";
import { createWorld, errorOf, tokens } from "./world.ts";

const pick = {
  name: "pick",
  description: "Lets the user pick a file",
  inputSchema: { type: "object", properties: { n: { type: "number" } } },
};

const lend = (tools: readonly object[] = [pick], client = "tab-1"): object => ({
  client,
  context: { tools },
});

/** A turn that waits for two calls of the client. */
async function suspended(world: World) {
  const { sessionId, complete } = await world.execute({ input: "Hi", ...lend() });
  const pending = complete["pendingToolCalls"] as readonly PendingCall[];
  return { sessionId, pending, path: `/api/agent/session/${sessionId}` };
}

const twoCalls = reply(callTool("pick", { n: 1 }), callTool("pick", { n: 2 }));
const answerTo = ({ toolCallId, input }: PendingCall): object => ({
  toolCallId,
  output: `picked ${JSON.stringify(input)}`,
});

describe("client-side tools over HTTP", () => {
  test("a call of a lent tool waits, names who lent it, and has a deadline", async () => {
    const world = await createWorld([twoCalls]);

    const { pending } = await suspended(world);

    expect(world.provider.requests[0]?.tools).toContain("pick");
    expect(pending).toMatchObject([
      { toolName: "pick", kind: "execution", input: { n: 1 }, lentBy: "tab-1" },
      { toolName: "pick", kind: "execution", input: { n: 2 }, lentBy: "tab-1" },
    ]);
    expect(pending.every(({ deadlineAt = 0 }) => deadlineAt > Date.now())).toBe(true);
  });

  test("answers may come partly, in any order and twice, from anybody of the principal, and the turn goes on once", async () => {
    const world = await createWorld([twoCalls, say("Both")]);
    const { path, pending, sessionId } = await suspended(world);
    const [first, second] = pending.map(answerTo);

    const partly = await world.post(`${path}/answers`, { answers: [second] });
    const again = await world.post(`${path}/answers`, { answers: [second] });
    const all = await world.post(`${path}/answers`, { answers: [first, second] });
    const late = await world.post(`${path}/answers`, { answers: [first] });
    await (await world.host.open(sessionId)).waitForIdle();

    const waiting = (await partly.json()) as { readonly pendingToolCalls: readonly unknown[] };
    expect(waiting.pendingToolCalls).toHaveLength(1);
    expect([again, all, late].map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(world.provider.requests).toHaveLength(2);
    expect(world.provider.requests[1]?.messages.slice(-2)).toMatchObject([
      { role: "tool", content: 'picked {"n":1}' },
      { role: "tool", content: 'picked {"n":2}' },
    ]);
  });

  test("of two answers to one call the first counts; once the turn went on, another one is refused", async () => {
    const world = await createWorld([callTool("pick", { n: 1 }), say("Done")]);
    const { path, pending, sessionId } = await suspended(world);
    const answer = { toolCallId: pending[0]?.toolCallId };
    const session = await world.host.open(sessionId);
    await world.post(`${path}/answers`, { answers: [{ ...answer, output: "one" }] });
    await session.waitForIdle();

    const other = await world.post(`${path}/answers`, { answers: [{ ...answer, output: "two" }] });

    expect(await errorOf(other)).toMatchObject({ status: 409, code: "not_pending" });
    expect(session.messages.at(2)).toMatchObject({ role: "tool", content: "one" });
  });

  test("answers by execute stream the turn that goes on with them", async () => {
    const world = await createWorld([twoCalls, say("Both")]);
    const { pending, sessionId } = await suspended(world);

    const partly = await world.execute({ sessionId, input: pending.slice(0, 1).map(answerTo) });
    const rest = await world.execute({ sessionId, input: pending.slice(1).map(answerTo) });

    expect(typesOf(partly.frames)).toEqual(["stream_start", "execute_complete"]);
    expect(partly.complete).toMatchObject({ status: "awaiting_tool_execution" });
    expect(typesOf(rest.frames)).toContain("text_delta");
    expect(rest.complete).toMatchObject({ status: "completed" });
  });

  test("of two tabs one gets a call to run; the other does when the time of the first is over", async () => {
    const world = await createWorld([twoCalls]);
    const { path, pending } = await suspended(world);
    const toolCallId = pending[0]?.toolCallId;
    const claim = (client: string, leaseMs = 60_000): Promise<Response> =>
      world.post(`${path}/claims`, { toolCallId, client, leaseMs });

    const first = await claim("tab-1");
    const second = await errorOf(await claim("tab-2"));
    const renewed = await claim("tab-1", 1);
    const { until } = (await renewed.json()) as { readonly until: number };
    while (Date.now() <= until) await new Promise(setImmediate);
    const third = await claim("tab-2");

    expect(first.status).toBe(200);
    expect(second).toMatchObject({ status: 409, code: "already_claimed" });
    expect(third.status).toBe(200);
    const session = await (await world.request(path)).json();
    expect(session).toMatchObject({ claims: [{ toolCallId, claimedBy: "tab-2" }] });
  });

  test("a tab that was loaded again finds what waits, and who runs it, and answers", async () => {
    const world = await createWorld([twoCalls, say("Both")]);
    const { path, sessionId } = await suspended(world);

    const session = (await (await world.request(path)).json()) as {
      readonly pendingToolCalls: readonly PendingCall[];
      readonly cursor: string;
    };
    const events = await world.request(`${path}/events?after=${session.cursor}`);
    const answers = session.pendingToolCalls.map(answerTo);
    await world.post(`${path}/answers`, { answers });
    const reader = new StreamReader(events);
    await reader.until("settled");

    expect(session.pendingToolCalls).toHaveLength(2);
    expect(typesOf(reader.seen)).toContain("turn_end");
    expect((await world.host.open(sessionId)).status).toBe("completed");
  });

  test("tools of two tabs are there side by side, and what one lends again takes the place of what it had", async () => {
    const world = await createWorld([say("1"), say("2"), say("3")]);
    const other = { ...pick, name: "open" };
    const better = { ...pick, name: "pick2" };
    const { sessionId } = await world.execute({ input: "Hi", ...lend() });

    await world.execute({ sessionId, input: "Hi", ...lend([other], "tab-2") });
    await world.execute({ sessionId, input: "Hi", ...lend([better], "tab-1") });

    const offered = world.provider.requests.map(({ tools }) =>
      tools.filter((name) => name !== "read_output"),
    );
    expect(offered).toEqual([["pick"], ["pick", "open"], ["open", "pick2"]]);
  });

  test.each([
    ["a name of the agent's own", [{ ...pick, name: "echo" }]],
    ["the same name twice", [pick, pick]],
    ["code", [{ ...pick, execute: "() => 1" }]],
    ["no description", [{ ...pick, description: "" }]],
    ["a schema that is no object", [{ ...pick, inputSchema: { type: "string" } }]],
    ["a schema of elsewhere", [{ ...pick, inputSchema: { type: "object", $ref: "http://a/b" } }]],
    ["too large a schema", [{ ...pick, description: "x".repeat(40_000) }]],
    ["too many", Array.from({ length: 65 }, (_, n) => ({ ...pick, name: `t${n}` }))],
  ])("%s cannot be lent", async (_, tools) => {
    const world = await createWorld([], { tools: [echoTool()] });

    const refused = await errorOf(
      await world.post("/api/agent/execute", { input: "Hi", ...lend(tools) }),
    );

    expect(refused).toMatchObject({ status: 400 });
    expect((await world.host.list()).sessions).toEqual([]);
    expect(world.faults).toEqual([]);
  });

  test("a schema that would take for ever to check takes no time: patterns are for who runs the tool", async () => {
    const evil = { type: "string", pattern: "^(a+)+$" };
    const levels = Array.from({ length: 40 }, (_, n) => [
      `l${n}`,
      { allOf: [{ $ref: `#/$defs/l${n + 1}` }, { $ref: `#/$defs/l${n + 1}` }] },
    ]);
    const $defs = { ...Object.fromEntries(levels), l40: {} };
    const deep = { $ref: "#/$defs/l0" };
    const inputSchema = { type: "object", properties: { evil, deep }, $defs };
    const world = await createWorld([
      callTool("pick", { evil: `${"a".repeat(60)}!` }),
      callTool("pick", { deep: 1 }),
      say("Done"),
    ]);

    const { complete, sessionId } = await world.execute({
      input: "Hi",
      ...lend([{ ...pick, inputSchema }]),
    });
    const [waiting] = complete["pendingToolCalls"] as readonly PendingCall[];
    const input = [{ toolCallId: waiting?.toolCallId, output: "ok" }];
    await world.execute({ sessionId, input });

    expect(waiting?.toolName).toBe("pick");
    expect(world.provider.requests[2]?.messages.at(-1)).toMatchObject({
      role: "tool",
      isError: true,
      content: expect.stringContaining("references"),
    });
  });

  test("a tool as JSON is accepted as it is, and is remote", async () => {
    const world = await createWorld([callTool("refund", { amount: 5 })]);
    const refund = defineTool({
      name: "refund",
      description: "Pays money back",
      input: z.object({ amount: z.number() }),
      label: "Refund",
      effect: "idempotent",
      execution: "sequential",
      timeoutMs: 5_000,
      ephemeral: 2,
      terminate: true,
      needsApproval: ({ amount }) => amount > 100,
      execute: () => "paid",
    });
    const tools = [JSON.parse(JSON.stringify(refund))];

    const { complete } = await world.execute({ input: "Hi", client: "tab-1", context: { tools } });

    expect(complete["pendingToolCalls"]).toMatchObject([
      { toolName: "refund", kind: "execution", input: { amount: 5 }, lentBy: "tab-1" },
    ]);
  });

  test.each(["tool", "toolResult"])("a message with the role %s answers a call", async (role) => {
    const world = await createWorld([twoCalls, say("Both")]);
    const { sessionId, pending } = await suspended(world);
    const input = pending.map(({ toolCallId, toolName }) => ({
      role,
      toolCallId,
      toolName,
      content: "picked",
      isError: false,
    }));

    const { complete } = await world.execute({ sessionId, input });

    expect(complete["status"]).toBe("completed");
    expect(world.provider.requests[1]?.messages.slice(-2)).toMatchObject([
      { role: "tool", content: "picked" },
      { role: "tool", content: "picked" },
    ]);
  });

  test("a message that answers with the wrong fields is refused, and the error names them", async () => {
    const world = await createWorld([twoCalls]);
    const { sessionId, pending } = await suspended(world);
    const input = pending.map(({ toolCallId }) => ({ role: "tool", toolCallId, text: "picked" }));

    const refused = await errorOf(await world.post("/api/agent/execute", { sessionId, input }));

    expect(refused).toMatchObject({
      status: 400,
      paths: ["input[0].content", "input[0].text", "input[1].content", "input[1].text"],
    });
  });

  test("a server that takes no tools says so, and nobody claims or answers for somebody else", async () => {
    const closed = await createWorld([], { server: { clientTools: false } });
    const world = await createWorld([twoCalls]);
    const { path, pending } = await suspended(world);
    const { toolCallId } = pending[0] ?? {};

    const refused = await errorOf(
      await closed.post("/api/agent/execute", { input: "Hi", ...lend() }),
    );
    const claim = await errorOf(
      await world.post(`${path}/claims`, { toolCallId, client: "x" }, tokens.bob),
    );
    const answer = await errorOf(
      await world.post(`${path}/answers`, { answers: pending.map(answerTo) }, tokens.bob),
    );

    expect(refused).toMatchObject({ status: 400, paths: ["context.tools"] });
    expect([claim.status, answer.status]).toEqual([404, 404]);
  });
});
