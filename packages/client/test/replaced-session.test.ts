/** A session that another client deletes and begins again under the same key. */
import type { ClientSession } from "@capstan/client";
import { ClientError, lendTool } from "@capstan/client";
import type { ScriptItem } from "@capstan/testing";
import { callTool, remoteTool, say, stall } from "@capstan/testing";
import { expect, test, vi } from "vitest";
import { client, serve } from "./transports.ts";

/** Two clients that have the session `chat` open, of which the other one begins it again. */
async function twoTabs(script: readonly ScriptItem[]) {
  const { node } = await serve(script);
  const tab = client(node.url).session("chat");
  const begin = async (text: string): Promise<ClientSession> => {
    const other = client(node.url).session("chat");
    await other.send(text, { id: "t1" }).response;
    return other;
  };
  const replace = async (): Promise<void> => {
    await client(node.url).session("chat").delete();
    await begin("Fresh start");
  };
  return { node, tab, begin, replace };
}

function addressOf(asked: string | URL | Request): string {
  return new Request(asked).url;
}

function textsOf({ state }: ClientSession): string {
  return JSON.stringify(state.messages);
}

test("what a client still has to say to the old session is refused, and what it knows is dropped", async () => {
  const { tab, begin, replace } = await twoTabs([say("Old"), say("New"), say("Newer")]);
  await begin("My secret");
  await tab.refresh();
  await replace();

  const refused = await tab.followUp("Late").catch((thrown: unknown) => thrown);
  const known = textsOf(tab);
  await tab.refresh();

  expect(refused).toBeInstanceOf(ClientError);
  expect(refused).toMatchObject({ code: "session_replaced", status: 409 });
  expect(known).toBe("[]");
  expect(textsOf(tab)).toContain("Fresh start");
  expect(textsOf(tab)).not.toContain("secret");
});

test.each<[string, (tab: ClientSession) => Promise<unknown>]>([
  ["read", (tab) => tab.refresh()],
  ["fork", (tab) => tab.fork()],
  ["delete", (tab) => tab.delete()],
])("to %s the old session is refused, though the new one is longer", async (_, ask) => {
  const { node, tab, begin, replace } = await twoTabs([say("Old"), say("New"), say("Newer")]);
  await begin("My secret");
  await tab.refresh();
  await replace();
  const other = client(node.url).session("chat");
  await other.send("And more").response;

  const refused = await ask(tab).catch((thrown: unknown) => thrown);
  await other.refresh();

  expect(refused).toMatchObject({ code: "session_replaced", status: 409 });
  expect(textsOf(tab)).toBe("[]");
  expect(textsOf(other)).toContain("And more");
});

test("who follows the old session, and comes late, hears nothing of the new one", async () => {
  const { node, tab, begin, replace } = await twoTabs([say("Old"), say("New"), say("Newer")]);
  await begin("My secret");
  await tab.refresh();
  await replace();
  await client(node.url).session("chat").send("And more").response;
  const heard: unknown[] = [];

  const { promise, resolve } = Promise.withResolvers<ClientError>();
  tab.subscribe((event) => heard.push(event), { onError: resolve });
  const error = await promise;

  expect(error).toMatchObject({ code: "session_replaced" });
  expect(heard).toEqual([]);
});

test("a refusal of the old session that comes late leaves what is known of the new one", async () => {
  const { node, begin, replace } = await twoTabs([say("Old"), say("New")]);
  const gate = Promise.withResolvers<void>();
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const response = await globalThis.fetch(url, init);
    if (addressOf(url).endsWith("/follow-up")) await gate.promise;
    return response;
  };
  const tab = client(node.url, { fetch }).session("chat");
  await begin("My secret");
  await tab.refresh();
  await replace();
  const late = tab.followUp("Late").catch((thrown: unknown) => thrown);
  const first = await tab.steer("Late as well").catch((thrown: unknown) => thrown);
  await tab.refresh();

  gate.resolve();
  const second = await late;

  expect([first, second]).toMatchObject([
    { code: "session_replaced" },
    { code: "session_replaced" },
  ]);
  expect(textsOf(tab)).toContain("Fresh start");
});

test("a session that the server has set back is dropped, and read anew", async () => {
  const { node, begin } = await twoTabs([say("Old")]);
  const ahead = { error: { code: "cursor_ahead", message: "The log is shorter than that" } };
  const fetch: typeof globalThis.fetch = (url, init) =>
    addressOf(url).includes("sinceSeq=")
      ? Promise.resolve(Response.json(ahead, { status: 409 }))
      : globalThis.fetch(url, init);
  const tab = client(node.url, { fetch }).session("chat");
  await begin("My question");
  await tab.refresh();

  const refused = await tab.refresh().catch((thrown: unknown) => thrown);
  const known = textsOf(tab);
  await tab.refresh();

  expect(refused).toMatchObject({ code: "cursor_ahead" });
  expect(known).toBe("[]");
  expect(textsOf(tab)).toContain("My question");
});

test("pages of a session that is replaced while it is read are not those of two sessions", async () => {
  const script = [say("One"), say("Two"), say("Three"), say("Four")];
  const { node, replace } = await twoTabs(script);
  const long = "secret ".repeat(40_000);
  let isFirst = true;
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const response = await globalThis.fetch(url, init);
    if (isFirst) {
      isFirst = false;
      await replace();
      await client(node.url).session("chat").send(long).response;
    }
    return response;
  };
  const before = client(node.url).session("chat");
  await before.send(long).response;
  await before.send(long).response;
  const tab = client(node.url, { fetch }).session("chat");

  const refused = await tab.refresh().catch((thrown: unknown) => thrown);

  expect(refused).toMatchObject({ code: "session_replaced" });
  expect(textsOf(tab)).toBe("[]");
});

test("a stream that ended with its session is not asked for again", async () => {
  const { node } = await twoTabs([say("Hi")]);
  const opened: string[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const response = await globalThis.fetch(url, init);
    if (addressOf(url).includes("/events")) opened.push(addressOf(url));
    return response;
  };
  const tab = client(node.url, { fetch }).session("chat");
  await tab.send("Hello").response;
  const { promise, resolve } = Promise.withResolvers<ClientError>();
  tab.subscribe(() => {}, { onError: resolve });
  await vi.waitFor(() => expect(opened).toHaveLength(1));

  await client(node.url).session("chat").delete();
  const error = await promise;

  expect(error).toMatchObject({ code: "not_found", message: "The session was deleted" });
  expect(opened).toHaveLength(1);
});

test("a turn that is not found says nothing of its session", async () => {
  const { tab } = await twoTabs([say("Hi")]);
  await tab.send("Hello").response;

  const refused = await tab.abortTurn("no-such-turn").catch((thrown: unknown) => thrown);

  expect(refused).toMatchObject({ code: "not_found" });
  expect(textsOf(tab)).toContain("Hello");
});

test("a turn that is sent to the old session fails, and the next one is the new session's", async () => {
  const { tab, begin, replace } = await twoTabs([say("Old"), say("New"), say("Newer")]);
  await begin("My secret");
  await tab.refresh();
  await replace();

  const first = await tab.send("Late").response;
  const second = await tab.send("Now").response;

  expect(first.error).toMatchObject({ name: "ClientError", code: "session_replaced" });
  expect(second).toMatchObject({ status: "completed", text: "Newer" });
  expect(textsOf(tab)).not.toContain("Late");
});

test("a session that was deleted is told to be gone once, and is a new one from then on", async () => {
  const { node, tab, begin } = await twoTabs([say("Old"), say("New")]);
  await begin("My secret");
  await tab.refresh();
  await client(node.url).session("chat").delete();

  await expect(tab.refresh()).rejects.toMatchObject({ code: "not_found" });
  const { text } = await tab.send("Anew").response;

  expect(text).toBe("New");
  expect(textsOf(tab)).not.toContain("secret");
});

test("turns and subscribers of the old session are told that it is gone", async () => {
  const { tab, replace } = await twoTabs([stall(), say("New")]);
  const turn = tab.send("My secret", { id: "o1" });
  const errors: ClientError[] = [];
  tab.subscribe(() => {}, { onError: (error) => errors.push(error) });
  const begun = turn[Symbol.asyncIterator]();
  await begun.next();

  await replace();
  const { status, error } = await turn.response;

  expect(status).toBe("error");
  expect(error).toMatchObject({ name: "ClientError", code: "not_found" });
  expect(errors).toMatchObject([{ code: "not_found" }]);
  expect(textsOf(tab)).toBe("[]");
});

test("an answer to a call of the old session does not reach the call of that id in the new one", async () => {
  const tools = [remoteTool({ name: "ask" })];
  const { node } = await serve([callTool("ask"), callTool("ask")], { tools });
  const [tab, other] = [client(node.url).session("chat"), client(node.url).session("chat")];
  const { pendingToolCalls } = await tab.send("Old", { id: "t1" }).response;
  const { toolCallId } = pendingToolCalls?.[0] ?? { toolCallId: "" };
  await other.delete();
  await other.send("New", { id: "t1" }).response;

  const { error } = await tab.send([{ toolCallId, output: "late" }]).response;
  await other.refresh();

  expect(error).toMatchObject({ code: "session_replaced" });
  expect(other.state.pendingToolCalls).toMatchObject([{ toolCallId }]);
});

test("a lent call of the new session runs, though one of the old had the same id", async () => {
  const keys: string[] = [];
  const pick = lendTool({
    name: "pick",
    description: "Picks",
    input: { type: "object" },
    execute: (_, { idempotencyKey }) => {
      keys.push(idempotencyKey);
      return "picked";
    },
  });
  const { node } = await serve([callTool("pick"), say("Old"), callTool("pick"), say("New")]);
  const tab = client(node.url, { tools: [pick] }).session("chat");
  await tab.send("Pick", { id: "t1" }).response;

  await client(node.url).session("chat").delete();
  const late = await tab.send("Pick", { id: "t1" }).response;
  const next = await tab.send("Pick", { id: "t1" }).response;

  expect(late.status).toBe("error");
  expect(next.text).toBe("New");
  expect(new Set(keys).size).toBe(2);
});
