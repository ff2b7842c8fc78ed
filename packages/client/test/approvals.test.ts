/** Approvals by a client: of what its handle has shown, or of what the caller has from elsewhere. */
import { lendTool } from "@capstan/client";
import { defineTool } from "@capstan/core";
import { callTool, reply, say, stall } from "@capstan/testing";
import { expect, test } from "vitest";
import { client, serve } from "./transports.ts";

const input = { type: "object" } as const;
const pay = defineTool({
  name: "pay",
  description: "Pays",
  input,
  needsApproval: true,
  execute: () => "paid",
});

test("another page approves what this one was asked, and both know what came of it", async () => {
  const script = [say("Hi"), callTool("pay", {}), say("Paid"), callTool("pay", {}), say("Refused")];
  const { node } = await serve(script, { tools: [pay] });
  const page = client(node.url).session("chat");
  const other = client(node.url).session("chat");
  await other.send("Hello").response;
  const asked = await page.send("Pay").response;
  const [call] = asked.pendingToolCalls ?? [];

  const blind = await other.approve(call?.toolCallId ?? "").response;
  const approved = await other.approve(call ?? "").response;
  const askedAgain = await page.send("Pay again").response;
  const [second] = askedAgain.pendingToolCalls ?? [];
  const { toolCallId = "", hash = "" } = second ?? {};
  // It has never heard of this call.
  const refused = await other.deny({ toolCallId, hash }, "too much").response;

  expect(blind.error?.code).toBe("not_shown");
  expect(approved).toMatchObject({ status: "completed", text: "Paid" });
  expect(refused).toMatchObject({ status: "completed", text: "Refused" });
  expect(JSON.stringify(refused.messages)).toContain("too much");
  expect((await page.refresh()).messages).toEqual((await other.refresh()).messages);
});

test("answers that another client has sent already are acknowledged, and their turn is told", async () => {
  const { node } = await serve([callTool("pay", {}), say("Paid")], { tools: [pay] });
  const page = client(node.url).session("chat");
  const { pendingToolCalls = [] } = await page.send("Pay").response;
  const { toolCallId = "", hash = "" } = pendingToolCalls[0] ?? {};
  const answers = [{ toolCallId, hash, approved: true }];
  await page.send(answers).response;

  const again = await client(node.url).session("chat").send(answers).response;
  const unknown = await page.approve("nothing").response;

  expect(again).toMatchObject({ status: "completed", text: "Paid" });
  expect(unknown.error?.code).toBe("not_shown");
});

test("a page that is loaded again behind an approval gets the whole chain, and not its first rest", async () => {
  const { node } = await serve([callTool("pay", {}), reply(say("Half"), stall())], {
    tools: [pay],
  });
  const page = client(node.url).session("chat");
  const { pendingToolCalls = [] } = await page.send("Pay", { id: "t1" }).response;
  const going = page.approve(pendingToolCalls[0]?.toolCallId ?? "");
  for await (const event of going) if (event.type === "text_delta") break;

  const loaded = client(node.url).session("chat");
  const turn = await loaded.current();
  const events: string[] = [];
  for await (const event of turn ?? []) {
    events.push(event.type);
    if (event.type === "snapshot") turn?.abort();
  }
  const response = await turn?.response;

  expect(response?.status).toBe("aborted");
  expect(events.filter((type) => type === "turn_start")).toHaveLength(2);
  expect(response?.messages.map(({ role }) => role)).toEqual([
    "assistant",
    "tool",
    "assistant",
    "user",
  ]);
});

test.each([
  ["that follows nothing else", false],
  ["with a subscriber", true],
])(
  "a session %s settles what waits with the next message, and follows its turn",
  async (_, isSubscribed) => {
    const { node } = await serve([callTool("pay", {}), reply(say("No"), say("on"))], {
      tools: [pay],
    });
    const session = client(node.url).session("chat");
    const seen: string[] = [];
    if (isSubscribed) session.subscribe(({ type }) => seen.push(type));
    await session.send("Pay").response;

    const refused = await session.send("What is the time?").response;
    const turn = session.send("What is the time?", { id: "t2", ifPending: "settle" });
    const events: string[] = [];
    for await (const { type } of turn) events.push(type);
    const response = await turn.response;
    const reloaded = client(node.url).session("chat");
    const again = await reloaded.send("What is the time?", { id: "t2", ifPending: "settle" })
      .response;

    expect(refused.error?.code).toBe("calls_pending");
    expect(response).toMatchObject({ status: "completed", text: "Noon" });
    expect(events.filter((type) => type === "turn_start")).toHaveLength(1);
    expect(events.at(-1)).toBe("turn_end");
    expect(again).toMatchObject({ status: "completed", text: "Noon" });
    expect(seen.filter((type) => type === "turn_end")).toHaveLength(isSubscribed ? 2 : 0);
  },
);

test("a lent tool that needs an approval runs here, once it has one", async () => {
  const { node } = await serve([callTool("wipe", {}), say("Wiped")]);
  const runs: string[] = [];
  const wipe = lendTool({
    name: "wipe",
    description: "Wipes",
    input,
    needsApproval: true,
    execute: (_, { toolCallId }) => {
      runs.push(toolCallId);
      return "wiped";
    },
  });
  const session = client(node.url, { tools: [wipe] }).createSession();
  const asked = await session.send("Wipe").response;
  const [call] = session.state.pendingToolCalls;

  const { text } = await session.approve(call?.toolCallId ?? "").response;

  expect(asked.status).toBe("awaiting_tool_execution");
  expect(text).toBe("Wiped");
  expect(runs).toEqual([call?.toolCallId]);
});
