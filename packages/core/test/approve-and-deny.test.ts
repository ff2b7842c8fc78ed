import type { Session } from "@capstan/core";
import type { PendingCall } from "@capstan/kernel";
import { callTool, echoTool, reply, say } from "@capstan/testing";
import { expect, test } from "vitest";
import type { World } from "./world.ts";
import { createWorld } from "./world.ts";

interface Asked {
  readonly world: World;
  readonly session: Session;
  /** The pending call, read from the store, so that no handle has shown it. */
  readonly call: PendingCall;
}

/** A turn that waits for an approval, and whose handle has shown nothing. */
async function asked(): Promise<Asked> {
  const world = createWorld(
    [callTool("echo", { n: 1 }), say("Done")],
    [echoTool({ needsApproval: true })],
  );
  const session = world.host().createSession({ agent: "helper" });
  session.send("Hello", { id: "t1" });
  await session.waitForIdle();
  const end = world.entries(session.id).find((entry) => entry.type === "turn_ended");
  const [call] = end?.type === "turn_ended" ? (end.pending ?? []) : [];
  if (call === undefined) throw new Error("No call is pending");
  return { world, session, call };
}

const notShown = { status: "error", error: { code: "not_shown" } };

test("a pending call is approved, and runs", async () => {
  const { session, call } = await asked();

  const response = await session.approve(call).response;

  expect(response).toMatchObject({ status: "completed", text: "Done" });
  expect(session.messages[2]).toMatchObject({ role: "tool", isError: false });
});

test("a pending call is denied, and the model gets the reason", async () => {
  const { session, call } = await asked();

  const response = await session.deny({ ...call }, "Too expensive").response;

  expect(response).toMatchObject({ status: "completed" });
  expect(session.messages[2]).toMatchObject({ content: "Denied: Too expensive", isDenied: true });
});

test("an id with a hash approves what the hash was computed from, and nothing else", async () => {
  const { session, call } = await asked();
  const { toolCallId, hash } = call;

  const wrong = await session.approve({ toolCallId, hash: "other" }).response;
  const right = await session.approve({ toolCallId, hash }).response;

  expect(wrong).toMatchObject({ error: { code: "hash_mismatch" } });
  expect(right).toMatchObject({ status: "completed" });
});

test("a bare id that this handle has not shown is refused", async () => {
  const { world, session, call } = await asked();
  const other = await world.host().open(session.id);
  // Shown by another handle.
  expect(other.pendingToolCalls).toHaveLength(1);

  const { toolCallId } = call;

  expect(await session.approve(toolCallId).response).toMatchObject(notShown);
  expect(await session.deny(toolCallId).response).toMatchObject(notShown);
  expect(session.status).toBe("awaiting_tool_execution");
});

test.each<[string, (session: Session) => unknown]>([
  ["pendingToolCalls", (session) => session.pendingToolCalls],
  ["state", (session) => session.state],
  ["read", (session) => session.read()],
  ["snapshot", (session) => session.snapshot()],
])("a bare id is enough after %s has shown the call", async (_, show) => {
  const { session, call } = await asked();
  await show(session);

  const response = await session.approve(call.toolCallId).response;

  expect(response).toMatchObject({ status: "completed", text: "Done" });
});

function asking(): Session {
  const world = createWorld(
    [callTool("echo", { n: 1 }), say("Done")],
    [echoTool({ needsApproval: true })],
  );
  return world.host().createSession({ agent: "helper" });
}

test("a bare id is enough after a response has shown the call", async () => {
  const session = asking();
  const { pendingToolCalls: calls = [] } = await session.send("Hello").response;

  const { text } = await session.approve(calls[0]?.toolCallId ?? "").response;

  expect(text).toBe("Done");
});

test("a bare id is enough after the events of a turn have shown the call", async () => {
  const session = asking();
  let id = "";
  for await (const event of session.send("Hello")) {
    if (event.type === "awaiting_tool_execution") id = event.pending[0]?.toolCallId ?? "";
  }

  const { text } = await session.approve(id).response;

  expect(text).toBe("Done");
});

test("a bare id is enough after a subscriber was shown the call, live or from the log", async () => {
  const { world, session, call } = await asked();
  const seen = Promise.withResolvers<string>();
  const elsewhere = await world.host().open(session.id);
  elsewhere.subscribe(
    (event) => {
      if (event.type === "awaiting_tool_execution")
        seen.resolve(event.pending[0]?.toolCallId ?? "");
    },
    { after: { seq: 0, n: 0 } },
  );

  const id = await seen.promise;
  const { text } = await elsewhere.approve(id).response;

  expect(id).toBe(call.toolCallId);
  expect(text).toBe("Done");
});

test("of several calls the others still wait", async () => {
  const world = createWorld(
    [reply(callTool("echo", { n: 1 }), callTool("echo", { n: 2 })), say("Done")],
    [echoTool({ needsApproval: true })],
  );
  const session = world.host().createSession({ agent: "helper" });
  const { pendingToolCalls: calls = [] } = await session.send("Hello").response;

  const first = await session.approve(calls[0]?.toolCallId ?? "").response;
  const second = await session.deny(calls[1]?.toolCallId ?? "").response;

  expect(first).toMatchObject({ status: "awaiting_tool_execution" });
  expect(second).toMatchObject({ status: "completed", text: "Done" });
});
