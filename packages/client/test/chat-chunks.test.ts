/** A page gets the same chunks by the transport of the client as by the server's own route. */
import type { Chunk } from "@capstan/client/chat";
import { chatTransport } from "@capstan/client/chat";
import { agentTool, createAgent } from "@capstan/core";
import type { ScriptItem } from "@capstan/testing";
import { callTool, echoTool, reply, say, scriptedProvider, think } from "@capstan/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { client, serve, token } from "./transports.ts";

const chatId = "chat";
const messages = [{ id: "m1", role: "user", parts: [{ type: "text", text: "Go" }] }];

interface Plan {
  /** Texts of each child, with a call before each. */
  readonly children: readonly (readonly string[])[];
  readonly isNested: boolean;
  readonly answer: string;
}

const anyText = fc.string({ minLength: 1, maxLength: 12 });
const anyPlan: fc.Arbitrary<Plan> = fc.record({
  children: fc.array(fc.array(anyText, { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
  isNested: fc.boolean(),
  answer: anyText,
});

/** A server of its own for each page: a turn runs once. Children of one step each have a tool of their own, so that their scripts do not mix. */
async function serveAll({ children, isNested, answer }: Plan): Promise<string> {
  const tools = children.map((texts, index) => {
    const inner = createAgent({ name: `inner${index}`, model: scriptedProvider([say("deep")]) });
    const steps: ScriptItem[] = texts
      .slice(1)
      .map((text) => reply(say(text), callTool("echo", {})));
    const nested = isNested ? [callTool(`inner${index}`, { task: "Dig" })] : [];
    const model = scriptedProvider([...nested, ...steps, say(texts[0] ?? "")]);
    const agent = createAgent({
      name: `child${index}`,
      model,
      tools: [echoTool(), agentTool(inner, { description: "Digs" })],
    });
    return agentTool(agent, { description: "Works" });
  });
  const calls = children.map((_, index) => callTool(`child${index}`, { task: "Work" }));
  const script = calls.length === 0 ? [] : [reply(think("Hm"), ...calls)];
  const { node } = await serve([...script, say([answer, "!"])], { tools });
  return node.url;
}

async function byRoute(url: string): Promise<Chunk[]> {
  const response = await fetch(`${url}/api/chat`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ id: chatId, trigger: "submit-message", messages }),
  });
  const text = await response.text();
  return text.split("\n\n").flatMap((frame) => {
    const data = frame.split("\n").find((line) => line.startsWith("data: {"));
    return data === undefined ? [] : [JSON.parse(data.slice(6)) as Chunk];
  });
}

async function byTransport(url: string): Promise<Chunk[]> {
  const { sendMessages } = chatTransport({ client: client(url) });
  const trigger = "submit-message";
  const stream = await sendMessages({
    trigger,
    chatId,
    messageId: undefined,
    messages,
    abortSignal: undefined,
  });
  return Array.fromAsync(stream);
}

/**
 * The reply, by call: two children of one step end in any order. Deltas of a part are one, and what a call shows before its result is left out:
 * how they are cut is a matter of time.
 */
function replyOf(chunks: readonly Chunk[]): unknown {
  const byCall: Record<string, Record<string, unknown>[]> = {};
  for (const chunk of chunks) {
    if (chunk.type === "data-child" || ("preliminary" in chunk && chunk.preliminary)) continue;
    const list = (byCall["toolCallId" in chunk ? chunk.toolCallId : "message"] ??= []);
    const last = list.at(-1);
    const isSame = "delta" in chunk && last?.["type"] === chunk.type && last["id"] === chunk.id;
    if (isSame) last["delta"] = `${String(last["delta"])}${chunk.delta}`;
    else list.push({ ...chunk });
  }
  return withoutIds(byCall);
}

/** Parts of the children that a page shows in the end. */
function childrenOf(chunks: readonly Chunk[]): Record<string, unknown> {
  const parts = chunks.filter((chunk) => chunk.type === "data-child");
  return Object.fromEntries(parts.map(({ id, data }) => [id, withoutIds(data)]));
}

/** Ids of children, and of their calls, are those of their sessions, which differ. */
function withoutIds(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, each: unknown) =>
      key === "id" || key === "childId" ? undefined : each,
    ),
  );
}

test("the reply and the last state of each child are the same, whatever the children do", async () => {
  await fc.assert(
    fc.asyncProperty(anyPlan, async (plan) => {
      const route = await byRoute(await serveAll(plan));
      const transport = await byTransport(await serveAll(plan));

      expect(replyOf(transport)).toEqual(replyOf(route));
      expect(childrenOf(transport)).toEqual(childrenOf(route));
      expect(Object.keys(childrenOf(route))).toHaveLength(plan.children.length);
    }),
    { numRuns: 15, seed: 28 },
  );
});
