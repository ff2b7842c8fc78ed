/** The state of a session as the store of a React component, in real React. */
import { callTool, deferredTool, reply, say } from "@capstan/testing";
import { act, createElement, useSyncExternalStore } from "react";
import { create } from "react-test-renderer";
import { expect, onTestFinished, test, vi } from "vitest";
import type { ClientSession } from "@capstan/client";
import { client, serve } from "./transports.ts";

function Chat({ session }: { readonly session: ClientSession }) {
  const read = () => session.state;
  const state = useSyncExternalStore((changed) => session.subscribe(changed), read, read);
  return createElement("p", null, state.messages.map(({ role }) => role).join(" "));
}

test("a component follows a session, and React finds nothing to complain about", async () => {
  const complaints = vi.spyOn(console, "error").mockImplementation(() => {});
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  onTestFinished(() => {
    complaints.mockRestore();
    vi.unstubAllGlobals();
  });
  const { node } = await serve([say(["One", " two"])]);
  const session = client(node.url).session("chat");
  const page = await act(async () => create(createElement(Chat, { session })));
  expect(page.toJSON()).toMatchObject({ children: null });

  await act(async () => {
    await session.send("Hello").response;
  });

  expect(page.toJSON()).toMatchObject({ children: ["user assistant"] });
  expect(complaints.mock.calls.filter(([said]) => !String(said).includes("deprecated"))).toEqual(
    [],
  );
  await act(async () => page.unmount());
});

test("the state is one object until something changes, and so are its messages", async () => {
  const { node } = await serve([say(["One", " two"])]);
  const session = client(node.url).session("chat");
  expect(session.state).toBe(session.state);
  const lists = new Set<unknown>();
  const stop = session.subscribe(({ type }) => {
    expect(session.state).toBe(session.state);
    if (type === "text_delta") lists.add(session.state.messages);
  });

  await session.send("Hello").response;
  const { messages } = session.state;
  await session.refresh();

  expect(lists.size).toBe(1);
  expect(session.state.messages).toBe(messages);
  expect(session.state).toBe(session.state);
  stop();
});

test("the state tells which calls run on the server, to a client that joins as well", async () => {
  const tool = deferredTool();
  const { node } = await serve([reply(callTool("deferred", { n: 1 })), say("Done")], {
    tools: [tool],
  });
  const session = client(node.url).session("chat");
  const turn = session.send("Go");
  const started = Promise.withResolvers<void>();
  const stop = session.subscribe(({ type }) => {
    if (type === "tool_execution_start") started.resolve();
  });
  const [call] = await tool.whenStarted();
  await started.promise;
  const other = client(node.url).session("chat");
  await other.refresh();

  const running = [{ toolName: "deferred", input: { n: 1 } }];
  expect(session.state.runningToolCalls).toMatchObject(running);
  expect(other.state.runningToolCalls).toMatchObject(running);

  tool.resolve(call?.toolCallId ?? "", "done");
  await turn.response;
  stop();
  expect(session.state.runningToolCalls).toEqual([]);
});
