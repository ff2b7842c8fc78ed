/** A session and its child sessions, followed over HTTP. */
import type { ClientChildState, ClientSession, TreePosition } from "@capstan/client";
import { agentTool, createAgent } from "@capstan/core";
import type { ToolContract } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import { memoryRepository } from "@capstan/log";
import type { ScriptItem } from "@capstan/testing";
import {
  callTool,
  deferredTool,
  echoTool,
  reply,
  say,
  scriptedProvider,
  wait,
} from "@capstan/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { cuttingProxy } from "./cutting-proxy.ts";
import { client, serve } from "./transports.ts";
import { factsOf, rootOf, wholeOf } from "./tree-facts.ts";

const ask = (task: string): ScriptItem => callTool("reader", { task });

function asTool(script: readonly ScriptItem[], tools: readonly ToolContract[] = []): ToolContract {
  const model = scriptedProvider([...script]);
  const reader = createAgent({ name: "reader", model, tools, retry: { maxAttempts: 1 } });
  return agentTool(reader, { description: "Reads" });
}

function follow(session: ClientSession, after?: string): SessionEvent[] {
  const seen: SessionEvent[] = [];
  const stop = session.subscribe((event) => seen.push(event), {
    tree: true,
    ...(after !== undefined && { after }),
  });
  onTestFinished(stop);
  return seen;
}

test("a subscriber of a tree gets the events of children, and the session stays current with one stream", async () => {
  const repository = memoryRepository();
  const tools = [asTool([say(["a ", "book"]), say("a page")])];
  const { node } = await serve([say("Hi"), reply(ask("A"), ask("B")), say("Done")], {
    tools,
    repository,
  });
  const session = client(node.url).session("chat");
  await session.send("Hi").response;
  const streams: unknown[] = [];
  const watched = client(node.url, {
    fetch: (url, init) => {
      if (JSON.stringify(url).includes("/events")) streams.push(url);
      return fetch(url, init);
    },
  }).session("chat");
  const seen = follow(watched);
  await vi.waitFor(() => expect(streams).toHaveLength(1));

  await session.send("Go").response;
  const sessionId = rootOf(repository);
  const whole = wholeOf(repository, sessionId);
  await vi.waitFor(() => {
    const facts = factsOf(seen);
    // The first turn was before.
    expect(facts[sessionId]).toEqual(whole[sessionId]?.slice(-(facts[sessionId]?.length ?? 0)));
    expect(facts[sessionId]?.[0]?.type).toBe("turn_start");
    expect(facts).toEqual({ ...whole, [sessionId]: facts[sessionId] });
    expect(watched.state.status).toBe("completed");
  });

  expect(streams).toEqual([expect.stringContaining("tree=1")]);
  expect(watched.state.messages.at(-1)).toMatchObject({ content: [{ text: "Done" }] });
});

test.each([3, 7, 12])(
  "a stream of a tree that is cut every %i frames loses nothing and repeats nothing",
  async (everyFrames) => {
    const repository = memoryRepository();
    const tools = [
      asTool([say(["a ", "book"]), callTool("echo", {}), say("a page"), say("end")], [echoTool()]),
    ];
    const { node } = await serve([say("Hi"), reply(ask("A"), ask("B")), say("Done")], {
      tools,
      repository,
    });
    const session = client(node.url).session("chat");
    await session.send("Hi").response;
    const proxy = await cuttingProxy(node.url, { everyFrames });
    const watched = client(proxy.url).session("chat");

    const seen = follow(watched, "0.0()");
    await session.send("Go").response;
    const sessionId = rootOf(repository);
    await vi.waitFor(() => expect(factsOf(seen)).toEqual(wholeOf(repository, sessionId)), 10_000);

    expect(proxy.counts.cuts).toBeGreaterThan(2);
  },
);

test("a page that was reloaded continues after the composite cursor that it has kept", async () => {
  const repository = memoryRepository();
  const tools = [asTool([say("a book"), say("a page")])];
  const { node } = await serve([say("Hi"), reply(ask("A"), ask("B")), say("Done")], {
    tools,
    repository,
  });
  const session = client(node.url).session("chat");
  await session.send("Hi").response;
  const seen: { event: SessionEvent; cursor: string }[] = [];
  session.subscribe((event, _, { cursor }: TreePosition) => seen.push({ event, cursor }), {
    tree: true,
    after: "0.0()",
  });
  await session.send("Go").response;
  const sessionId = rootOf(repository);
  await vi.waitFor(() =>
    expect(factsOf(seen.map(({ event }) => event))).toEqual(wholeOf(repository, sessionId)),
  );

  const index = seen.findIndex(({ event }) => event.type === "child_started") + 4;
  const rest = follow(client(node.url).session("chat"), seen[index]?.cursor);

  const before = seen.slice(0, index + 1).map(({ event }) => event);
  await vi.waitFor(() =>
    expect(factsOf([...before, ...rest])).toEqual(wholeOf(repository, sessionId)),
  );
});

test("`children` has what each child says and does, as one list per change", async () => {
  const open = Promise.withResolvers<void>();
  const tools = [asTool([[say("a "), wait(open.promise), say("book")]])];
  const { node } = await serve([say("Hi"), ask("A"), say("Done")], { tools });
  const session = client(node.url).session("chat");
  await session.send("Hi").response;
  const lists = new Set<readonly ClientChildState[]>();
  const stop = session.subscribe(() => lists.add(session.children), { tree: true });

  const turn = session.send("Go");
  await vi.waitFor(() => expect(session.children[0]?.text).toBe("a "));
  const [during] = session.children;
  const isSame = session.children === session.children;
  open.resolve();
  await turn.response;
  await vi.waitFor(() => expect(session.children[0]?.outcome).toBe("answered"));
  const [after] = session.children;
  stop();

  expect(isSame).toBe(true);
  expect(lists.size).toBeGreaterThan(5);
  expect(during).toMatchObject({ agent: "reader", status: "running", outcome: undefined });
  expect(after).toMatchObject({ status: "completed", text: "a book", streamingMessage: undefined });
  expect(after?.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  expect(session.children).toEqual([]);
});

test("a page that opens in the middle of the work sees what the children did so far", async () => {
  const slow = deferredTool();
  const tools = [asTool([callTool("deferred", { n: 1 }), say("a book")], [slow])];
  const { node } = await serve([say("Hi"), ask("A"), say("Done")], { tools });
  const session = client(node.url).session("chat");
  await session.send("Hi").response;
  const turn = session.send("Go");
  const [call] = await slow.whenStarted(1);

  const page = client(node.url).session("chat");
  follow(page);
  await vi.waitFor(() =>
    expect(page.children[0]?.runningToolCalls).toMatchObject([{ toolName: "deferred" }]),
  );
  slow.resolve(call?.toolCallId ?? "", "ok");
  await turn.response;

  await vi.waitFor(() =>
    expect(page.children[0]).toMatchObject({ text: "a book", outcome: "answered" }),
  );
});

test("a child that waits for an approval is answered at the root, and a refused input names its code", async () => {
  const tools = [asTool([callTool("echo", {}), say("ok")], [echoTool({ needsApproval: true })])];
  const { node } = await serve([say("Hi"), ask("A"), say("Done")], { tools });
  const session = client(node.url).session("chat");
  await session.send("Hi").response;
  follow(session);
  await session.send("Go").response;
  await vi.waitFor(() => expect(session.children[0]?.pendingToolCalls).toHaveLength(1));

  const child = client(node.url).session(session.children[0]?.id ?? "");
  const refused = await child.send("Me, too").response;
  const [pending] = session.state.pendingToolCalls;
  const { text } = await session.approve(pending ?? "").response;
  await vi.waitFor(() => expect(session.children[0]?.outcome).toBe("answered"));

  expect(refused.error).toMatchObject({ code: "child_session" });
  expect(pending?.via).toMatchObject([{ agent: "reader", sessionId: child.id }]);
  expect(text).toBe("Done");
});

test("an invalid cursor and a session that is gone are told to the subscriber", async () => {
  const { node } = await serve([say("Hi")]);
  const session = client(node.url).session("chat");
  await session.send("Hi").response;
  const codes: string[] = [];
  const onError = ({ code }: { readonly code: string }): void => void codes.push(code);

  session.subscribe(() => {}, { tree: true, after: "nonsense", onError });
  await vi.waitFor(() => expect(codes).toEqual(["invalid_request"]));
  const again = client(node.url).session("chat");
  again.subscribe(() => {}, { tree: true, onError });
  await again.refresh();
  await session.delete();

  await vi.waitFor(() => expect(codes.at(-1)).toBe("not_found"));
});
