/** One session, four ways to it: in this process, with its model or itself over HTTP, and over HTTP with every tool lent by the client. */
import type { ClientOptions, ClientSession } from "@capstan/client";
import { connect } from "@capstan/client";
import { proxyProvider } from "@capstan/client/proxy";
import type { Session, ToolSource } from "@capstan/core";
import { createAgent, createHost } from "@capstan/core";
import type { ToolContract } from "@capstan/kernel";
import type { SessionRepository } from "@capstan/log";
import { memoryRepository } from "@capstan/log";
import type { ServerOptions } from "@capstan/server";
import { bearerTokens, createServer } from "@capstan/server";
import type { NodeServer } from "@capstan/server/node";
import { serveNode } from "@capstan/server/node";
import type { ScriptItem, ScriptedProvider } from "@capstan/testing";
import { scriptedProvider } from "@capstan/testing";
import { onTestFinished } from "vitest";

export const token = "ann-0123456789abcdef";

/** Soon enough for a test, and never at once. */
export const retry = { baseDelayMs: 2, maxDelayMs: 20, maxAttempts: 400 };

/** What is the same of both. */
export type AnySession = Pick<Session, "id"> &
  Pick<Session | ClientSession, "send" | "steer" | "followUp" | "waitForIdle" | "subscribe"> & {
    readonly state: Pick<
      Session["state"],
      "status" | "messages" | "pendingToolCalls" | "streamingMessage" | "queues" | "usage" | "error"
    >;
    fork(at?: string): Promise<AnySession>;
  };

interface Opened {
  readonly session: AnySession;
  readonly provider: ScriptedProvider;
}

export type Open = (
  script: readonly ScriptItem[],
  tools?: readonly ToolContract[],
) => Promise<Opened>;

export interface Served {
  readonly node: NodeServer;
  readonly provider: ScriptedProvider;
  readonly faults: readonly unknown[];
}

export interface ServedOptions {
  readonly tools?: readonly ToolContract[];
  readonly toolSources?: readonly ToolSource[];
  readonly repository?: SessionRepository;
  readonly server?: Partial<ServerOptions>;
}

/** A server on a real port. */
export async function serve(
  script: readonly ScriptItem[],
  {
    tools = [],
    toolSources = [],
    repository = memoryRepository(),
    server: more,
  }: ServedOptions = {},
): Promise<Served> {
  const provider = scriptedProvider([...script]);
  const agent = createAgent({
    name: "helper",
    model: provider,
    tools,
    retry: { maxAttempts: 1 },
    ...(toolSources.length > 0 && { toolSources }),
  });
  const host = createHost({ agents: [agent], repository });
  const faults: unknown[] = [];
  const server = createServer({
    host,
    authenticate: bearerTokens({ ann: token }),
    onError: (thrown) => void faults.push(thrown),
    limits: { requestsPerMinute: 1_000_000 },
    ...more,
  });
  const node = await serveNode(server, { drainMs: 100 });
  onTestFinished(() => node.close());
  return { node, provider, faults };
}

export function client(
  url: string | readonly string[],
  options: Partial<ClientOptions> = {},
): ReturnType<typeof connect> {
  const connected = connect({ url, token, retry, ...options });
  onTestFinished(() => connected.close());
  return connected;
}

const inProcess: Open = async (script, tools = []) => {
  const provider = scriptedProvider([...script]);
  const agent = createAgent({ name: "helper", model: provider, tools, retry: { maxAttempts: 1 } });
  const host = createHost({ agents: [agent], repository: memoryRepository() });
  onTestFinished(() => host.close());
  return { session: host.createSession({ agent: "helper" }), provider };
};

const withProxiedModel: Open = async (script, tools = []) => {
  const provider = scriptedProvider([...script]);
  const { node } = await serve([], { server: { proxy: { models: { only: provider } } } });
  const model = proxyProvider({ url: node.url, token, retry, model: "only" });
  const agent = createAgent({ name: "helper", model, tools, retry: { maxAttempts: 1 } });
  const host = createHost({ agents: [agent], repository: memoryRepository() });
  onTestFinished(() => host.close());
  return { session: host.createSession({ agent: "helper" }), provider };
};

const overHttp: Open = async (script, tools = []) => {
  const { node, provider } = await serve(script, { tools });
  return { session: client(node.url).createSession(), provider };
};

const withLentTools: Open = async (script, tools = []) => {
  const { node, provider } = await serve(script);
  return { session: client(node.url, { tools }).createSession(), provider };
};

export const transports: readonly (readonly [name: string, open: Open])[] = [
  ["in process", inProcess],
  ["in process, with the model over HTTP", withProxiedModel],
  ["over HTTP", overHttp],
  ["over HTTP, with every tool lent", withLentTools],
];
