import { join } from "node:path";
import type { ProviderPart } from "@capstan/kernel";
import { createAgent, createHost } from "@capstan/core";
import type { AgentInit, Host, Session } from "@capstan/core";
import { sqlite } from "@capstan/stores/sqlite";
import { callTool, echoTool, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { failureOf } from "../failure-of.ts";
import { temporaryFolder } from "../temporary-folder.ts";

function hostOn(folder: string, settings: object = {}): Host {
  const model = scriptedProvider([callTool("echo"), say("one"), say("two"), say("three")]);
  const init: AgentInit = { name: "helper", model, tools: [echoTool({ name: "echo" })] };
  const agent = createAgent({ ...init, compaction: false, ...settings });
  return createHost({ agents: [agent], repository: sqlite(join(folder, "s.db")), onError() {} });
}

/** Untyped callers may pass this. */
const settings: Record<string, object> = {
  "a hook that blocks without a reason": { hooks: { before: () => ({ action: "block" }) } },
  "a stopWhen that gives a number": { stopWhen: () => 1 },
  "instructions that are a number": { instructions: () => 42 },
  "a call without a name": { model: sending([{ type: "toolcall_start", index: 0 }]) },
  "usage that is text": {
    model: sending([{ type: "finish", reason: "stop", usage: { inputTokens: "9" } }]),
  },
  "a finish reason that is a list": { model: sending([{ type: "finish", reason: ["stop"] }]) },
};

function sending(parts: readonly unknown[]): unknown {
  return {
    id: "m",
    async *stream() {
      yield* parts as ProviderPart[];
      yield { type: "finish", reason: "stop" };
    },
  };
}

test.each(Object.entries(settings))(
  "a session with %s is opened by the next process, and goes on",
  async (_, given) => {
    using folder = temporaryFolder();
    const first = hostOn(folder.path, given);
    const session = first.createSession({ agent: "helper", id: "s" });
    await session.send("go").response;
    await session.send("go on").response;
    await first.close();

    const next = hostOn(folder.path);
    const opened = await next.open("s");

    expect(await opened.send("hello").response).toMatchObject({ status: "completed" });
    await next.close();
  },
);

const posts: Record<string, (session: Session) => unknown> = {
  "a title": (session) => session.configure({ title: 5 as unknown as string }),
  instructions: (session) => session.configure({ instructions: {} as unknown as string }),
};

test.each(Object.entries(posts))(
  "%s that is no text is refused as invalid input, and nothing of it is stored",
  async (_, post) => {
    using folder = temporaryFolder();
    const first = hostOn(folder.path);
    const session = first.createSession({ agent: "helper", id: "s" });
    await session.send("go").response;

    const failure = await failureOf(() => post(session));
    await first.close();

    expect(failure).toMatchObject({ name: "SessionError", code: "invalid_input" });
    const next = hostOn(folder.path);
    expect(await (await next.open("s")).send("hello").response).toMatchObject({
      status: "completed",
    });
    await next.close();
  },
);

test("a session that begins with what could not be read again is not begun", async () => {
  using folder = temporaryFolder();
  const host = hostOn(folder.path);
  const principal = 5 as unknown as string;
  const session = host.createSession({ agent: "helper", id: "s", principal });

  const response = await session.send("go").response;

  expect(response.error).toMatchObject({ code: "invalid_input" });
  expect(await failureOf(() => host.open("s"))).toMatchObject({ code: "not_found" });
  await host.close();
});
