/** A server on a real port, a scripted model behind it, and clients that speak HTTP. */
import type { AgentInit, Host } from "@capstan/core";
import { createAgent, createHost } from "@capstan/core";
import type { ToolContract } from "@capstan/kernel";
import type { MemoryRepository, SessionRepository } from "@capstan/log";
import { memoryRepository } from "@capstan/log";
import type { ServerOptions } from "@capstan/server";
import { bearerTokens, createServer } from "@capstan/server";
import type { NodeServer, ServeOptions } from "@capstan/server/node";
import { serveNode } from "@capstan/server/node";
import type { ScriptItem, ScriptedProvider } from "@capstan/testing";
import { scriptedProvider } from "@capstan/testing";
import { onTestFinished } from "vitest";
import type { Frame } from "./sse.ts";
import { readFrames } from "./sse.ts";

export const tokens = { ann: "ann-0123456789abcdef", bob: "bob-0123456789abcdef" };

export interface WorldOptions {
  readonly tools?: readonly ToolContract[];
  readonly agent?: Partial<AgentInit>;
  readonly server?: Partial<ServerOptions>;
  readonly serve?: ServeOptions;
  readonly repository?: SessionRepository;
}

export interface World {
  readonly node: NodeServer;
  readonly host: Host;
  readonly repository: MemoryRepository;
  readonly provider: ScriptedProvider;
  /** What went wrong inside, and should not have. */
  readonly faults: readonly unknown[];
  request(path: string, init?: RequestInit, token?: string): Promise<Response>;
  post(
    path: string,
    body: unknown,
    token?: string,
    headers?: Record<string, string>,
  ): Promise<Response>;
  /** Runs a turn to its end. */
  execute(body: object, token?: string, headers?: Record<string, string>): Promise<Executed>;
}

interface Executed {
  readonly sessionId: string;
  readonly frames: readonly Frame[];
  /** The last frame. */
  readonly complete: Frame["data"];
}

export async function createWorld(
  script: readonly ScriptItem[],
  options: WorldOptions = {},
): Promise<World> {
  const memory = memoryRepository({ now: Date.now });
  const repository = options.repository ?? memory;
  const provider = scriptedProvider([...script]);
  const retry = { maxAttempts: 1 };
  const { tools = [] } = options;
  const agent = createAgent({ name: "helper", model: provider, tools, retry, ...options.agent });
  const host = createHost({ agents: [agent], repository });
  const faults: unknown[] = [];
  const onError = (thrown: unknown): void => void faults.push(thrown);
  const authenticate = bearerTokens(tokens);
  const server = createServer({ host, authenticate, onError, ...options.server });
  const node = await serveNode(server, { drainMs: 200, ...options.serve });
  onTestFinished(() => node.close());

  const request = (path: string, init: RequestInit = {}, token = tokens.ann): Promise<Response> => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${token}`);
    return fetch(`${node.url}${path}`, { ...init, headers });
  };
  const post: World["post"] = (path, body, token, headers = {}) =>
    request(
      path,
      {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      },
      token,
    );
  return {
    node,
    host,
    repository: memory,
    provider,
    faults,
    request,
    post,
    async execute(body, token, headers) {
      const response = await post("/api/agent/execute", body, token, headers);
      const frames = await Array.fromAsync(readFrames(response));
      const complete = frames.at(-1)?.data ?? { type: "none" };
      return { sessionId: response.headers.get("x-session-id") ?? "", frames, complete };
    },
  };
}

/** The body of an error, with its status. */
export async function errorOf(
  response: Response,
): Promise<{ readonly status: number; readonly code: string; readonly paths: readonly string[] }> {
  const body = (await response.json()) as {
    readonly error: {
      readonly code: string;
      readonly issues?: readonly { readonly path: string }[];
    };
  };
  const { code, issues = [] } = body.error;
  return { status: response.status, code, paths: issues.map(({ path }) => path) };
}
