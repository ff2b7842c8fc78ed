/** Pages that come back, leave, stop, and send again. */
import { callTool, deferredTool, echoTool, hang, reply, say } from "@capstan/testing";
import { isToolUIPart, lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";
import { describe, expect, test } from "vitest";
import { createWorld, tokens } from "../world.ts";
import { bodyOf, chunksOf, openPage, typesOf, userMessage } from "./page.ts";

const approving = { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses };

describe("a page that comes back", () => {
  test("sees the reply from its beginning, and the rest of it", async () => {
    const tool = deferredTool();
    const script = [reply(say("Let me look"), callTool(tool.name, { n: 1 })), say("Found")];
    const world = await createWorld(script, { tools: [tool] });
    const page = openPage(world);
    const first = page.sendMessage({ text: "Hi" });
    const [call] = await tool.whenStarted();

    const [question] = page.messages;
    const back = openPage(world, { messages: question === undefined ? [] : [question] });
    const second = back.resumeStream();
    while (back.lastMessage?.role !== "assistant") await new Promise(setImmediate);
    tool.resolve(call?.toolCallId ?? "", "here");
    await Promise.all([first, second]);

    expect(back.error).toBeUndefined();
    expect(back.messages).toHaveLength(2);
    expect(back.lastMessage).toEqual(page.lastMessage);
  });

  test("sees the turns before an approval too", async () => {
    const slow = deferredTool();
    const asking = echoTool({ needsApproval: true });
    const script = [callTool("echo", { n: 1 }), callTool(slow.name, {}), say("Done")];
    const world = await createWorld(script, { tools: [asking, slow] });
    const page = openPage(world, approving);
    await page.sendMessage({ text: "Hi" });
    const approval = page.lastMessage?.parts.filter(isToolUIPart)[0]?.approval?.id ?? "";
    await page.addToolApprovalResponse({ id: approval, approved: true });
    const [call] = await slow.whenStarted();

    const [question] = page.messages;
    const back = openPage(world, { messages: question === undefined ? [] : [question] });
    const resumed = back.resumeStream();
    while (back.lastMessage?.parts.length !== 4) await new Promise(setImmediate);
    slow.resolve(call?.toolCallId ?? "", "here");
    await Promise.all([resumed, page.whenSent(2)]);

    expect(back.error).toBeUndefined();
    expect(back.lastParts).toMatchObject([
      { type: "step-start" },
      { type: "tool-echo", state: "output-available" },
      { type: "step-start" },
      { type: "tool-deferred", state: "output-available" },
      { type: "step-start" },
      { type: "text", text: "Done" },
    ]);
    expect(back.lastMessage?.id).toBe(page.lastMessage?.id);
  });

  test("gets 204 if nothing runs: before, after, and of another principal's conversation", async () => {
    const tool = deferredTool();
    const world = await createWorld([callTool(tool.name, {}), say("Done")], { tools: [tool] });
    const statusOf = async (token?: string): Promise<number> => {
      const response = await world.request("/api/chat/chat1/stream", {}, token);
      await response.body?.cancel();
      return response.status;
    };

    const before = await statusOf();
    const page = openPage(world);
    const sent = page.sendMessage({ text: "Hi" });
    const [call] = await tool.whenStarted();
    const during = await statusOf();
    const ofBob = await statusOf(tokens.bob);
    tool.resolve(call?.toolCallId ?? "", "here");
    await sent;

    expect([before, during, ofBob, await statusOf()]).toEqual([204, 200, 204, 204]);
  });

  test("finds the reply complete if only its connection was lost", async () => {
    const world = await createWorld([say("Hello")]);
    const send = (): Promise<Response> => world.post("/api/chat", bodyOf(userMessage("Hi")));
    const lost = await chunksOf(await send());

    const again = await chunksOf(await send());

    expect(typesOf(again).filter((type) => type.startsWith("text"))).toEqual([
      "text-start",
      "text-delta",
      "text-end",
    ]);
    expect(again.at(-1)).toEqual(lost.at(-1));
    expect(world.provider.requests).toHaveLength(1);
  });
});

test("a message that is sent again gets its own reply, not the one that is under way", async () => {
  const tool = deferredTool();
  const script = [say("One"), callTool(tool.name, {}), say("Two")];
  const world = await createWorld(script, { tools: [tool] });
  const send = (text: string, id: string): Promise<Response> =>
    world.post("/api/chat", bodyOf(userMessage(text, id)));
  await chunksOf(await send("First", "m1"));
  const running = send("Second", "m2");
  const [call] = await tool.whenStarted();
  const steered = await chunksOf(await send("Faster", "m3"));

  const again = await chunksOf(await send("First", "m1"));
  tool.resolve(call?.toolCallId ?? "", "here");
  await chunksOf(await running);
  const steeredAgain = await chunksOf(await send("Faster", "m3"));

  expect(again.filter(({ type }) => type === "text-delta")).toMatchObject([{ delta: "One" }]);
  expect(typesOf(steered)).toEqual(["start", "start-step", "finish-step", "finish"]);
  expect(steeredAgain).toEqual(steered);
  expect(world.provider.requests).toHaveLength(3);
});

describe("a page that leaves", () => {
  test("does not stop the turn", async () => {
    const tool = deferredTool();
    const world = await createWorld([callTool(tool.name, {}), say("Done")], { tools: [tool] });
    const page = openPage(world);
    const sent = page.sendMessage({ text: "Hi" });
    const [call] = await tool.whenStarted();

    await page.stop();
    await sent;
    tool.resolve(call?.toolCallId ?? "", "here");
    const { sessions } = await world.host.list();
    const session = await world.host.open(sessions[0]?.id ?? "");
    await session.waitForIdle();

    expect(tool.aborted).toEqual([]);
    expect(session.status).toBe("completed");
  });

  test("stops the turn if the server is told so", async () => {
    const tool = deferredTool({ settlesOnAbort: true });
    const world = await createWorld([callTool(tool.name, {})], {
      tools: [tool],
      server: { chat: { onDisconnect: "cancel" } },
    });
    const page = openPage(world);
    const sent = page.sendMessage({ text: "Hi" });
    await tool.whenStarted();

    await page.stop();
    await sent;
    while (tool.aborted.length === 0) await new Promise(setImmediate);

    expect(tool.aborted).toHaveLength(1);
  });
});

test("the stop route ends the turn and its streams, and does nothing without a turn", async () => {
  const world = await createWorld([reply(say("One moment"), hang())]);
  const page = openPage(world);
  const sent = page.sendMessage({ text: "Hi" });
  while (page.lastMessage?.role !== "assistant") await new Promise(setImmediate);

  const stopped = await world.request("/api/chat/chat1/stop", { method: "POST" });
  await sent;
  const again = await world.request("/api/chat/chat1/stop", { method: "POST" });
  const unknown = await world.request("/api/chat/other/stop", { method: "POST" });

  expect(await stopped.json()).toEqual({ success: true });
  expect(again.status).toBe(200);
  expect(unknown.status).toBe(404);
  expect(page.status).toBe("ready");
  expect(page.lastMessage?.parts.at(-1)).toMatchObject({ text: "One moment", state: "done" });
});
