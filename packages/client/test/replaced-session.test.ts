/** A session that another client deletes and begins again under the same key. */
import type { ClientSession } from "@capstan/client";
import { ClientError, lendTool } from "@capstan/client";
import type { ScriptItem } from "@capstan/testing";
import { callTool, say, stall } from "@capstan/testing";
import { expect, test } from "vitest";
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
