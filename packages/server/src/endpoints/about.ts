/** Endpoints about the server itself. */
import type { Endpoint } from "./endpoint.ts";
import { json } from "./answered.ts";
import { endpoint } from "./endpoint.ts";
import { commonHeaders, jsonResponse } from "../guard/public-error.ts";
import { ServerError } from "../guard/server-error.ts";

/** Open to all, under any host name: a health checker knows only the address of the process. */
export const health: Endpoint = endpoint({
  method: "GET",
  path: "/healthz",
  summary: "Checks that the process responds",
  query: "NoQuery",
  isPublic: true,
  answers: { 200: json("it responds") },
  handle: () => jsonResponse({ ok: true }),
});

export const ready: Endpoint = endpoint({
  method: "GET",
  path: "/readyz",
  summary: "Checks that the server accepts requests",
  query: "NoQuery",
  isPublic: true,
  answers: { 200: json("ready"), 503: json("the server is shutting down") },
  handle({ backend }) {
    if (backend.isClosing()) throw closing();
    return jsonResponse({ ok: true });
  },
});

export const metrics: Endpoint = endpoint({
  method: "GET",
  path: "/metrics",
  summary: "Metrics in Prometheus format",
  query: "NoQuery",
  answers: { 200: { description: "metrics", type: "text/plain" } },
  handle({ backend }) {
    const { streams, sessions, metrics: counted } = backend;
    const text = counted.toText({
      streams_open: streams.size,
      sessions_in_memory: sessions.size,
      sessions_set_aside: backend.host.setAsideCount,
      model_replies_open: backend.proxy?.size ?? 0,
    });
    return new Response(text, {
      headers: { "content-type": "text/plain; version=0.0.4", ...commonHeaders },
    });
  },
});

export function closing(): ServerError {
  return new ServerError(
    "closing",
    "This server is shutting down: reconnect later or to another server",
    {
      headers: { "retry-after": "1" },
    },
  );
}
