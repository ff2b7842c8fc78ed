/** Routes for pages that use the AI SDK: send or answer, come back, stop. */
import type { ChatAction, ChatProtocol, ChatRequest } from "@capstan/log/chat";
import { ChatRequestFault, readChatRequest } from "@capstan/log/chat";
import type { Call, Endpoint } from "../endpoints/endpoint.ts";
import { empty, eventStream, json } from "../endpoints/answered.ts";
import { endpoint } from "../endpoints/endpoint.ts";
import { withNewSession } from "../endpoints/new-session.ts";
import { appOf } from "../endpoints/app-of.ts";
import { commonHeaders, jsonResponse } from "../guard/public-error.ts";
import { invalidRequest, noSession } from "../guard/server-error.ts";
import type { OpenSession } from "../server/sessions.ts";
import type { EventStream } from "../streaming/frame-sink.ts";
import { act } from "./chat-actions.ts";
import { followChat } from "./chat-stream.ts";

export interface ChatQuery {
  readonly protocol?: ChatProtocol;
}

export const postChat: Endpoint = endpoint({
  method: "POST",
  path: "/api/chat",
  summary:
    "Sends the last message of a page, answers its calls, edits or regenerates, and streams the reply as UI message chunks of the AI SDK",
  query: "ChatQuery",
  body: "ChatRequest",
  answers: { 200: eventStream },
  async handle(call: Call<ChatQuery, ChatRequest>) {
    const { backend, principal, body } = call;
    const action = actionOf(body, backend.allowsMediaUrls);
    const found = await backend.sessions.find(principal, body.id);
    if (found === undefined) return begin(call, action);
    return backend.sessions.useOpen(found, { id: body.id }, (open) => act(call, open, action));
  },
});

/** Fails with `invalid_request`. */
function actionOf(body: ChatRequest, allowsMediaUrls: boolean): ChatAction {
  try {
    return readChatRequest(body, allowsMediaUrls);
  } catch (thrown) {
    if (!(thrown instanceof ChatRequestFault)) throw thrown;
    throw invalidRequest("Invalid chat request", [thrown.issue]);
  }
}

/** Only a message can begin a conversation: answers and replies belong to one that exists. */
function begin(call: Call<ChatQuery, ChatRequest>, action: ChatAction): Promise<EventStream> {
  const { backend, body } = call;
  if (action.type !== "send") throw noSession(body.id);
  const agent = body.agent ?? backend.agents[0] ?? "";
  if (!backend.agents.includes(agent)) {
    const message = `must be one of: ${backend.agents.join(", ")}`;
    throw invalidRequest("Unknown agent", [{ path: "agent", message }]);
  }
  const send = (open: OpenSession): Promise<EventStream> => act(call, open, action);
  const origin = { agent, ...appOf(call, agent) };
  return withNewSession(call, { key: body.id, origin }, { send, sendToOther: send });
}

export const resumeChat: Endpoint = endpoint({
  method: "GET",
  path: "/api/chat/:id/stream",
  summary: "Streams the reply that is under way, from its beginning",
  query: "ChatQuery",
  answers: { 200: eventStream, 204: empty("nothing is under way") },
  async handle(call: Call<ChatQuery, undefined>) {
    const { backend, principal, id } = call;
    const found = await backend.sessions.find(principal, id);
    if (found === undefined) return nothing();
    return backend.sessions.useOpen(found, { id }, async (open) => {
      await open.session.refresh();
      return (open.session.status === "running" && followChat(call, open)) || nothing();
    });
  },
});

function nothing(): Response {
  return new Response(null, { status: 204, headers: commonHeaders });
}

export const stopChat: Endpoint = endpoint({
  method: "POST",
  path: "/api/chat/:id/stop",
  summary: "Stops the reply that is under way. Does nothing if there is none",
  query: "NoQuery",
  answers: { 200: json("stopped") },
  async handle({ backend, principal, id }: Call<object, undefined>) {
    await backend.sessions.use({ principal, id }, ({ session }) => session.abort());
    return jsonResponse({ success: true });
  },
});
