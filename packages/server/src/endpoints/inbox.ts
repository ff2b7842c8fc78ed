/** Endpoints that clients post to: queued messages, answers, claims, cancel, rewind. Everything is stored before it is acknowledged. */
import type { QueuedInput, QueueOptions, Receipt, Session } from "@capstan/core";
import type {
  AnswersReply,
  AnswersRequest,
  CancelReply,
  ClaimReply,
  QueueReply,
  RewindReply,
  SessionTarget,
} from "@capstan/log";
import { appOf } from "./app-of.ts";
import type { Call, Endpoint } from "./endpoint.ts";
import { json } from "./answered.ts";
import { endpoint } from "./endpoint.ts";
import { jsonResponse } from "../guard/public-error.ts";
import { mustTakeInput, ServerError } from "../guard/server-error.ts";
import { failIfRefused } from "./refusal.ts";
import { hasStarted } from "./turn-stream.ts";

export const steer: Endpoint = queueing(
  "steer",
  "Adds a message to the running turn; starts a turn if none is running",
  (session, input, options) => session.steer(input, options),
);

export const followUp: Endpoint = queueing(
  "follow-up",
  "Queues a message for a separate turn, after the running one",
  (session, input, options) => session.followUp(input, options),
);

type Enqueue = (session: Session, input: QueuedInput, options: QueueOptions) => Promise<Receipt>;

function queueing(name: string, summary: string, enqueue: Enqueue): Endpoint {
  return endpoint({
    method: "POST",
    path: `/api/agent/session/:id/${name}`,
    summary,
    query: "NoQuery",
    body: "QueueRequest",
    answers: { 202: json("the message id") },
    handle: (call) =>
      withSession(call, async (session) => {
        const { input, id } = call.body;
        mustTakeInput(session);
        call.backend.storage.admit(call.principal, session);
        const options = { ...appOf(call, session.agent), ...(id !== undefined && { id }) };
        const receipt = await enqueue(session, input, options);
        return jsonResponse({ id: receipt.id } satisfies QueueReply, 202);
      }),
  });
}

export const answers: Endpoint = endpoint({
  method: "POST",
  path: "/api/agent/session/:id/answers",
  summary: "Answers pending calls, all or some, in any order. Repeating an answer changes nothing",
  query: "NoQuery",
  body: "AnswersRequest",
  answers: { 202: json("the calls still pending") },
  handle: (call: Call<object, AnswersRequest>) =>
    withSession(call, async (session) => {
      call.backend.storage.admit(call.principal, session);
      const turn = session.send(call.body.answers, { id: "wire" });
      await session.flush();
      await failIfRefused(turn);
      const { status, pendingToolCalls } = session;
      return jsonResponse({ status, pendingToolCalls } satisfies AnswersReply, 202);
    }),
});

export const claims: Endpoint = endpoint({
  method: "POST",
  path: "/api/agent/session/:id/claims",
  summary: "Claims a pending call for this client, so that no other client runs it",
  query: "NoQuery",
  body: "ClaimRequest",
  answers: { 200: json("when the claim expires") },
  handle: (call) =>
    withSession(call, async (session) => {
      const { toolCallId, client, leaseMs = defaultClaimMs } = call.body;
      const longest = call.backend.clientTools?.maxClaimMs ?? defaultClaimMs;
      const claim = await session.claim(toolCallId, client, Math.min(leaseMs, longest));
      return jsonResponse({ toolCallId, client, until: claim.until } satisfies ClaimReply);
    }),
});

const defaultClaimMs = 60_000;

export const cancel: Endpoint = endpoint({
  method: "POST",
  path: "/api/agent/session/:id/cancel",
  summary:
    "Stops a turn and the turns that continue it, in whatever process it runs. A turn that has ended is not changed",
  query: "NoQuery",
  body: "CancelRequest",
  answers: { 202: json("the turn will stop"), 200: json("it had already ended") },
  handle: (call) =>
    withSession(call, async (session) => {
      const { turnId, reason } = call.body;
      const isStopped = await session.abortTurn(turnId, reason);
      if (isStopped) return jsonResponse({ turnId, isOver: false } satisfies CancelReply, 202);
      if (hasStarted(session, turnId)) {
        return jsonResponse({ turnId, isOver: true } satisfies CancelReply);
      }
      throw new ServerError("not_found", `Unknown turn "${turnId}" in this session`);
    }),
});

export const rewind: Endpoint = endpoint({
  method: "POST",
  path: "/api/agent/session/:id/rewind",
  summary:
    "Makes a message the last one of the history, or removes it too. Refused while a turn runs; a suspended turn ends",
  query: "NoQuery",
  body: "RewindRequest",
  answers: { 200: json("the id of the last message now") },
  handle: (call) =>
    withSession(call, async (session) => {
      const { to, before = false, id } = call.body;
      mustTakeInput(session);
      call.backend.storage.admit(call.principal, session);
      await session.rewind(to, { before, ...(id !== undefined && { id }) });
      const last = session.messages.at(-1);
      return jsonResponse((last ? { lastMessageId: last.id } : {}) satisfies RewindReply);
    }),
});

function withSession(
  { backend, principal, id, body }: Call<unknown, SessionTarget>,
  work: (session: Session) => Promise<Response>,
): Promise<Response> {
  const { incarnation } = body;
  return backend.sessions.use({ principal, id, incarnation }, ({ session }) => work(session));
}
