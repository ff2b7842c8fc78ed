/** The server about itself. */
import type { Endpoint } from "./endpoint.ts";
import { endpoint } from "./endpoint.ts";
import { commonHeaders, jsonResponse } from "../guard/public-error.ts";
import { ServerError } from "../guard/server-error.ts";
import { NoQuerySchema } from "./request-schemas.ts";

/** Anybody may ask, under any name: who looks after a process knows nothing but its address. */
export const health: Endpoint = endpoint({
  method: "GET",
  path: "/healthz",
  summary: "Whether the process answers",
  query: NoQuerySchema,
  isPublic: true,
  answers: "200",
  handle: () => jsonResponse({ ok: true }),
});

export const ready: Endpoint = endpoint({
  method: "GET",
  path: "/readyz",
  summary: "Whether it takes requests",
  query: NoQuerySchema,
  isPublic: true,
  answers: "200, or 503 while it is being shut down",
  handle({ backend }) {
    if (backend.isClosing()) throw closing();
    return jsonResponse({ ok: true });
  },
});

export const metrics: Endpoint = endpoint({
  method: "GET",
  path: "/metrics",
  summary: "What the server counts, as Prometheus reads it",
  query: NoQuerySchema,
  answers: "200: text",
  handle({ backend }) {
    const { streams, sessions, metrics: counted } = backend;
    const text = counted.toText({
      streams_open: streams.size,
      sessions_in_memory: sessions.size,
      sessions_set_aside: backend.host.setAsideCount,
    });
    return new Response(text, {
      headers: { "content-type": "text/plain; version=0.0.4", ...commonHeaders },
    });
  },
});

export function closing(): ServerError {
  return new ServerError(
    "closing",
    "This server is being shut down: connect again, elsewhere or later",
    {
      headers: { "retry-after": "1" },
    },
  );
}
