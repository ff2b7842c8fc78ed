/** Routes of the proxy for models: ask, resume, abort, list. */
import type { ModelRequest, ModelAbortReply, ModelsReply } from "@capstan/log";
import type { Call, Endpoint } from "../endpoints/endpoint.ts";
import { eventStream, json } from "../endpoints/answered.ts";
import { endpoint } from "../endpoints/endpoint.ts";
import { jsonResponse } from "../guard/public-error.ts";
import { ServerError } from "../guard/server-error.ts";
import type { EventStream } from "../streaming/frame-sink.ts";
import { streamHeaders } from "../streaming/session-frames.ts";
import type { ModelProxy } from "./model-proxy.ts";
import type { ModelReply } from "./model-reply.ts";
import { frameNumberIn } from "./model-reply.ts";
import { ReplyReader } from "./reply-reader.ts";

type AnyCall = Call<unknown, unknown>;

export const postStream: Endpoint = endpoint({
  method: "POST",
  path: "/api/stream",
  summary: "Asks a model that this server offers, and streams the parts of its reply",
  query: "NoQuery",
  body: "ModelRequest",
  answers: { 200: eventStream },
  async handle(call: Call<object, ModelRequest>) {
    const { principal, body } = call;
    const after = frameNumberIn(call.headers);
    const reply = await proxyOf(call).open(principal, body);
    return streamReply(call, reply, after);
  },
});

export const resumeStream: Endpoint = endpoint({
  method: "GET",
  path: "/api/stream/:id",
  summary:
    "Streams a reply that was asked for, after the frame that the header last-event-id names",
  query: "NoQuery",
  answers: { 200: eventStream },
  handle(call) {
    const after = frameNumberIn(call.headers);
    return streamReply(call, proxyOf(call).find(call.principal, call.id), after);
  },
});

export const abortStream: Endpoint = endpoint({
  method: "DELETE",
  path: "/api/stream/:id",
  summary: "Aborts a request to a model",
  query: "NoQuery",
  answers: { 200: json("aborted") },
  handle(call) {
    const reply: ModelAbortReply = { isOver: proxyOf(call).abort(call.principal, call.id) };
    return jsonResponse(reply);
  },
});

export const listModels: Endpoint = endpoint({
  method: "GET",
  path: "/api/models",
  summary: "Lists the models that clients may ask",
  query: "NoQuery",
  answers: { 200: json("the models") },
  handle(call) {
    const reply: ModelsReply = { models: proxyOf(call).offered };
    return jsonResponse(reply);
  },
});

function proxyOf({ backend }: AnyCall): ModelProxy {
  if (backend.proxy !== undefined) return backend.proxy;
  throw new ServerError("not_found", "This server offers no models: set `proxy` of createServer");
}

/** Fails with `too_many_streams`, and for a cursor that the reply does not have. */
function streamReply(call: AnyCall, reply: ModelReply, after: number): EventStream {
  const { backend, principal } = call;
  const { streams, metrics } = backend;
  const proxy = proxyOf(call);
  // In case no stream comes of it.
  proxy.release(reply);
  reply.readFrom(after);
  const giveBack = streams.admit(principal);
  const reader = new ReplyReader(reply, {
    after,
    closingFrame: proxy.closingFrame,
    onWrite: (frames, chars) => metrics.onWrite(frames, chars),
    onClose() {
      forget();
      giveBack();
      // Another reader may have replaced this one.
      if (reply.listener === undefined) proxy.release(reply);
    },
  });
  const forget = streams.add(principal, undefined, reader);
  proxy.hold(reply);
  return { headers: streamHeaders, start: (sink) => reader.start(sink) };
}
