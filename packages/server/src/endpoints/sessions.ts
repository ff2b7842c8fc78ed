/** Endpoints for whole sessions: get, list, fork, delete. */
import type { RunningToolCall, SessionReadingPage } from "@capstan/core";
import type {
  ForkReply,
  ListedSession,
  RunningCall,
  SessionList,
  SessionOverview,
  SessionSummary,
  StoredEntry,
} from "@capstan/log";
import { formatCursor } from "@capstan/log";
import type { Endpoint } from "./endpoint.ts";
import { empty, json } from "./answered.ts";
import { endpoint } from "./endpoint.ts";
import { jsonResponse, jsonTextResponse, sessionHeaders } from "../guard/public-error.ts";
import { maxPageEntries } from "../guard/limits.ts";
import type { PublicView } from "../guard/public-view.ts";
import { cursorAhead } from "../guard/server-error.ts";
import type { OpenSession } from "../server/sessions.ts";

export const getSession: Endpoint = endpoint({
  method: "GET",
  path: "/api/agent/session/:id",
  summary:
    "Returns a consistent snapshot of a session, even during a turn. With sinceSeq only what came after that entry; if hasMore is set, the next page starts after lastSeq",
  query: "SessionQuery",
  answers: { 200: json("the session") },
  handle({ backend, principal, id, query }) {
    const { sinceSeq: after = 0, limit: maxEntries = maxPageEntries, incarnation } = query;
    return backend.sessions.use({ principal, id, incarnation }, async (open) => {
      const { session } = open;
      const reading = await session.readPage({ after, maxEntries, maxChars: maxPageChars });
      if (after > reading.lastSeq) throw cursorAhead(after, reading.lastSeq);
      const text = await jsonOfPage(toOverview(open, reading, backend.view), reading, backend.view);
      return jsonTextResponse(text, 200, sessionHeaders(session));
    });
  },
});

/** Limit for the JSON of a page's entries, in characters. The entry that reaches it is the last. */
const maxPageChars = 256_000;

/** All fields except the lists that grow with the session. */
function toOverview(
  { session }: OpenSession,
  reading: SessionReadingPage,
  view: PublicView,
): SessionOverview {
  const { lastSeq, hasMore, cursor, state, live } = reading;
  const { status, model, usage, totalCost, pendingToolCalls, runningToolCalls, queues, error } =
    state;
  return {
    sessionId: session.id,
    incarnation: session.incarnation,
    agent: session.agent,
    title: session.title,
    status,
    model,
    usage,
    totalCost,
    lastSeq,
    ...(hasMore && { hasMore }),
    cursor: formatCursor(cursor),
    live,
    pendingToolCalls,
    runningToolCalls: runningToolCalls.map(withoutOutput),
    claims: session.claims,
    queues,
    error: error && view.error(error),
  };
}

/** The live part of a page has the output. */
function withoutOutput({ toolCallId, toolName, input }: RunningToolCall): RunningCall {
  return { toolCallId, toolName, input };
}

async function jsonOfPage(
  overview: SessionOverview,
  { messages, firstIndex, entries }: SessionReadingPage,
  view: PublicView,
): Promise<string> {
  const rest = JSON.stringify({ ...overview, firstIndex }).slice(0, -1);
  const said = await jsonOfList(messages.map((message) => view.message(message)));
  const stored = await jsonOfList(entries.map((entry) => view.entry(withoutSecrets(entry))));
  return `${rest},"messages":${said},"entries":${stored}}`;
}

/** Removes an agent's instructions and the application context, which users must not see. A checkpoint has both, and clients need none. */
function withoutSecrets(stored: StoredEntry): StoredEntry {
  const { app: _app, ...entry } = stored;
  if (entry.type === "checkpoint") return { ...entry, state: {} };
  if (entry.type === "prompt") {
    const { instructions: _, ...shown } = entry;
    return shown;
  }
  const { config } = entry;
  if (typeof config !== "object" || config === null || !("instructions" in config)) return entry;
  const { instructions: _, ...shown } = config;
  return { ...entry, config: shown };
}

export const listSessions: Endpoint = endpoint({
  method: "GET",
  path: "/api/agent/sessions",
  summary: "Lists the caller's sessions, newest first, in pages",
  query: "SessionListQuery",
  answers: { 200: json("the page, with next if there is another") },
  async handle({ backend, principal, query }) {
    const { sessions, next } = await backend.host.list({ ...query, principal });
    const list: SessionList = {
      sessions: sessions.map(toSummary),
      ...(next !== undefined && { next }),
    };
    return jsonResponse(list);
  },
});

function toSummary({ id, head, lastSeq }: ListedSession): SessionSummary {
  const { status, agent, title, updatedAt, setAside } = head;
  const listed = { sessionId: id, status, agent, title, updatedAt, lastSeq };
  if (setAside === undefined) return listed;
  // The reason is for the operator only: it may contain files and addresses.
  return { ...listed, setAside: { at: setAside.at, reason: setAsideReason } };
}

const setAsideReason = "The session is set aside until its operator releases it";

export const fork: Endpoint = endpoint({
  method: "POST",
  path: "/api/agent/session/:id/fork",
  summary:
    "Creates a session with the same history, up to the step of a message, or up to the last complete step",
  query: "NoQuery",
  body: "ForkRequest",
  answers: { 201: json("the id of the new session") },
  handle({ backend, principal, id, body: { at, incarnation } }) {
    return backend.sessions.use({ principal, id, incarnation }, async (open) => {
      backend.storage.admit(principal, open.session);
      const stored = await backend.sessions.admit(principal);
      try {
        const forked = await open.session.fork(at);
        backend.storage.count(principal, forked);
        // Clients that want it open it.
        await forked.detach();
        return jsonResponse(
          { sessionId: forked.id } satisfies ForkReply,
          201,
          sessionHeaders(forked),
        );
      } finally {
        stored();
      }
    });
  },
});

export const deleteSession: Endpoint = endpoint({
  method: "DELETE",
  path: "/api/agent/session/:id",
  summary: "Deletes a session with its whole history and ends its streams",
  query: "SessionTarget",
  answers: { 204: empty("deleted") },
  handle({ backend, principal, id, query: { incarnation } }) {
    return backend.sessions.use({ principal, id, incarnation }, async (open) => {
      backend.streams.end("deleted", open.session.id);
      await backend.sessions.delete(open);
      backend.storage.forget(open.session.id);
      return new Response(null, { status: 204 });
    });
  },
});

/** Characters per chunk, unless a single item has more. */
const pieceChars = 256_000;

/** Serializes a list to JSON in chunks, and yields to other work between them. */
async function jsonOfList(items: readonly object[]): Promise<string> {
  const texts: string[] = [];
  let chars = 0;
  for (const item of items) {
    const text = JSON.stringify(item);
    texts.push(text);
    chars += text.length;
    if (chars < pieceChars) continue;
    chars = 0;
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 0);
    });
  }
  return `[${texts.join(",")}]`;
}
