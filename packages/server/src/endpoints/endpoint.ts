/** One endpoint: its path, its input, and its handler. */
import type { Clock, Host } from "@capstan/core";
import type { ChatOptions } from "../server/server-options.ts";
import type { Answered } from "./answered.ts";
import type { EventStream } from "../streaming/frame-sink.ts";
import type { ClientToolLimits, ServerLimits } from "../guard/limits.ts";
import type { Metrics } from "./metrics.ts";
import type { ModelProxy } from "../proxy/model-proxy.ts";
import type { RequestInputs } from "./request-schemas.ts";
import type { PublicView } from "../guard/public-view.ts";
import type { Sessions } from "../server/sessions.ts";
import type { StorageBudget } from "../guard/storage-budget.ts";
import type { Streams } from "../streaming/streams.ts";

/** Services that endpoints use. */
export interface Backend {
  readonly host: Host;
  /** Without a trailing slash; empty if there is none. */
  readonly basePath: string;
  readonly agents: readonly string[];
  readonly models: readonly string[];
  readonly limits: ServerLimits;
  /** Undefined if clients may not lend tools. */
  readonly clientTools: ClientToolLimits | undefined;
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly storage: StorageBudget;
  readonly view: PublicView;
  readonly streams: Streams;
  readonly metrics: Metrics;
  readonly chat: ChatOptions;
  /** Undefined if clients may not ask models. */
  readonly proxy: ModelProxy | undefined;
  /** Whether clients may send media by URL. */
  readonly allowsMediaUrls: boolean;
  readonly isClosing: () => boolean;
}

/** A request that passed all checks. */
export interface Call<Query, Body> {
  readonly backend: Backend;
  readonly principal: string;
  /** Application context, as `authenticate` returned it. */
  readonly app: unknown;
  /** Value of `:id` in the path. */
  readonly id: string;
  readonly query: Query;
  readonly body: Body;
  readonly headers: Headers;
}

export type Reply = Response | EventStream;

/** Name of a request schema. Endpoints do not import the schemas: those, and zod, are loaded for the first request. */
export type SchemaName = keyof RequestInputs;

export interface EndpointDefinition<Query, Body> {
  readonly method: "GET" | "POST" | "DELETE";
  /** Segments; `:id` matches any text. */
  readonly path: string;
  readonly summary: string;
  readonly query: SchemaName;
  /** For POST endpoints only. */
  readonly body?: SchemaName;
  /** Whether requests need no authentication and may come from any host. */
  readonly isPublic?: boolean;
  /** Responses by status, for OpenAPI. Refusals are the same everywhere. */
  readonly answers: Readonly<Record<number, Answered>>;
  handle(call: Call<Query, Body>): Reply | Promise<Reply>;
}

export type Endpoint = EndpointDefinition<unknown, unknown>;

/** Links the handler to its schemas. */
export function endpoint<Query extends SchemaName, Body extends SchemaName = never>(
  definition: EndpointDefinition<RequestInputs[Query], RequestInputs[Body]> & {
    readonly query: Query;
    readonly body?: Body;
  },
): Endpoint {
  // Safe because of method bivariance: the caller has parsed the input with these schemas.
  return definition;
}
