import type { ClientSession } from "@capstan/client";
import { connect } from "@capstan/client";
import { useSession } from "@capstan/client/react";
import { createAgent, createHost, memoryRepository } from "@capstan/core";
import { bearerTokens, createServer } from "@capstan/server";
import { serveNode } from "@capstan/server/node";
import { say, scriptedProvider } from "@capstan/testing";
import { act, createElement } from "react";
import { create } from "react-test-renderer";

const agent = createAgent({ name: "helper", model: scriptedProvider([say("Hello, Ann.")]) });
const host = createHost({ agents: [agent], repository: memoryRepository() });
const token = crypto.randomUUID();
const server = createServer({ host, authenticate: bearerTokens({ ann: token }) });
const { url, close } = await serveNode(server, { port: 0 });

// A component. Its session must be the same object in every render, so it is made outside.
function Chat({ session }: { readonly session: ClientSession }) {
  const { state, isLoading, send } = useSession(session);
  const onClick = () => void send("Hello");
  const text = isLoading ? "…" : state.messages.map(({ role }) => role).join(" ");
  return createElement("button", { onClick }, text);
}

// A page would render it with react-dom; here it is rendered to a tree of objects.
Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
console.error = () => {}; // react-test-renderer says that it is deprecated
const client = connect({ url, token });
const session = client.session("my-chat");
const page = await act(async () => create(createElement(Chat, { session })));
await act(async () => session.send("Hello").response);
console.log(...page.root.findByType("button").children); // → user assistant

await act(async () => page.unmount());
client.close();
await close();
