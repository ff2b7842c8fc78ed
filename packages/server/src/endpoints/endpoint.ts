/** One endpoint: where it is, what it takes, and what it does. */
import type { Clock, Host } from "@capstan/core";
import type { z } from "zod";
import type { EventStream } from "../streaming/frame-sink.ts";
import type { ClientToolLimits, ServerLimits } from "../guard/limits.ts";
import type { Metrics } from "./metrics.ts";
import type { PublicView } from "../guard/public-view.ts";
import type { Sessions } from "../server/sessions.ts";
import type { StorageBudget } from "../guard/storage-budget.ts";
import type { Streams } from "../streaming/streams.ts";

/** What the endpoints work with. */
export interface Backend {
  readonly host: Host;
  readonly agents: readonly string[];
  readonly models: readonly string[];
  readonly limits: ServerLimits;
  /** Undefined: clients may lend none. */
  readonly clientTools: ClientToolLimits | undefined;
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly storage: StorageBudget;
  readonly view: PublicView;
  readonly streams: Streams;
  readonly metrics: Metrics;
  readonly isClosing: () => boolean;
}

/** A request that was let in. */
export interface Call<Query, Body> {
  readonly backend: Backend;
  readonly principal: string;
  /** What stands in the address in the place of `:id`. */
  readonly id: string;
  readonly query: Query;
  readonly body: Body;
  readonly headers: Headers;
}

export type Reply = Response | EventStream;

export interface EndpointDefinition<Query, Body> {
  readonly method: "GET" | "POST" | "DELETE";
  /** Segments; `:id` stands for one of any text. */
  readonly path: string;
  readonly summary: string;
  readonly query: z.ZodType<Query>;
  /** Only what is posted has one. */
  readonly body?: z.ZodType<Body>;
  /** Whether anybody may ask, from anywhere. */
  readonly isPublic?: boolean;
  /** What it answers with, for the description. */
  readonly answers: string;
  handle(call: Call<Query, Body>): Reply | Promise<Reply>;
}

export type Endpoint = EndpointDefinition<unknown, unknown>;

/** Ties the handler to the schemas. */
export function endpoint<Query, Body = undefined>(
  definition: EndpointDefinition<Query, Body>,
): Endpoint {
  // Methods may be given more than they take: whoever calls the handler has parsed what it gets by these schemas.
  return definition;
}
