import type { ChatMessage } from "@capstan/kernel";
import { callTool, reply, say, scriptedProvider } from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { expect, test } from "vitest";
import { requestWith } from "./request.ts";

function later(): ScriptItem {
  return say("c");
}

test("a provider states its id and its context window", () => {
  const plain = scriptedProvider([]);
  const told = scriptedProvider([], { id: "other", contextWindow: 2_000 });

  expect([plain.id, plain.contextWindow]).toEqual(["scripted", 128_000]);
  expect([told.id, told.contextWindow]).toEqual(["other", 2_000]);
});

test("a recorded request does not change with the history it was made of", async () => {
  const messages: ChatMessage[] = [{ role: "user", id: "u1", content: "Hello" }];
  const options = { temperature: 1 };
  const tools = [{ name: "echo", description: "", inputSchema: {} }];
  const provider = scriptedProvider([say("a")]);

  provider.stream(requestWith({ messages, options, tools, step: 3, toolChoice: "none" }));
  messages.push({ role: "user", id: "u2", content: "more" });

  expect(provider.requests).toHaveLength(1);
  expect(provider.requests[0]).toMatchObject({
    messages: [{ id: "u1" }],
    tools: ["echo"],
    toolChoice: "none",
    step: 3,
    attempt: 1,
  });
  expect(provider.requests[0]?.messages).toHaveLength(1);
  expect(provider.requests[0]?.options).toBe(options);
});

test("the signal of a request is read only when the record's is", async () => {
  const { signal } = new AbortController();
  const reads: string[] = [];
  const request = {
    ...requestWith(),
    get signal() {
      reads.push("read");
      return signal;
    },
  };
  const provider = scriptedProvider([say("a")]);

  await Array.fromAsync(provider.stream(request));
  const readsBefore = reads.length;
  const recorded = provider.requests[0]?.signal;

  expect(readsBefore).toBe(0);
  expect(recorded).toBe(signal);
});

test("a script that was used up is complete", async () => {
  const provider = scriptedProvider([say("a")]);

  await Array.fromAsync(provider.stream(requestWith()));

  expect(() => provider.assertComplete()).not.toThrow();
});

test("items that were not used are named", async () => {
  const script = [say("a"), reply(say("b"), callTool("ls")), later, () => say("d")];
  const provider = scriptedProvider(script);

  await Array.fromAsync(provider.stream(requestWith()));

  expect(() => provider.assertComplete()).toThrowErrorMatchingInlineSnapshot(`
    [Error: The script of provider "scripted" is not complete:
    - item 2 was not used: [say("b"), callTool("ls")]
    - item 3 was not used: later
    - item 4 was not used: (request) => …]
  `);
});

test("a call beyond the end fails and is remembered", async () => {
  const provider = scriptedProvider([say("a")]);
  await Array.fromAsync(provider.stream(requestWith()));

  const beyond = Array.fromAsync(provider.stream(requestWith()));

  const message = "call 2 came after the end of the script, which has 1 item(s)";
  await expect(beyond).rejects.toMatchObject({ code: "protocol", retryable: false, message });
  expect(() => provider.assertComplete()).toThrow(message);
});
