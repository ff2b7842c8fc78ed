/** Pages of the AI SDK in versions 5, 6 and 7, as a `Chat` and as the hook, by the route and by the transport of `@capstan/client`. */
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
import type { PageChat } from "./sdk.ts";
import { missing } from "./sdk.ts";
import { open, pageKinds, partsOf, serve, shown, suiteName } from "./world.ts";

describe.skipIf(missing !== undefined).each(pageKinds)(suiteName, (page) => {
  const { version } = page;

  test("shows reasoning, text and a tool of the server, and is at rest after them", async () => {
    const script = [reply(think("Hm"), say("I look"), callTool("echo", { n: 1 })), say("Done")];
    const { url } = await serve(script, [echoTool()]);
    const chat = await open(page, url, ({ isAnswered }) => ({
      sendAutomaticallyWhen: isAnswered,
    }));

    await chat.sendMessage({ text: "Hi" });

    expect(chat.error).toBeUndefined();
    expect(chat.status).toBe("ready");
    expect(shown(chat)).toEqual([
      "step-start",
      "reasoning done",
      "text done",
      "tool-echo output-available",
      "step-start",
      "text done",
    ]);
  });

  test("survives an attempt that is discarded after text and half a call", async () => {
    const wrong = failAfter(say("Wrong"), callTool("echo", { n: 0 }), "overloaded");
    const tool = echoTool();
    const { url } = await serve([wrong, callTool("echo", { n: 1 }), say("Done")], [tool]);
    const chat = await open(page, url);

    await chat.sendMessage({ text: "Hi" });

    expect(chat.error).toBeUndefined();
    expect(tool.started.map(({ input }) => input)).toEqual([{ n: 1 }]);
    expect(partsOf(chat).at(-1)).toMatchObject({ type: "text", text: "Done" });
  });

  test("runs a tool of the page once, and goes on in the same message", async () => {
    const { url, provider } = await serve(
      [callTool("remote", { n: 1 }), say("Done")],
      [remoteTool()],
    );
    const calls: unknown[] = [];
    const chat: PageChat = await open(page, url, ({ isAnswered }) => ({
      sendAutomaticallyWhen: isAnswered,
      onToolCall: ({ toolCall: { toolName, toolCallId } }) => {
        calls.push(toolName);
        void chat.addToolResult({ tool: toolName, toolCallId, output: { ok: true } });
      },
    }));

    await chat.sendMessage({ text: "Hi" });
    await until(() => expect(provider.requests).toHaveLength(2));
    await until(() => expect(chat.status).toBe("ready"));

    expect(chat.error).toBeUndefined();
    expect(calls).toEqual(["remote"]);
    expect(chat.messages).toHaveLength(2);
    expect(partsOf(chat).at(-1)).toMatchObject({ type: "text", text: "Done" });
  });

  test("decides about a call", async () => {
    const tool = echoTool({ needsApproval: true });
    const { url, provider } = await serve([callTool("echo", { n: 1 }), say("Done")], [tool]);
    const chat = await open(page, url, ({ isAnswered, isDecided }) => ({
      sendAutomaticallyWhen: isDecided ?? isAnswered,
    }));
    await chat.sendMessage({ text: "Hi" });
    const asked = partsOf(chat).at(-1);

    if (version === 5) {
      const toolCallId = asked?.toolCallId ?? "";
      await chat.addToolResult({ tool: "approval", toolCallId, output: { approved: true } });
    } else {
      await chat.addToolApprovalResponse({ id: asked?.approval?.id ?? "", approved: true });
    }
    await until(() => expect(provider.requests).toHaveLength(2));
    await until(() => expect(chat.status).toBe("ready"));

    expect(chat.error).toBeUndefined();
    expect(tool.started).toHaveLength(1);
    expect(partsOf(chat)).toContainEqual(
      expect.objectContaining({ type: "tool-echo", state: "output-available" }),
    );
    expect(partsOf(chat).at(-1)).toMatchObject({ type: "text", text: "Done" });
  });

  test("edits, regenerates, and comes back to a turn that runs", async () => {
    const tool = deferredTool();
    const script = [
      say("Cats"),
      say("Dogs"),
      say("More dogs"),
      callTool(tool.name, {}),
      say("End"),
    ];
    const { url } = await serve(script, [tool]);
    const chat = await open(page, url);
    await chat.sendMessage({ text: "Cats?" });
    await chat.sendMessage({ text: "Dogs?", messageId: chat.messages[0]?.id ?? "" });
    await chat.regenerate();
    const regenerated = partsOf(chat).at(-1);
    const sent = chat.sendMessage({ text: "Look" });
    const [call] = await tool.whenStarted();

    const messages = chat.messages.slice(0, 3);
    const back = await open(page, url, () => ({ messages }));
    const resumed = back.resumeStream();
    await until(() => expect(back.messages).toHaveLength(4));
    tool.resolve(call?.toolCallId ?? "", "here");
    await Promise.all([sent, resumed]);

    expect([chat.error, back.error]).toEqual([undefined, undefined]);
    expect(regenerated).toMatchObject({ text: "More dogs" });
    expect(chat.messages).toHaveLength(4);
    expect(back.messages.at(-1)).toEqual(chat.messages.at(-1));
  });

  test("tells an error of the model's provider, without its details", async () => {
    const { url } = await serve([failAfter(say("Half"), "auth")]);
    const chat = await open(page, url);

    await chat.sendMessage({ text: "Hi" });

    expect(chat.status).toBe("error");
    expect(chat.error?.message).toContain("rejected this server's credentials");
  });
});
