/** The hook, in real React, with a real server. */
import type { ClientSession } from "@capstan/client";
import { lendTool } from "@capstan/client";
import type { SessionView, UseSessionOptions } from "@capstan/client/react";
import { useSession } from "@capstan/client/react";
import { agentTool, createAgent } from "@capstan/core";
import {
  callTool,
  deferredTool,
  echoTool,
  hang,
  reply,
  say,
  scriptedProvider,
  wait,
} from "@capstan/testing";
import { mcpTools } from "@capstan/mcp";
import { act, createElement, StrictMode } from "react";
import { create } from "react-test-renderer";
import type { MockInstance } from "vitest";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { declared, modernServer, textResult } from "../../mcp/test/wire-server.ts";
import { client, serve } from "./transports.ts";

let complaints: MockInstance<typeof console.error>;

beforeEach(() => {
  complaints = vi.spyOn(console, "error").mockImplementation(() => {});
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  onTestFinished(() => {
    complaints.mockRestore();
    vi.unstubAllGlobals();
  });
});

/** Mounts a component with the hook, in strict mode. */
async function mount(session: ClientSession, options: UseSessionOptions = {}) {
  const views: SessionView[] = [];
  function Chat(): null {
    views.push(useSession(session, options));
    return null;
  }
  const tree = createElement(StrictMode, null, createElement(Chat));
  const page = await act(async () => create(tree));
  onTestFinished(async () => act(async () => page.unmount()));
  const view = (): SessionView => views.at(-1) as SessionView;
  const until = async (isThere: (view: SessionView) => boolean): Promise<void> => {
    // React renders at the end of each act.
    for (let round = 0; round < 400 && !isThere(view()); round++) {
      await act(async () => new Promise((resolve) => setTimeout(resolve, 5)));
    }
    expect(isThere(view())).toBe(true);
  };
  return { views, view, until };
}

function complained(): readonly unknown[] {
  return complaints.mock.calls.filter(([said]) => !String(said).includes("deprecated"));
}

test("shows what is there, follows what comes, and sends", async () => {
  const { node } = await serve([say("One"), say("Two")]);
  const session = client(node.url).session("chat");
  await session.send("First").response;
  const { view, views, until } = await mount(client(node.url).session("chat"));
  await until(({ isLoading }) => !isLoading);
  const rolesBefore = view().state.messages.map(({ role }) => role);

  await act(async () => void (await view().send("Second").response));

  expect(views[0]).toMatchObject({ isLoading: true, error: undefined });
  expect(rolesBefore).toEqual(["user", "assistant"]);
  expect(view().state.messages).toHaveLength(4);
  expect(complained()).toEqual([]);
});

test("gives the same functions in every render", async () => {
  const { node } = await serve([say("One")]);
  const { views, view, until } = await mount(client(node.url).session("chat"));
  await until(({ isLoading }) => !isLoading);
  await act(async () => void (await view().send("Hi").response));

  expect(new Set(views.map(({ send }) => send)).size).toBe(1);
  expect(new Set(views.map(({ stop }) => stop)).size).toBe(1);
});

test("two tabs show the same session, and one approves what the other asked for", async () => {
  const tool = echoTool({ needsApproval: true });
  const script = [say("Hello"), callTool("echo", { n: 1 }), say("Done")];
  const { node } = await serve(script, { tools: [tool] });
  await client(node.url).session("chat").send("Hello").response;
  const left = await mount(client(node.url).session("chat"));
  const right = await mount(client(node.url).session("chat"));
  await act(async () => void (await left.view().send("Hi").response));
  await right.until(({ state }) => state.pendingToolCalls.length === 1);

  const [call] = right.view().state.pendingToolCalls;
  await act(async () => void (await right.view().approve(call?.toolCallId ?? "").response));
  await left.until(({ state }) => state.status === "completed");

  expect(tool.started).toHaveLength(1);
  expect(left.view().state.messages).toEqual(right.view().state.messages);
  expect(complained()).toEqual([]);
});

test("stops a turn that another tab has begun", async () => {
  const { node } = await serve([say("Hello"), reply(say("One moment"), hang())]);
  await client(node.url).session("chat").send("Hello").response;
  const left = await mount(client(node.url).session("chat"));
  const right = await mount(client(node.url).session("chat"));
  const turn = left.view().send("Hi");
  await right.until(({ state }) => state.status === "running");

  const isStopped = await act(async () => right.view().stop("enough"));
  const { status } = await act(async () => turn.response);
  const again = await act(async () => right.view().stop());

  expect([isStopped, status, again]).toEqual([true, "aborted", false]);
});

test("steers the turn that runs, queues what comes after it, and denies a call", async () => {
  const slow = deferredTool();
  const asking = echoTool({ needsApproval: true });
  const script = [callTool(slow.name, {}), callTool("echo", { n: 1 }), say("Fine"), say("Later")];
  const { node, provider } = await serve(script, { tools: [slow, asking] });
  const { view, until } = await mount(client(node.url).session("chat"));
  await until(({ isLoading }) => !isLoading);
  const turn = await act(async () => view().send("Hi"));
  const [call] = await slow.whenStarted();

  await act(async () => void (await view().steer("Faster")));
  await act(async () => void (await view().followUp("And then?")));
  slow.resolve(call?.toolCallId ?? "", "here");
  await until(({ state }) => state.pendingToolCalls.length === 1);
  await act(async () => turn.response);
  const [pending] = view().state.pendingToolCalls;
  await act(async () => void (await view().deny(pending?.toolCallId ?? "", "too late").response));
  await until(({ state }) => state.messages.length === 9 && state.status === "completed");

  expect(JSON.stringify(provider.requests[1]?.messages)).toContain("Faster");
  expect(JSON.stringify(provider.requests[2]?.messages)).toContain("too late");
  expect(JSON.stringify(provider.requests[3]?.messages)).toContain("And then?");
  expect(asking.started).toEqual([]);
  expect(complained()).toEqual([]);
});

test("runs the tools that its client lends, once, though strict mode mounts it twice", async () => {
  const runs: unknown[] = [];
  const title = lendTool({
    name: "title",
    description: "Title of the page",
    input: { type: "object" },
    execute: (_, { toolCallId }) => {
      runs.push(toolCallId);
      return "A page";
    },
  });
  const { node } = await serve([callTool("title", {}), say("Nice")]);
  const { view, until } = await mount(client(node.url, { tools: [title] }).session("chat"));
  await until(({ isLoading }) => !isLoading);

  const { text } = await act(async () => view().send("Hi").response);

  expect(text).toBe("Nice");
  expect(runs).toHaveLength(1);
  expect(view().state.messages[2]).toMatchObject({ role: "tool", content: "A page" });
  expect(complained()).toEqual([]);
});

test("tells that the server cannot be reached", async () => {
  const { node } = await serve([]);
  await node.close();
  const connected = client(node.url, { retry: { maxAttempts: 1 } });
  const { view, until } = await mount(connected.session("chat"));

  await until(({ error }) => error !== undefined);

  expect(view().error?.code).toBeTypeOf("string");
  expect(view().isLoading).toBe(true);
});

test("with tree it shows what children say and do, as one list per change", async () => {
  const open = Promise.withResolvers<void>();
  const model = scriptedProvider([[say("a "), wait(open.promise), say("book")]]);
  const reader = agentTool(createAgent({ name: "reader", model }), { description: "Reads" });
  const script = [say("Hello"), callTool("reader", { task: "Read" }), say("Done")];
  const { node } = await serve(script, { tools: [reader] });
  const session = client(node.url).session("chat");
  await session.send("Hello").response;
  const { view, views, until } = await mount(session, { tree: true });
  const other = await mount(session, { tree: true });
  await until(({ isLoading }) => !isLoading);

  const turn = view().send("Go");
  await until(({ children }) => children[0]?.text === "a ");
  const [during] = view().children;
  open.resolve();
  await act(async () => void (await turn.response));
  await until(({ children }) => children[0]?.outcome === "answered");
  await other.until(({ children }) => children[0]?.outcome === "answered");
  await until(({ state }) => state.status === "completed");

  expect(during).toMatchObject({ agent: "reader", status: "running" });
  expect(view().children).toMatchObject([{ text: "a book", status: "completed" }]);
  expect(view().children).toBe(other.view().children);
  expect(view().state.messages.at(-1)).toMatchObject({ content: [{ text: "Done" }] });
  expect(new Set(views.map(({ children }) => children)).size).toBeGreaterThan(2);
  expect(complained()).toEqual([]);
});

test("without tree there are no children", async () => {
  const { node } = await serve([say("One")]);
  const { views, view, until } = await mount(client(node.url).session("chat"));
  await until(({ isLoading }) => !isLoading);
  await act(async () => void (await view().send("Hi").response));

  expect(new Set(views.map(({ children }) => children)).size).toBe(1);
  expect(view().children).toEqual([]);
});

test("shows the form of an MCP server, and the server's call is repeated with the answer", async () => {
  const requestedSchema = { type: "object", properties: { city: { type: "string" } } };
  const params = { mode: "form", message: "Where?", requestedSchema };
  await using server = await modernServer([declared("weather")], ({ method, params: sent }) => {
    if (method !== "tools/call") return undefined;
    const inputRequests = { q: { method: "elicitation/create", params } };
    return sent["inputResponses"] === undefined
      ? { result: { resultType: "input_required", inputRequests } }
      : textResult(JSON.stringify(sent["inputResponses"]));
  });
  await using mcp = mcpTools({ servers: { sky: { url: server.url } } });
  const script = [callTool("sky__weather", {}), say("Rain")];
  const { node } = await serve(script, { toolSources: [mcp] });
  const { view, until } = await mount(client(node.url).session("chat"));
  await act(async () => void (await view().send("Hi").response));
  await until(({ state }) => state.pendingToolCalls.length === 1);

  const [form] = view().state.pendingToolCalls;
  const toolCallId = form?.toolCallId ?? "";
  const answer = { toolCallId, output: '{"city":"Oslo"}' };
  await act(async () => void (await view().send([answer]).response));
  await until(({ state }) => state.status === "completed");

  expect(form).toMatchObject({
    kind: "execution",
    toolName: "sky__weather",
    input: { server: "sky", mode: "form", message: "Where?", schema: requestedSchema },
  });
  expect(view().state.messages.find(({ role }) => role === "tool")).toMatchObject({
    content: '{"q":{"action":"accept","content":{"city":"Oslo"}}}',
  });
  expect(server.named("tools/call")).toHaveLength(2);
  expect(complained()).toEqual([]);
});
