/** What pages get from the transport of `@capstan/client` that requests to the route do not have. */
import { connect } from "@capstan/client";
import { chatTransport } from "@capstan/client/chat";
import { lendTool } from "@capstan/client";
import { callTool, deferredTool, reply, say, stall } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { until } from "./mount-hook.ts";
import type { PageMessage } from "./sdk.ts";
import { missing } from "./sdk.ts";
import { open, pageKinds, partsOf, serve, shown, suiteName, token } from "./world.ts";

const transports = pageKinds.filter(({ way }) => way === "transport");

describe.skipIf(missing !== undefined).each(transports)(suiteName, (page) => {
  test("stop() ends the turn on the server, and what came stays", async () => {
    const { url, provider, host } = await serve([reply(say("One moment"), stall())]);
    const chat = await open(page, url);
    const sent = chat.sendMessage({ text: "Hi" });
    await until(() => expect(shown(chat).at(-1)).toBe("text streaming"));

    await chat.stop();
    await sent;

    await until(() => expect(provider.openStreams).toBe(0));
    const { sessions } = await host.list();
    await until(async () => {
      expect((await host.open(sessions[0]?.id ?? "")).status).toBe("completed");
    });
    expect(chat.error).toBeUndefined();
    expect(partsOf(chat).at(-1)).toMatchObject({ text: "One moment" });
  });

  test("stop() leaves the turn alone if the page wants that", async () => {
    const tool = deferredTool();
    const { url, provider } = await serve([callTool(tool.name, {}), say("Done")], [tool]);
    const chat = await open(page, url, () => ({ transport: { onAbort: "leave" } }));
    const sent = chat.sendMessage({ text: "Hi" });
    const [call] = await tool.whenStarted();

    await chat.stop();
    await sent;
    tool.resolve(call?.toolCallId ?? "", "here");

    await until(() => expect(provider.requests).toHaveLength(2));
    expect(tool.aborted).toEqual([]);
  });

  test("a message while a turn runs steers it", async () => {
    const tool = deferredTool();
    const { url, provider } = await serve([callTool(tool.name, {}), say("I see")], [tool]);
    const chat = await open(page, url);
    const other = await open(page, url);
    const sent = chat.sendMessage({ text: "Hi" });
    const [call] = await tool.whenStarted();

    await other.sendMessage({ text: "Faster" });
    tool.resolve(call?.toolCallId ?? "", "here");
    await sent;

    expect([chat.error, other.error]).toEqual([undefined, undefined]);
    expect(JSON.stringify(provider.requests[1]?.messages)).toContain("Faster");
    expect(partsOf(chat).at(-1)).toMatchObject({ text: "I see" });
    // Only version 7 has a part for it.
    const steered = partsOf(chat).filter(({ type }) => type === "steering-message");
    expect(steered).toHaveLength(page.version === 7 ? 1 : 0);
  });

  test("tools that the client lends run by themselves, and the page shows them in one message", async () => {
    const title = lendTool({
      name: "title",
      description: "Title of the page",
      input: { type: "object" },
      execute: () => "A page",
    });
    const { url } = await serve([callTool("title", {}), say("Nice")]);
    const chat = await open(page, url, ({ isAnswered }) => ({
      tools: [title],
      sendAutomaticallyWhen: isAnswered,
    }));

    await chat.sendMessage({ text: "Hi" });

    expect(chat.error).toBeUndefined();
    expect(chat.messages).toHaveLength(2);
    expect(shown(chat)).toEqual([
      "step-start",
      "tool-title output-available",
      "step-start",
      "text done",
    ]);
  });

  test("to resume after a message that settled an approval shows the reply to that message only", async () => {
    const asking = deferredTool({ needsApproval: true, name: "asking" });
    const slow = deferredTool();
    const script = [callTool("asking", {}), callTool(slow.name, {}), say("Noon")];
    const { url } = await serve(script, [asking, slow]);
    const chat = await open(page, url);
    await chat.sendMessage({ text: "Hi" });
    const sent = chat.sendMessage({ text: "What is the time?" });
    const [call] = await slow.whenStarted();

    const messages = chat.messages.slice(0, 3) as readonly PageMessage[];
    const back = await open(page, url, () => ({ messages }));
    const resumed = back.resumeStream();
    await until(() => expect(back.messages).toHaveLength(4));
    slow.resolve(call?.toolCallId ?? "", "here");
    await Promise.all([sent, resumed]);

    expect([chat.error, back.error]).toEqual([undefined, undefined]);
    expect(shown(back)).toEqual(shown(chat));
    expect(shown(back)).not.toContain("tool-asking approval-requested");
    expect(back.messages.at(-1)?.id).toBe(chat.messages.at(-1)?.id);
  });
});

describe("a transport", () => {
  test("has nothing to resume if nothing runs, and refuses what is no message", async () => {
    const { url } = await serve([say("Hello")]);
    const transport = chatTransport({ client: connect({ url, token }) });
    const request = {
      chatId: "chat1",
      trigger: "submit-message" as const,
      messageId: undefined,
      abortSignal: undefined,
    };

    expect(await transport.reconnectToStream({ chatId: "chat1" })).toBeNull();
    const forged = { id: "m1", role: "system", parts: [] };
    await expect(transport.sendMessages({ ...request, messages: [forged] })).rejects.toMatchObject({
      name: "ClientError",
      code: "invalid_request",
    });
    const again = { ...request, trigger: "regenerate-message" as const };
    const user = { id: "m1", role: "user", parts: [{ type: "text", text: "Hi" }] };
    await expect(transport.sendMessages({ ...again, messages: [user] })).rejects.toMatchObject({
      code: "not_found",
    });
  });

  test("gives the session of a chat, for what the hook has no function for", async () => {
    const { url } = await serve([say("Hello")]);
    const transport = chatTransport({ client: connect({ url, token }) });

    const { text } = await transport.session("chat1").send("Hi").response;

    expect(text).toBe("Hello");
    expect(transport.session("chat1").state.messages).toHaveLength(2);
  });
});
