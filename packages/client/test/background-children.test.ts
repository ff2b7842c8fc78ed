/** Children in the background, as a client over HTTP sees them. */
import { agentTool, createAgent, defineTool } from "@capstan/core";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { client, serve, token } from "./transports.ts";

const pay = defineTool({
  name: "pay",
  description: "Pays",
  input: { type: "object" },
  needsApproval: true,
  execute: () => "paid",
});

function researcher() {
  const model = scriptedProvider([callTool("pay", {}), say("42")]);
  const agent = createAgent({ name: "researcher", model, tools: [pay] });
  return agentTool(agent, { description: "Finds things", mode: "background" });
}

test("a client hears what waits in the child, goes on talking, approves it, and gets the answer", async () => {
  const script = [
    callTool("researcher", { task: "Find it" }),
    say("Wait"),
    say("Hello"),
    say("Done"),
  ];
  const { node } = await serve(script, { tools: [researcher()] });
  const page = client(node.url).session("chat");
  const waiting = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  page.subscribe((event) => {
    if (event.type === "child_waiting" && event.pending.length > 0) waiting.resolve();
    if (event.type === "message_end" && JSON.stringify(event.message).includes("Done")) {
      over.resolve();
    }
  });

  const started = await page.send("Go").response;
  await waiting.promise;
  const greeted = await page.send("Hi").response;
  const [call] = page.state.pendingToolCalls;
  const approved = await page.approve(call?.toolCallId ?? "").response;
  await over.promise;

  expect(started.text).toBe("Wait");
  expect(greeted).toMatchObject({ status: "completed", text: "Hello" });
  expect(call).toMatchObject({ toolName: "pay", via: [{ agent: "researcher" }] });
  expect(approved).toMatchObject({ status: "completed" });
  expect(approved.error).toBeUndefined();
  expect((await page.refresh()).pendingToolCalls).toEqual([]);
  expect(
    page.state.messages.some((message) => message.role === "user" && message.source === "child"),
  ).toBe(true);
});

test("the stream of an answer over HTTP ends at once", async () => {
  const script = [callTool("researcher", { task: "Find it" }), say("Wait"), say("Done")];
  const { node } = await serve(script, { tools: [researcher()] });
  const page = client(node.url).session("chat");
  await page.send("Go").response;
  await expect.poll(async () => (await page.refresh()).pendingToolCalls.length).toBe(1);
  const [call] = page.state.pendingToolCalls;
  const { toolCallId = "", hash = "" } = call ?? {};

  const response = await fetch(`${node.url}/api/agent/execute`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ sessionId: "chat", input: [{ toolCallId, hash, approved: true }] }),
  });
  const text = await response.text();

  expect(text).toContain("execute_complete");
});
