/** Starts a turn with the user's input, or continues one with answers, and streams it. */
import type { NewSession, Session } from "@capstan/core";
import { compareCursors, formatCursor, formatTreeCursor, startCursor } from "@capstan/log";
import type { Cursor, ExecuteRequest } from "@capstan/log";
import { appOf } from "./app-of.ts";
import { traceIn } from "./trace-in.ts";
import type { Backend, Call, Endpoint } from "./endpoint.ts";
import { eventStream } from "./answered.ts";
import { endpoint } from "./endpoint.ts";
import type { EventStream } from "../streaming/frame-sink.ts";
import { sessionHeaders } from "../guard/public-error.ts";
import { invalidRequest, mustTakeInput, noSession } from "../guard/server-error.ts";
import type { OpenSession } from "../server/sessions.ts";
import { lendTools, toLentTools, withLent } from "./lend-tools.ts";
import type { StreamChoices } from "./open-stream.ts";
import { cursorIn, lastEventId, mustBeReached, openStream, toTreeCursor } from "./open-stream.ts";
import { withNewSession } from "./new-session.ts";
import { failIfRefused } from "./refusal.ts";
import { TurnStream, hasStarted, outcomeEndings } from "./turn-stream.ts";

type ExecuteCall = Call<object, ExecuteRequest>;

export const execute: Endpoint = endpoint({
  method: "POST",
  path: "/api/agent/execute",
  summary:
    "Starts a turn, or continues one with answers, and streams its events up to execute_complete",
  query: "NoQuery",
  body: "ExecuteRequest",
  answers: { 200: eventStream },
  async handle(call: ExecuteCall) {
    checkModel(call);
    const { backend, principal, body } = call;
    const { sessionId: key } = body;
    const found = key === undefined ? undefined : await backend.sessions.find(principal, key);
    if (found === undefined) return await begin(call, key);
    try {
      return await sendTo(call, found);
    } catch (thrown) {
      // The session is gone, so nothing was sent: send to the session that has its id now.
      if (!found.session.isGone) throw thrown;
    }
    const next = key === undefined ? undefined : await backend.sessions.find(principal, key);
    return next === undefined ? await begin(call, key) : await sendTo(call, next);
  },
});

function begin(call: ExecuteCall, key: string | undefined): Promise<EventStream> {
  const { context, incarnation } = call.body;
  // The client knows a session that no longer exists.
  if (key !== undefined && incarnation !== undefined) throw noSession(key);
  if (key !== undefined && context === undefined) throw unknownSession(key);
  return sendToNew(call, key);
}

function sendToNew(call: ExecuteCall, key: string | undefined): Promise<EventStream> {
  return withNewSession(
    call,
    { key, origin: originOf(call) },
    {
      send: (open) => send(call, open),
      sendToOther: (open) => sendTo(call, open),
    },
  );
}

function sendTo(call: ExecuteCall, open: OpenSession): Promise<EventStream> {
  const { backend, body } = call;
  const { incarnation, sessionId: id = open.session.id } = body;
  return backend.sessions.useOpen(open, { id, incarnation }, async () => {
    mustBeOfAgent(open.session, body.agent);
    if (!isAnswer(body.input)) mustTakeInput(open.session);
    const { tools } = body.context ?? {};
    if (tools !== undefined) {
      const lent = toLentTools(tools, body.client, backend.clientTools);
      await lendTools(open.session, ownTools(backend, open.session.agent), lent, body.client);
    }
    return send(call, open);
  });
}

/** A session keeps the agent it was created with. */
function mustBeOfAgent(session: Session, agent: string | undefined): void {
  if (agent === undefined || agent === session.agent) return;
  const message = `the session belongs to agent "${session.agent}": omit \`agent\`, or start another session`;
  throw invalidRequest("Agent mismatch", [{ path: "agent", message }]);
}

async function send(call: ExecuteCall, open: OpenSession): Promise<EventStream> {
  const { body, headers: asked, backend, principal } = call;
  const { session } = open;
  const isRepeat = body.id !== undefined && hasStarted(session, body.id);
  if (!isRepeat) backend.storage.admit(principal, session);
  // Another session may have the id by now: later events would be that session's.
  if (isRepeat) await session.refresh();
  const start = startOf(call, session, isRepeat);
  const { after } = start;
  if (after !== undefined) mustBeReached(session, after);
  // Before the turn starts, because its events may come at once.
  const early: { stream?: TurnStream; leave?: () => void } = {};
  const stream = openStream(call, open, {
    ...start,
    accepts: (event, cursor) => early.stream?.accepts(event, cursor) ?? true,
    onEvent: (event) => early.stream?.onEvent(event),
    onClose: () => early.leave?.(),
  });
  try {
    const turn = session.send(body.input, {
      ...optionsOf(body),
      ...appOf(call, session.agent),
      ...traceIn(asked),
    });
    early.stream = new TurnStream(session, turn, after, outcomeEndings(backend.view));
    await session.flush();
    await failIfRefused(turn);
    early.stream.follow(turn, stream.reader);
    if (start.tree !== undefined && after !== undefined) {
      early.leave = readEnd(session, after, early.stream);
    }
    // A new session gets its incarnation when it is stored.
    const headers = { ...sessionHeaders(session), "x-turn-id": session.turnIdOf(turn.id) };
    return { ...stream, headers: { ...stream.headers, ...headers } };
  } catch (thrown) {
    stream.reader.onClose();
    throw thrown;
  }
}

/** A turn that was sent before is read from the beginning, because the reader may already have seen even its end. */
function startOf(
  { body, headers }: ExecuteCall,
  session: Session,
  isRepeat: boolean,
): Pick<StreamChoices, "after" | "from" | "tree"> {
  const isTree = body.options?.tree === true;
  if (!isRepeat) return isTree ? { tree: formatCursor(session.cursor) } : {};
  if (!isTree) return { after: cursorIn(headers) ?? startCursor, from: startCursor };
  const after = toTreeCursor(lastEventId(headers) ?? formatCursor(startCursor), "last-event-id");
  return { after: after.cursor, tree: formatTreeCursor(after) };
}

/** A stream of a tree begins after its cursor: this finds the end of a turn before it. Returns a function that stops it. */
function readEnd(session: Session, after: Cursor, stream: TurnStream): () => void {
  return session.subscribe(
    (event, cursor) => {
      if (compareCursors(cursor, after) <= 0) stream.accepts(event, cursor);
    },
    { after: startCursor },
  );
}

function optionsOf({
  id,
  input,
  options: { tree: _tree, ...options } = {},
}: ExecuteRequest): ExecuteRequest["options"] & { id?: string } {
  // Answers are identified by their content.
  if (isAnswer(input)) return { id: "wire" };
  return { ...options, ...(id !== undefined && { id }) };
}

function isAnswer(input: ExecuteRequest["input"]): boolean {
  return Array.isArray(input) && input.some((item) => "toolCallId" in item);
}

function originOf(call: ExecuteCall): Omit<NewSession, "id" | "principal"> {
  const { backend, body } = call;
  const agent = body.agent ?? backend.agents[0] ?? "";
  if (!backend.agents.includes(agent)) {
    const message = `must be one of: ${backend.agents.join(", ")}`;
    throw invalidRequest("Unknown agent", [{ path: "agent", message }]);
  }
  const { messages = [], tools = [] } = body.context ?? {};
  const lent = toLentTools(tools, body.client, backend.clientTools);
  const history = messages.map((message, index) => ({ id: `history-${index + 1}`, ...message }));
  return {
    agent,
    ...appOf(call, agent),
    ...(history.length > 0 && { history }),
    ...(lent.length > 0 && {
      config: { tools: withLent(ownTools(backend, agent), lent, body.client) },
    }),
  };
}

function ownTools({ host }: Backend, agentName: string): readonly string[] {
  const agent = host.agents.find(({ name }) => name === agentName);
  return agent?.tools.map(({ name }) => name) ?? [];
}

function checkModel({ backend, body }: ExecuteCall): void {
  const model = body.options?.model;
  if (model === undefined || backend.models.includes(model)) return;
  const known = backend.models.join(", ") || "(none: omit `model`)";
  const message = `must be one of: ${known}`;
  throw invalidRequest("Model not allowed", [{ path: "options.model", message }]);
}

function unknownSession(key: string): Error {
  const message = `Unknown session "${key}": to create one with this key, send a context`;
  return invalidRequest(message, [{ path: "sessionId", message: "unknown" }]);
}
