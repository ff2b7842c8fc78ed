import { defineTool } from "@capstan/core";
import type { ProviderContract, ProviderPart, TurnResponse } from "@capstan/kernel";
import type { StoredEntry } from "@capstan/log";
import { foldEntries } from "@capstan/log";
import { callTool, say } from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

const tool = defineTool({
  name: "tool",
  description: "A tool",
  input: { type: "object" },
  execute: () => "fine",
});

/** One turn of an agent whose settings break the types, as code without them does. Another host can open the session afterwards. */
async function runTurnWith(settings: object): Promise<TurnResponse> {
  const script = [callTool("tool", {}), say("Done"), say("Again")];
  const world = createWorld(script, [tool], settings);
  const session = world.host().createSession({ agent: "helper", id: "s" });

  const response = await world.clock.runUntil(session.send("go").response);
  await session.close();

  const stored = world.repository.read("s").entries;
  foldEntries(JSON.parse(JSON.stringify(stored)) as StoredEntry[]);
  await world.host().open("s");
  return response;
}

function sending(parts: readonly unknown[]): ProviderContract {
  return {
    id: "m",
    contextWindow: 100_000,
    async *stream() {
      yield* parts as ProviderPart[];
      yield { type: "finish", reason: "stop" };
    },
  };
}

test("a hook that blocks a call without a reason blocks it with one of ours", async () => {
  const response = await runTurnWith({ hooks: { before: () => ({ action: "block" }) } });

  expect(response.status).toBe("completed");
  expect(response.messages[1]).toMatchObject({
    content: "Blocked: this call is not allowed.",
    isError: true,
  });
});

test("a hook whose decision is none blocks the call", async () => {
  const response = await runTurnWith({ hooks: { before: () => ({ action: "maybe" }) } });

  expect(response.messages[1]).toMatchObject({ isError: true });
});

test.each([
  ["stopWhen", { stopWhen: () => 1 }],
  ["instructions", { instructions: () => 42 }],
  ["getApiKey", { getApiKey: () => 42 }],
  ["transformContext", { transformContext: () => "none" }],
  ["convertToLlm", { convertToLlm: () => undefined }],
])(
  "%s that returns something else than it should ends the turn in an error that names it",
  async (name, settings) => {
    const response = await runTurnWith(settings);

    expect(response.error).toMatchObject({ name: "TurnError", code: "callback_failed" });
    expect(response.error?.message).toContain(`${name} returned`);
  },
);

test.each([
  ["a call without a name", [{ type: "toolcall_start", index: 0 }]],
  ["a delta that is no text", [{ type: "text_delta", delta: 5 }]],
  ["metadata with a bigint", [{ type: "start", metadata: { created: 5n } }]],
  ["native data with a bigint", [{ type: "native", data: [5n] }]],
  ["an origin that is none", [{ type: "start", origin: { provider: 5 } }]],
  ["a finish part without a reason", [{ type: "finish" }]],
  ["a part without a type", [{}]],
])("a provider that sends %s has broken its protocol", async (_, parts) => {
  const response = await runTurnWith({ model: sending(parts) });

  expect(response.error).toMatchObject({ name: "ProviderError", code: "protocol" });
});

test("a tool that throws an error whose message is null gets an error result, and the turn goes on", async () => {
  const failing = defineTool({
    name: "tool",
    description: "A tool",
    input: { type: "object" },
    execute: async () => {
      throw Object.assign(new Error("API failed"), { message: null });
    },
  });

  const response = await runTurnWith({ tools: [failing] });

  expect(response.status).toBe("completed");
  expect(response.messages[1]).toMatchObject({
    content: "an error without a message",
    isError: true,
  });
});
