import { createHost, createSession, defineTool, openSession, restoreSession } from "@capstan/core";
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

test.each([[undefined], [null], [5], ["agent"]])(
  "%o instead of options is refused with the name of the call",
  async (given) => {
    // Code without types may pass anything.
    const options = given as never;
    const host = createWorld([]).host();
    const calls: Record<string, () => unknown> = {
      createHost: () => createHost(options),
      createSession: () => createSession(options),
      openSession: () => openSession(options),
      restoreSession: () => restoreSession(options),
      "host.createSession": () => host.createSession(options),
      "host.session": () => host.session("s", options),
    };

    for (const [name, call] of Object.entries(calls)) {
      await expect((async () => call())(), name).rejects.toMatchObject({
        name: "SessionError",
        code: "invalid_input",
        message: expect.stringContaining(`${name} needs an object`),
      });
    }
  },
);

test("every call on a closed host, and on its sessions, says that it is closed", async () => {
  const world = createWorld([say("Hi")]);
  const host = world.host();
  const session = host.createSession({ agent: "helper", id: "s" });
  await session.run("Hello");
  await host.close();
  const calls: readonly (() => unknown)[] = [
    () => host.createSession({ agent: "helper" }),
    () => host.session("x", { agent: "helper" }),
    () => host.open("s"),
    () => host.list(),
    () => host.principalOf("s"),
    () => host.delete("s"),
    () => host.release("s"),
    () => host.abandon("s"),
    () => host.repair("s"),
    () => host.readDamaged("s"),
    () => host.run(),
    () => session.steer("x"),
    () => session.followUp("x"),
    () => session.clearQueue(),
    () => session.configure({ title: "x" }),
    () => session.compact(),
    () => session.loadHistory([]),
    () => session.clearHistory(),
    () => session.rewind("t"),
    () => session.reset(),
  ];

  for (const call of calls) {
    await expect((async () => call())(), String(call)).rejects.toMatchObject({
      name: "SessionError",
      code: "host_closed",
    });
  }
  expect((await session.send("x").response).error).toMatchObject({ code: "host_closed" });
  // The messages that this process knows can still be read.
  expect(session.messages).toHaveLength(2);
  await host.close();
});
