/** The chat of the AI SDK, unchanged, over real sockets. */
import { agentTool, createAgent } from "@capstan/core";
import {
  callTool,
  deferredTool,
  echoTool,
  remoteTool,
  reply,
  say,
  scriptedProvider,
  think,
  tinyImage,
} from "@capstan/testing";
import {
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from "ai";
import { describe, expect, test, vi } from "vitest";
import { createWorld } from "../world.ts";
import type { Page } from "./page.ts";
import { openPage } from "./page.ts";

const approving = { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses };
const answering = { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls };

function toolsOf(page: Page) {
  return page.lastMessage?.parts.filter(isToolUIPart) ?? [];
}

function approvalOf(page: Page): string {
  const found = toolsOf(page).flatMap((part) => part.approval?.id ?? []);
  return found[0] ?? "";
}

describe("a page", () => {
  test("shows thinking and text, with the usage and the id of the turn as metadata", async () => {
    const script = [reply(think("Let me see"), say(["Hel", "lo"]))];
    const world = await createWorld(script, { agent: { includeCost: true } });
    const page = openPage(world);

    await page.sendMessage({ text: "Hi" });

    expect(page.error).toBeUndefined();
    expect(page.lastParts).toMatchObject([
      { type: "step-start" },
      { type: "reasoning", text: "Let me see", state: "done" },
      { type: "text", text: "Hello", state: "done" },
    ]);
    const user = page.messages[0];
    expect(page.lastMessage).toMatchObject({
      id: `${user?.id}-reply`,
      metadata: { turnId: user?.id, usage: {} },
    });
  });

  test("shows a tool of the server with its input and output, and does not run it", async () => {
    const world = await createWorld([callTool("echo", { n: 1 }), say("Done")], {
      tools: [echoTool()],
    });
    const run: unknown[] = [];
    const page = openPage(world, {
      ...answering,
      onToolCall: ({ toolCall }) => void run.push(toolCall),
    });

    await page.sendMessage({ text: "Hi" });

    expect(page.lastParts).toMatchObject([
      { type: "step-start" },
      { type: "tool-echo", state: "output-available", input: { n: 1 }, output: '{"n":1}' },
      { type: "step-start" },
      { type: "text", text: "Done" },
    ]);
    expect(
      run.filter((call) => (call as { providerExecuted?: true }).providerExecuted !== true),
    ).toEqual([]);
    expect(lastAssistantMessageIsCompleteWithToolCalls(page)).toBe(false);
  });

  test("sends several messages to one session", async () => {
    const world = await createWorld([say("One"), say("Two")]);
    const page = openPage(world);

    await page.sendMessage({ text: "First" });
    await page.sendMessage({ text: "Second" });

    expect(page.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
    ]);
    expect(
      world.provider.requests[1]?.messages.filter(({ role }) => role !== "system"),
    ).toMatchObject([
      { role: "user", content: [{ text: "First" }] },
      { role: "assistant" },
      { role: "user", content: [{ text: "Second" }] },
    ]);
  });

  test("sends a file, which the model gets", async () => {
    const world = await createWorld([say("A dot")]);
    const page = openPage(world);

    await page.sendMessage({
      text: "What is this?",
      files: [
        { type: "file", mediaType: "image/png", url: `data:image/png;base64,${tinyImage.data}` },
      ],
    });

    expect(page.error).toBeUndefined();
    expect(world.provider.requests[0]?.messages.at(-1)).toMatchObject({
      content: expect.arrayContaining([tinyImage]) as unknown,
    });
  });

  test("runs its own tools, and the turn continues in the same message", async () => {
    const script = [callTool("remote", { city: "Rome" }), say("It is warm")];
    const world = await createWorld(script, { tools: [remoteTool()] });
    const page: Page = openPage(world, {
      ...answering,
      onToolCall: ({ toolCall }) => {
        void page.addToolOutput({
          tool: toolCall.toolName,
          toolCallId: toolCall.toolCallId,
          output: { degrees: 31 },
        });
      },
    });

    await page.sendMessage({ text: "Hi" });
    await page.whenSent(2);

    expect(page.error).toBeUndefined();
    expect(page.messages).toHaveLength(2);
    expect(page.lastParts).toMatchObject([
      { type: "step-start" },
      { type: "tool-remote", state: "output-available", output: { degrees: 31 } },
      { type: "step-start" },
      { type: "text", text: "It is warm" },
    ]);
    expect(world.provider.requests[1]?.messages.at(-1)).toMatchObject({
      role: "tool",
      content: '{"degrees":31}',
    });
    expect(page.sent).toHaveLength(2);
  });

  test("approves a call, which runs once with the input that was shown", async () => {
    const tool = echoTool({ needsApproval: true });
    const world = await createWorld([callTool("echo", { n: 1 }), say("Done")], { tools: [tool] });
    const page = openPage(world, approving);
    await page.sendMessage({ text: "Hi" });
    const asked = toolsOf(page)[0];

    await page.addToolApprovalResponse({ id: approvalOf(page), approved: true });
    await page.whenSent(2);

    expect(asked).toMatchObject({ state: "approval-requested", input: { n: 1 } });
    expect(tool.started).toHaveLength(1);
    expect(page.error).toBeUndefined();
    expect(page.messages).toHaveLength(2);
    expect(toolsOf(page)).toMatchObject([{ state: "output-available", output: '{"n":1}' }]);
    expect(page.lastMessage?.parts.at(-1)).toMatchObject({ type: "text", text: "Done" });
  });

  test("approves a call of a child session, which is shown like a call of its own", async () => {
    const tool = echoTool({ needsApproval: true });
    const model = scriptedProvider([callTool("echo", { n: 1 }), say("Found")]);
    const helper = createAgent({ name: "researcher", model, tools: [tool] });
    const script = [callTool("researcher", { task: "Find it" }), say("Done")];
    const world = await createWorld(script, {
      tools: [agentTool(helper, { description: "Finds things" })],
    });
    const page = openPage(world, approving);
    await page.sendMessage({ text: "Hi" });
    const asked = toolsOf(page)[1];

    await page.addToolApprovalResponse({ id: approvalOf(page), approved: true });
    await page.whenSent(2);

    expect(asked).toMatchObject({ state: "approval-requested", input: { n: 1 } });
    expect(tool.started).toHaveLength(1);
    expect(page.error).toBeUndefined();
    expect(page.messages).toHaveLength(2);
    expect(toolsOf(page)).toMatchObject([
      { state: "output-available", type: "tool-researcher" },
      { state: "output-available", type: "tool-echo" },
    ]);
    expect(page.lastMessage?.parts.at(-1)).toMatchObject({ type: "text", text: "Done" });
  });

  test.each([5, 6, 7])(
    "of version %i shows what an agent that is a tool does, in a part that is replaced",
    async (protocol) => {
      const slow = deferredTool();
      const model = scriptedProvider([callTool("deferred", { n: 1 }), say("Found")]);
      const helper = createAgent({ name: "researcher", model, tools: [slow] });
      const script = [callTool("researcher", { task: "Find it" }), say("Done"), say("Bye")];
      const world = await createWorld(script, {
        tools: [agentTool(helper, { description: "Finds things" })],
      });
      const page = openPage(world, { protocol });
      const childOf = (): unknown =>
        page.lastMessage?.parts.find(({ type }) => type === "data-child");

      const sending = page.sendMessage({ text: "Hi" });
      const [call] = await slow.whenStarted(1);
      await vi.waitFor(() =>
        expect(childOf()).toMatchObject({
          data: { agent: "researcher", outcome: "running", calls: [{ toolName: "deferred" }] },
        }),
      );
      slow.resolve(call?.toolCallId ?? "", "ok");
      await sending;
      const first = childOf();
      const count = page.lastMessage?.parts.filter(({ type }) => type === "data-child").length;
      await page.sendMessage({ text: "Thanks" });

      expect(page.error).toBeUndefined();
      expect(count).toBe(1);
      expect(first).toMatchObject({
        data: {
          outcome: "answered",
          text: "Found",
          calls: [{ toolName: "deferred", state: "done" }],
        },
      });
      expect(page.messages[1]?.parts.at(-1)).toMatchObject({ type: "text", text: "Done" });
      expect(page.lastMessage?.parts.at(-1)).toMatchObject({ type: "text", text: "Bye" });
    },
  );

  test("denies a call, and the model gets the reason", async () => {
    const tool = echoTool({ needsApproval: true });
    const world = await createWorld([callTool("echo", { n: 1 }), say("Fine")], { tools: [tool] });
    const page = openPage(world, approving);
    await page.sendMessage({ text: "Hi" });

    await page.addToolApprovalResponse({
      id: approvalOf(page),
      approved: false,
      reason: "too late",
    });
    await page.whenSent(2);

    expect(tool.started).toEqual([]);
    expect(toolsOf(page)).toMatchObject([{ state: "output-denied" }]);
    expect(world.provider.requests[1]?.messages.at(-1)).toMatchObject({
      content: expect.stringContaining("too late") as string,
    });
    expect(page.error).toBeUndefined();
  });

  test("says something else while an approval waits, and gets an answer in a message of its own", async () => {
    const tool = echoTool({ needsApproval: true });
    const world = await createWorld([callTool("echo", { n: 1 }), say("Noon")], { tools: [tool] });
    const page = openPage(world);
    await page.sendMessage({ text: "Hi" });

    await page.sendMessage({ text: "What is the time?" });

    expect(page.error).toBeUndefined();
    expect(tool.started).toEqual([]);
    expect(page.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
    ]);
    expect(page.lastMessage?.parts.at(-1)).toMatchObject({ type: "text", text: "Noon" });
    expect(new Set(page.messages.map(({ id }) => id)).size).toBe(4);
  });

  test("regenerates a reply, and the model does not see the old one", async () => {
    const world = await createWorld([say("Old"), say("New"), say("Newer")]);
    const page = openPage(world);
    await page.sendMessage({ text: "Hi" });

    await page.regenerate();
    await page.regenerate();

    expect(page.error).toBeUndefined();
    expect(page.messages).toHaveLength(2);
    expect(page.lastMessage?.parts.at(-1)).toMatchObject({ text: "Newer" });
    const { messages = [] } = world.provider.requests[2] ?? {};
    expect(messages.filter(({ role }) => role !== "system")).toHaveLength(1);
  });

  test("edits a message, again and again", async () => {
    const world = await createWorld([say("Cats"), say("Dogs"), say("Birds")]);
    const page = openPage(world);
    await page.sendMessage({ text: "Cats?" });
    const messageId = page.messages[0]?.id ?? "";

    await page.sendMessage({ text: "Dogs?", messageId });
    await page.sendMessage({ text: "Birds?", messageId });

    expect(page.error).toBeUndefined();
    expect(page.messages).toHaveLength(2);
    expect(page.lastMessage?.parts.at(-1)).toMatchObject({ text: "Birds" });
    const { messages = [] } = world.provider.requests[2] ?? {};
    expect(messages.filter(({ role }) => role !== "system")).toMatchObject([
      { role: "user", content: [{ text: "Birds?" }] },
    ]);
  });

  test("steers while a tool runs: the running reply shows the message", async () => {
    const tool = deferredTool();
    const world = await createWorld([callTool(tool.name, {}), say("I see")], { tools: [tool] });
    const page = openPage(world);
    const other = openPage(world);

    const first = page.sendMessage({ text: "Hi" });
    const [call] = await tool.whenStarted();
    await other.sendMessage({ text: "Faster, please" });
    tool.resolve(call?.toolCallId ?? "", "done");
    await first;

    expect(page.error).toBeUndefined();
    expect(page.lastMessage?.parts.map(({ type }) => type)).toContain("steering-message");
    expect(page.lastMessage?.parts.at(-1)).toMatchObject({ text: "I see" });
    expect(other.error).toBeUndefined();
  });
});
