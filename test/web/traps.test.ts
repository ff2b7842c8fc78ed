/** The twelve traps in which pages of the AI SDK are caught, each in real pages of all versions. */
import {
  callTool,
  deferredTool,
  echoTool,
  failAfter,
  remoteTool,
  reply,
  say,
  think,
} from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { until } from "./mount-hook.ts";
import type { PageChat, PageMessage } from "./sdk.ts";
import { loadSdk, missing } from "./sdk.ts";
import type { PageKind } from "./world.ts";
import { open, pageKinds, partsOf, serve, shown, suiteName, token } from "./world.ts";

/** All chunks of a conversation by the route, as pages of this version get them. */
async function chunksOf(url: string, body: object, version: number): Promise<readonly string[]> {
  const response = await fetch(`${url}/api/chat?protocol=${version}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return [...text.matchAll(/"type":"([\w-]+)"/g)].map(([, type = ""]) => type);
}

function userMessage(id: string): object {
  return { id, role: "user", parts: [{ type: "text", text: "Hi" }] };
}

/** Answers the calls of the page's own tools at once. */
async function openAnswering(page: PageKind, url: string): Promise<PageChat> {
  const chat: PageChat = await open(page, url, ({ isAnswered }) => ({
    sendAutomaticallyWhen: isAnswered,
    onToolCall: ({ toolCall: { toolName, toolCallId, providerExecuted } }) => {
      if (providerExecuted === true) return;
      // The chat reports what goes wrong.
      void chat.addToolResult({ tool: toolName, toolCallId, output: { degrees: 31 } });
    },
  }));
  return chat;
}

function decide(page: PageKind, chat: PageChat, approved: boolean): Promise<void> {
  const asked = partsOf(chat).at(-1);
  const reason = "too late";
  if (page.version === 5) {
    const toolCallId = asked?.toolCallId ?? "";
    return chat.addToolResult({ tool: "approval", toolCallId, output: { approved, reason } });
  }
  return chat.addToolApprovalResponse({ id: asked?.approval?.id ?? "", approved, reason });
}

/** A turn that a tool of the page has continued. */
async function continueAfterPageTool(page: PageKind) {
  const script = [callTool("remote", { city: "Rome" }), say("Warm")];
  const { url, provider } = await serve(script, [remoteTool()]);
  const chat = await openAnswering(page, url);
  await chat.sendMessage({ text: "Hi" });
  await until(() => expect(shown(chat).at(-1)).toBe("text done"));
  await until(() => expect(chat.status).toBe("ready"));
  return { chat, provider };
}

/** A page that is loaded again while the second turn of a chain runs. */
async function resumeChain(page: PageKind) {
  const slow = deferredTool();
  const asking = echoTool({ needsApproval: true });
  const first = reply(think("Hm"), callTool("echo", { n: 1 }));
  const { url } = await serve([first, callTool(slow.name, {}), say("Done")], [asking, slow]);
  const chat = await open(page, url, ({ isDecided, isAnswered }) => ({
    sendAutomaticallyWhen: isDecided ?? isAnswered,
  }));
  await chat.sendMessage({ text: "Hi" });
  await decide(page, chat, true);
  const [call] = await slow.whenStarted();
  const question = chat.messages[0] as PageMessage;
  const back = await open(page, url, () => ({ messages: [question] }));
  const resumed = back.resumeStream();
  await until(() => expect(shown(back).join()).toContain("tool-deferred"));
  slow.resolve(call?.toolCallId ?? "", "here");
  await resumed;
  await until(() => expect(shown(chat).at(-1)).toBe("text done"));
  return { chat, back };
}

describe.skipIf(missing !== undefined).each(pageKinds)(suiteName, (page) => {
  test("trap 1: a turn that ends on a tool of the server is not sent again without end", async () => {
    const tools = [echoTool()];
    const agent = { maxSteps: 1, closing: false } as const;
    const { url, provider } = await serve([callTool("echo", {}), say("Never")], tools, {}, agent);
    const chat = await open(page, url, ({ isAnswered }) => ({ sendAutomaticallyWhen: isAnswered }));

    await chat.sendMessage({ text: "Hi" });

    expect(chat.error).toBeUndefined();
    expect(provider.requests).toHaveLength(1);
    expect(shown(chat)).toContain("tool-echo output-available");
    expect(loadSdk(page.version).isAnswered(chat)).toBe(false);
  });

  test("trap 2: the continuation of a client's tool stays in the same message", async () => {
    const { chat } = await continueAfterPageTool(page);

    expect(chat.messages).toHaveLength(2);
    expect(partsOf(chat).filter(({ type }) => type === "tool-remote")).toHaveLength(1);
  });

  test("trap 3: to resume shows the earlier turns of the chain again", async () => {
    const { back } = await resumeChain(page);

    const tools = partsOf(back).filter(({ type }) => /^tool-(echo|deferred)$/.test(type));
    expect(tools).toMatchObject([{ state: "output-available" }, { state: "output-available" }]);
  });

  test("trap 4: to resume makes no second message beside the first", async () => {
    const { chat, back } = await resumeChain(page);

    expect(back.messages.map(({ id }) => id)).toEqual(chat.messages.map(({ id }) => id));
  });

  test("trap 5: whatever happens in a turn, the page knows every chunk of it", async () => {
    const slow = deferredTool();
    const asking = echoTool({ needsApproval: true });
    const discarded = failAfter(say("Wrong"), callTool("echo", {}), "overloaded");
    const first = reply(think("Hm"), say("I look"), callTool(slow.name, {}));
    const { url } = await serve(
      [discarded, first, callTool("echo", { n: 1 }), say("Done")],
      [slow, asking],
    );
    const chat = await open(page, url, ({ isDecided, isAnswered }) => ({
      sendAutomaticallyWhen: isDecided ?? isAnswered,
    }));
    const sent = chat.sendMessage({ text: "Hi" });
    const [call] = await slow.whenStarted();
    await (await open(page, url)).sendMessage({ text: "Faster" });
    slow.resolve(call?.toolCallId ?? "", "here");
    await sent;

    await decide(page, chat, true);
    await until(() => expect(partsOf(chat).at(-1)).toMatchObject({ text: "Done" }));

    expect(chat.error).toBeUndefined();
  });

  test("trap 6: the output of a call that an earlier stream announced finds its call", async () => {
    const { chat } = await continueAfterPageTool(page);

    expect(chat.error).toBeUndefined();
    expect(partsOf(chat).find(({ type }) => type === "tool-remote")).toMatchObject({
      state: "output-available",
      output: { degrees: 31 },
    });
  });

  test("trap 7: a refusal is told from a failure", async () => {
    const tool = echoTool({ needsApproval: true });
    const { url, provider } = await serve([callTool("echo", { n: 1 }), say("Fine")], [tool]);
    const chat = await open(page, url, ({ isDecided, isAnswered }) => ({
      sendAutomaticallyWhen: isDecided ?? isAnswered,
    }));
    await chat.sendMessage({ text: "Hi" });

    await decide(page, chat, false);
    await until(() => expect(shown(chat).at(-1)).toBe("text done"));

    expect(chat.error).toBeUndefined();
    expect(tool.started).toEqual([]);
    const refused = partsOf(chat).find(({ type }) => type === "tool-echo");
    // Version 5 has no state for it.
    expect(refused?.state).toBe(page.version === 5 ? "output-error" : "output-denied");
    expect(JSON.stringify(provider.requests[1]?.messages)).toContain("too late");
  });

  test("trap 8: a user who types while an approval waits gets an answer", async () => {
    const tool = echoTool({ needsApproval: true });
    const { url } = await serve([callTool("echo", { n: 1 }), say("Noon")], [tool]);
    const chat = await open(page, url);
    await chat.sendMessage({ text: "Hi" });

    await chat.sendMessage({ text: "What is the time?" });

    expect(chat.error).toBeUndefined();
    expect(tool.started).toEqual([]);
    expect(chat.messages).toHaveLength(4);
    expect(partsOf(chat).at(-1)).toMatchObject({ text: "Noon" });
  });

  test("trap 9: edit and regenerate cut the history in the same session", async () => {
    const { url, provider, host } = await serve([say("Cats"), say("Dogs"), say("More")]);
    const chat = await open(page, url);
    await chat.sendMessage({ text: "Cats?" });

    await chat.sendMessage({ text: "Dogs?", messageId: chat.messages[0]?.id ?? "" });
    await chat.regenerate();

    expect(chat.error).toBeUndefined();
    expect(chat.messages).toHaveLength(2);
    expect(partsOf(chat).at(-1)).toMatchObject({ text: "More" });
    const last = provider.requests[2]?.messages.filter(({ role }) => role !== "system");
    expect(last).toMatchObject([{ role: "user", content: [{ text: "Dogs?" }] }]);
    expect((await host.list()).sessions).toHaveLength(1);
  });

  test("trap 10: JSON that a page's tool returns reaches the model as text", async () => {
    const { provider } = await continueAfterPageTool(page);

    expect(provider.requests[1]?.messages.at(-1)).toMatchObject({ content: '{"degrees":31}' });
  });

  test("trap 11: a replay without deltas shows what the deltas have shown", async () => {
    const { chat, back } = await resumeChain(page);

    expect([chat.error, back.error]).toEqual([undefined, undefined]);
    expect(partsOf(back).find(({ type }) => type === "reasoning")).toMatchObject({ text: "Hm" });
    expect(shown(back).at(-1)).toBe("text done");
  });
});

describe.skipIf(missing !== undefined).each([5, 6, 7])("pages of version %i", (version) => {
  const added = ["tool-approval-response", "reset-step", "steering-message", "custom"];
  const unknown: Readonly<Record<number, readonly string[]>> = {
    5: [...added, "tool-approval-request", "tool-output-denied"],
    6: added,
    7: [],
  };

  test("trap 12: they get no chunk that their version does not know", async () => {
    const tool = echoTool({ needsApproval: true });
    const script = [reply(think("Hm"), say("I ask"), callTool("echo", { n: 1 })), say("Other")];
    const { url } = await serve(script, [tool]);

    const asked = await chunksOf(url, { id: "chat1", messages: [userMessage("m1")] }, version);
    const settled = await chunksOf(url, { id: "chat1", messages: [userMessage("m2")] }, version);

    const types = [...asked, ...settled];
    expect(types.filter((type) => unknown[version]?.includes(type))).toEqual([]);
    expect(types.length).toBeGreaterThan(15);
  });
});
