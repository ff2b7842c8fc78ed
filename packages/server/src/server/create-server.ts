/** Sessions over HTTP: a function from request to response, for every runtime that has those types. */
import { systemClock } from "@capstan/core";
import { BodyBudget } from "../guard/body-budget.ts";
import type { Identity } from "../guard/authenticate.ts";
import { checkHost, checkOrigin, corsHeaders, preflight } from "../guard/access.ts";
import type { Backend, Endpoint, Reply } from "../endpoints/endpoint.ts";
import { json } from "../endpoints/answered.ts";
import { endpoint } from "../endpoints/endpoint.ts";
import { closing, health, metrics, ready } from "../endpoints/about.ts";
import { postChat, resumeChat, stopChat } from "../chat/chat-endpoints.ts";
import { abortStream, listModels, postStream, resumeStream } from "../proxy/proxy-endpoints.ts";
import { ModelProxy } from "../proxy/model-proxy.ts";
import { checkProxy } from "../proxy/proxy-options.ts";
import { events } from "../endpoints/events.ts";
import { execute } from "../endpoints/execute.ts";
import { answers, cancel, claims, followUp, rewind, steer } from "../endpoints/inbox.ts";
import { deleteSession, fork, getSession, listSessions } from "../endpoints/sessions.ts";
import { readJsonBody } from "../guard/json-body.ts";
import type { ClientToolLimits } from "../guard/limits.ts";
import { checkLimits, defaultClientTools, defaultLimits } from "../guard/limits.ts";
import { Metrics } from "../endpoints/metrics.ts";
import { jsonResponse, toErrorResponse, toPublicError } from "../guard/public-error.ts";
import { PublicView } from "../guard/public-view.ts";
import { RateLimit } from "../guard/rate-limit.ts";
import type { Match } from "../endpoints/routes.ts";
import { endpointsAt, matchOf, toBasePath, unknownPath } from "../endpoints/routes.ts";
import { ServerError, noSession } from "../guard/server-error.ts";
import type { ServerOptions } from "./server-options.ts";
import { Sessions } from "./sessions.ts";
import { StorageBudget } from "../guard/storage-budget.ts";
import { Streams } from "../streaming/streams.ts";
import { toStreamResponse } from "../streaming/web-sink.ts";
import { refuseMediaUrls } from "../guard/refuse-media-urls.ts";

const described: readonly Endpoint[] = [
  execute,
  getSession,
  events,
  steer,
  followUp,
  answers,
  claims,
  cancel,
  fork,
  rewind,
  deleteSession,
  listSessions,
  postChat,
  resumeChat,
  stopChat,
  postStream,
  resumeStream,
  abortStream,
  listModels,
  health,
  ready,
  metrics,
];

const openApi: Endpoint = endpoint({
  method: "GET",
  path: "/openapi.json",
  summary: "Returns this OpenAPI description",
  query: "NoQuery",
  answers: { 200: json("OpenAPI 3.1") },
  async handle({ backend }) {
    const { toOpenApi } = await import("../endpoints/openapi.ts");
    return jsonResponse(toOpenApi(endpoints, backend.basePath));
  },
});

const endpoints: readonly Endpoint[] = [...described, openApi];

/** HTTP interface of a host. `fetch` answers a request; the caller must `close` it before the host. */
export class Server {
  readonly #options: ServerOptions;
  readonly #backend: Backend;
  readonly #rate: RateLimit;
  readonly #bodies: BodyBudget;
  #closing: Promise<void> | undefined;

  constructor(options: ServerOptions) {
    const { host, clock = systemClock, clientTools = true } = options;
    checkLimits(options.limits, "limits.");
    if (typeof clientTools !== "boolean") checkLimits(clientTools, "clientTools.");
    const limits = { ...defaultLimits, ...options.limits };
    this.#options = options;
    this.#rate = new RateLimit(limits.requestsPerMinute, clock.now);
    this.#bodies = new BodyBudget(limits);
    const view = new PublicView(options.errorDetails === true);
    const streams = new Streams(limits, clock);
    const { unread } = streams;
    const onError = (thrown: unknown): void => this.#tell(thrown);
    if (options.proxy !== undefined) checkProxy(options.proxy);
    this.#backend = {
      host,
      basePath: toBasePath(options.basePath),
      agents: agentsOf(options),
      models: options.models ?? [],
      limits,
      clientTools: toClientTools(clientTools),
      clock,
      sessions: new Sessions(host, limits, clock, view),
      view,
      storage: new StorageBudget(limits),
      streams,
      metrics: new Metrics(),
      proxy:
        options.proxy && new ModelProxy(options.proxy, { limits, clock, view, unread, onError }),
      chat: { protocol: 7, onDisconnect: "continue", ...options.chat },
      allowsMediaUrls: options.allowMediaUrls === true,
      isClosing: () => this.#closing !== undefined,
    };
  }

  /** Never rejects: errors become responses. Does not need `this`. */
  readonly fetch = async (request: Request): Promise<Response> => {
    const reply = await this.reply(request);
    return reply instanceof Response ? reply : toStreamResponse(reply);
  };

  /** Like `fetch`, for adapters that write streams themselves. */
  async reply(request: Request): Promise<Reply> {
    let route = "none";
    let origin: string | undefined;
    try {
      const url = new URL(request.url);
      const matches = endpointsAt(endpoints, url.pathname, this.#backend.basePath);
      route = matches[0]?.endpoint.path ?? route;
      const isPublic = matches.some(({ endpoint: found }) => found.isPublic === true);
      if (!isPublic) {
        checkHost(request, this.#options);
        origin = checkOrigin(request, this.#options);
        if (request.method === "OPTIONS" && origin !== undefined)
          return preflight(origin, methodsOf(matches));
      }
      const reply = await this.#answer(request, url, matches, isPublic);
      this.#backend.metrics.onRequest(route, reply instanceof Response ? reply.status : 200);
      return withHeaders(reply, corsHeaders(origin));
    } catch (thrown) {
      const { status } = toPublicError(thrown);
      if (status >= 500 && this.#closing === undefined) this.#tell(thrown);
      this.#backend.metrics.onRequest(route, status);
      return withHeaders(toErrorResponse(thrown), corsHeaders(origin));
    }
  }

  /** Stops accepting requests, tells open streams to reconnect elsewhere, and hands running turns over to other hosts. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // Only after `#closing` is set, which requests check.
    await Promise.resolve();
    const { streams, sessions, host, proxy } = this.#backend;
    streams.end("closing");
    proxy?.close();
    sessions.close();
    await host.close();
    // Streams that were opened in the meantime.
    streams.end("closing");
  }

  /** Disconnects readers that have not read their last frame. */
  cutStreams(): void {
    this.#backend.streams.cut();
  }

  #tell(thrown: unknown): void {
    try {
      this.#options.onError?.(thrown);
    } catch {
      // Errors of the listener are its own concern: the client gets its response all the same.
    }
  }

  async #answer(
    request: Request,
    url: URL,
    matches: readonly Match[],
    isPublic: boolean,
  ): Promise<Reply> {
    if (this.#closing !== undefined && !isPublic) throw closing();
    const { principal, app } = isPublic ? noIdentity : await this.#authenticate(request);
    const { endpoint: found, id } = matchOf(matches, request.method, () =>
      unknownPath(url.pathname, this.#backend.basePath),
    );
    if (found.path.includes(":id") && !isSessionId(id)) throw noSession(id);
    // With zod: a program that only imports the server does not load it.
    const { toQuery, toBody } = await import("../endpoints/request-input.ts");
    const query = toQuery(found.query, url.searchParams);
    const backend = this.#backend;
    const call = { backend, principal, app, id, query, headers: request.headers };
    if (found.body === undefined) return await found.handle({ ...call, body: undefined });
    const share = this.#bodies.share(principal);
    try {
      const read = await readJsonBody(request, backend.limits, share);
      const body = toBody(found.body, read);
      if (this.#options.allowMediaUrls !== true) refuseMediaUrls(body);
      return await found.handle({ ...call, body });
    } finally {
      share.giveBack();
    }
  }

  async #authenticate(request: Request): Promise<Identity> {
    const identity = await this.#options.authenticate(request);
    if (identity === undefined || identity.principal === "") {
      throw new ServerError(
        "unauthenticated",
        "Authentication required: send a valid bearer token",
        {
          headers: { "www-authenticate": "Bearer" },
        },
      );
    }
    this.#rate.take(identity.principal);
    return identity;
  }
}

const noIdentity: Identity = { principal: "" };

/**
 * Creates an HTTP interface for the sessions of a host. `fetch` is all that a runtime needs. Close the server when
 * the process ends.
 */
export function createServer(options: ServerOptions): Server {
  return new Server(options);
}

/** Fails with `invalid_options` for an agent that the host does not have. */
function agentsOf({ host, agents }: ServerOptions): readonly string[] {
  const known = host.agents.map(({ name }) => name);
  const missing = agents?.find((name) => !known.includes(name));
  if (missing === undefined) return agents ?? known;
  const message = `The host has no agent "${missing}": add it to createHost({ agents }). Known agents: ${known.join(", ")}`;
  throw new ServerError("invalid_options", message);
}

function toClientTools(choice: boolean | Partial<ClientToolLimits>): ClientToolLimits | undefined {
  if (choice === false) return undefined;
  return choice === true ? defaultClientTools : { ...defaultClientTools, ...choice };
}

/** Invalid ids are not looked up. */
function isSessionId(id: string): boolean {
  return /^(?!\.{1,2}$)[\w.:@+=-]{1,128}$/.test(id);
}

function methodsOf(matches: readonly Match[]): string[] {
  return matches.map(({ endpoint: found }) => found.method);
}

function withHeaders(reply: Reply, headers: Readonly<Record<string, string>>): Reply {
  if (!(reply instanceof Response)) {
    return { ...reply, headers: { ...reply.headers, ...headers } };
  }
  for (const [name, value] of Object.entries(headers)) reply.headers.set(name, value);
  return reply;
}
