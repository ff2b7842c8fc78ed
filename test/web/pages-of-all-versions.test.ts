/** `Chat` of the AI SDK in versions 5, 6 and 7, on one server. */
import { bearerTokens, createServer } from "@capstan/server";
import { serveNode } from "@capstan/server/node";
import { createAgent, createHost } from "@capstan/core";
import type { ToolContract } from "@capstan/kernel";
import { memoryRepository } from "@capstan/log";
import type { ScriptItem } from "@capstan/testing";
import {
  callTool,
  deferredTool,
  echoTool,
  failAfter,
  remoteTool,
  reply,
  say,
  scriptedProvider,
  think,
} from "@capstan/testing";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { ChatChoices, PageChat, PagePart, Sdk } from "./sdk.ts";
import { loadSdk, missing, versions } from "./sdk.ts";

const token = "ann-0123456789abcdef";

async function serve(script: readonly ScriptItem[], tools: readonly ToolContract[] = []) {
  const provider = scriptedProvider([...script]);
  const retry = { maxAttempts: 2, baseDelayMs: 0 };
  const agent = createAgent({ model: provider, tools, retry });
  const host = createHost({ agents: [agent], repository: memoryRepository() });
  const server = createServer({ host, authenticate: bearerTokens({ ann: token }) });
  const node = await serveNode(server, { drainMs: 200 });
  onTestFinished(() => node.close());
  return { provider, url: node.url };
}

function partsOf(chat: PageChat): readonly PagePart[] {
  return chat.messages.at(-1)?.parts ?? [];
}

function shown(chat: PageChat): readonly string[] {
  return partsOf(chat).map(({ type, state }) => (state === undefined ? type : `${type} ${state}`));
}

function open(
  version: (typeof versions)[number],
  url: string,
  choices: (sdk: Sdk) => Partial<ChatChoices> = () => ({}),
): PageChat {
  const sdk = loadSdk(version);
  return sdk.openChat({ url, token, ...choices(sdk) });
}

describe.skipIf(missing !== undefined).each(versions)(
  `version %i of the AI SDK${missing === undefined ? "" : ` (${missing})`}`,
  (version) => {
    test("shows reasoning, text and a tool of the server, and is at rest after them", async () => {
      const script = [reply(think("Hm"), say("I look"), callTool("echo", { n: 1 })), say("Done")];
      const { url } = await serve(script, [echoTool()]);
      const chat = open(version, url, ({ isAnswered }) => ({
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
      const chat = open(version, url);

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
      const chat: PageChat = open(version, url, ({ isAnswered }) => ({
        sendAutomaticallyWhen: isAnswered,
        onToolCall: ({ toolCall: { toolName, toolCallId } }) => {
          calls.push(toolName);
          void chat.addToolResult({ tool: toolName, toolCallId, output: { ok: true } });
        },
      }));

      await chat.sendMessage({ text: "Hi" });
      await vi.waitFor(() => expect(provider.requests).toHaveLength(2));
      await vi.waitFor(() => expect(chat.status).toBe("ready"));

      expect(chat.error).toBeUndefined();
      expect(calls).toEqual(["remote"]);
      expect(chat.messages).toHaveLength(2);
      expect(partsOf(chat).at(-1)).toMatchObject({ type: "text", text: "Done" });
    });

    test("decides about a call", async () => {
      const tool = echoTool({ needsApproval: true });
      const { url, provider } = await serve([callTool("echo", { n: 1 }), say("Done")], [tool]);
      const chat = open(version, url, ({ isAnswered, isDecided }) => ({
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
      await vi.waitFor(() => expect(provider.requests).toHaveLength(2));
      await vi.waitFor(() => expect(chat.status).toBe("ready"));

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
      const chat = open(version, url);
      await chat.sendMessage({ text: "Cats?" });
      await chat.sendMessage({ text: "Dogs?", messageId: chat.messages[0]?.id ?? "" });
      await chat.regenerate();
      const regenerated = partsOf(chat).at(-1);
      const sent = chat.sendMessage({ text: "Look" });
      const [call] = await tool.whenStarted();

      const messages = chat.messages.slice(0, 3);
      const back = open(version, url, () => ({ messages }));
      const resumed = back.resumeStream();
      await vi.waitFor(() => expect(back.messages).toHaveLength(4));
      tool.resolve(call?.toolCallId ?? "", "here");
      await Promise.all([sent, resumed]);

      expect([chat.error, back.error]).toEqual([undefined, undefined]);
      expect(regenerated).toMatchObject({ text: "More dogs" });
      expect(chat.messages).toHaveLength(4);
      expect(back.messages.at(-1)).toEqual(chat.messages.at(-1));
    });

    test("tells an error of the model's provider, without its details", async () => {
      const { url } = await serve([failAfter(say("Half"), "auth")]);
      const chat = open(version, url);

      await chat.sendMessage({ text: "Hi" });

      expect(chat.status).toBe("error");
      expect(chat.error?.message).toContain("rejected this server's credentials");
    });
  },
);
