/** Sessions made from others: restored snapshots, imports and forks. */
import type { ChatMessage, JsonValue } from "@capstan/kernel";
import type { NamedBlob, NewEntry, StoredEntry } from "@capstan/log";
import {
  LogError,
  createCopy,
  foldEntries,
  foldNew,
  forkLog,
  fromBase64,
  importLog,
  readBlobs,
  restoreLog,
  toBase64,
} from "@capstan/log";
import type { Agent } from "../agent/agent.ts";
import { nameOfChoice } from "../models/model.ts";
import type { SessionHost } from "./session-host.ts";
import type { Artifact, SessionSnapshot, StoredBlob } from "./snapshot.ts";
import { usageOf } from "./session-state.ts";
import { invalid, toSessionError } from "../errors/session-error.ts";

/** Returns the session as plain JSON. */
export function toSnapshot(
  id: string,
  entries: readonly StoredEntry[],
  agent: Agent,
): SessionSnapshot {
  const fold = foldEntries(entries);
  const { created, title, config, metadata } = fold;
  const { total, cost } = usageOf(fold);
  const [provider = "", ...rest] = (config.model ?? nameOfChoice(agent.model)).split("/");
  const artifacts = artifactsOf(fold.transcript.messages);
  const { principal } = created ?? {};
  return {
    version: 1,
    id,
    agent: agent.name,
    createdAt: created?.at ?? 0,
    updatedAt: entries.at(-1)?.at ?? 0,
    status: fold.status,
    provider,
    model: rest.length > 0 ? rest.join("/") : provider,
    messages: fold.transcript.messages,
    pendingToolCalls: fold.pending,
    usage: total,
    entries,
    ...(artifacts.length > 0 && { artifacts }),
    ...(agent.cwd !== undefined && { cwd: agent.cwd }),
    ...(title !== undefined && { title }),
    ...(principal !== undefined && { principal }),
    ...(metadata !== undefined && { metadata }),
    ...(cost !== undefined && { totalCost: cost }),
  };
}

function artifactsOf(messages: readonly ChatMessage[]): readonly Artifact[] {
  return messages.flatMap((message) => {
    if (message.role !== "tool" || message.kept === undefined) return [];
    const { blob, mediaType, chars } = message.kept;
    return [{ toolCallId: message.toolCallId, mediaType, chars, blob }];
  });
}

/** Reads the blobs that the entries refer to. */
export async function blobsOf(
  host: SessionHost,
  { id, entries }: SessionSnapshot,
): Promise<Pick<SessionSnapshot, "blobs">> {
  const blobs: StoredBlob[] = [];
  for await (const { blob, bytes } of readBlobs(host.repository, id, entries)) {
    blobs.push({ blob, data: toBase64(bytes) });
  }
  return blobs.length === 0 ? {} : { blobs };
}

/** Owner of an imported session. The snapshot itself does not decide it. */
export interface ImportChoices {
  readonly trust?: undefined;
  /** Default: the host's only agent. */
  readonly agent?: string;
  readonly principal?: string;
  readonly metadata?: JsonValue;
  /** Application context. Without it, sends have to bring theirs if the agent has an `appContext`. */
  readonly app?: unknown;
}

/**
 * By default a snapshot is imported: its messages are kept, and nothing in it runs or decides anything. With `trust: "own"`, for a snapshot
 * that only this program could have written, unfinished work resumes: pending calls are asked again, and queues, configuration, agent,
 * principal, metadata and application context are kept.
 */
export type RestoreOptions = ImportChoices | { readonly trust: "own" };

/** Stores a session from a snapshot taken elsewhere, under the same id. */
export async function storeSnapshot(
  host: SessionHost,
  snapshot: SessionSnapshot,
  options: RestoreOptions & { readonly onlyAgent: string | undefined },
): Promise<void> {
  const { id, blobs = [] } = snapshot;
  const named = blobs.map(({ blob, data }): NamedBlob => ({ blob, bytes: bytesOf(blob, data) }));
  const copy = { incarnation: crypto.randomUUID(), now: host.clock.now() };
  const entries = readable(id, () => {
    if (options.trust === "own") return restoreLog(snapshot.entries, copy);
    const { agent = options.onlyAgent, principal, metadata, app } = options;
    if (agent === undefined) throw invalid(whichAgent(id));
    const origin = {
      agent,
      ...(principal !== undefined && { principal }),
      ...(metadata !== undefined && { metadata }),
      ...(app !== undefined && { app: host.agent(agent).toStoredApp(app) }),
    };
    return importLog(snapshot.entries, { ...copy, origin, blobs: named.map(({ blob }) => blob) })
      .entries;
  });
  await store(host, id, entries, named);
}

function whichAgent(id: string): string {
  return `Cannot choose an agent for session ${id}, because this host has several: pass { agent } in the options of restore`;
}

function bytesOf(blob: string, data: string): Uint8Array {
  try {
    return fromBase64(data);
  } catch (cause) {
    throw invalid(`The blob "${blob}" of the snapshot is not Base64: take the snapshot again`, {
      cause,
    });
  }
}

/** Stores a fork and returns its id. Fails with `invalid_input` if no message has the id. */
export async function storeFork(
  host: SessionHost,
  sessionId: string,
  entries: readonly StoredEntry[],
  at: string | undefined,
): Promise<string> {
  const now = host.clock.now();
  const fork = { sessionId, now, incarnation: host.newId(), ...(at !== undefined && { at }) };
  const forked = forkLog(entries, fork);
  if (forked === undefined) throw invalid(unforkable(sessionId, entries, at ?? ""));
  const id = host.newId();
  await store(host, id, forked, readBlobs(host.repository, sessionId, forked));
  return id;
}

async function store(
  host: SessionHost,
  id: string,
  entries: readonly NewEntry[],
  blobs: Iterable<NamedBlob> | AsyncIterable<NamedBlob>,
): Promise<void> {
  const fold = readable(id, () => foldNew(entries));
  // Throws if this host does not have the agent.
  host.agent(fold.agent);
  try {
    await createCopy(host.repository, {
      id,
      entries,
      head: fold.head(host.clock.now()),
      blobs,
    });
  } catch (thrown) {
    throw toSessionError(id, thrown);
  }
}

function readable<T>(id: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (!(thrown instanceof LogError)) throw thrown;
    throw invalid(`Cannot read the entries of session ${id}: ${thrown.message}`, {
      cause: thrown,
    });
  }
}

function unforkable(sessionId: string, entries: readonly StoredEntry[], at: string): string {
  return foldEntries(entries).transcript.has(at)
    ? `Session ${sessionId} cannot be forked at "${at}" yet: its step is not complete. Wait for its end, or use an earlier message`
    : `Session ${sessionId} has no message "${at}" to fork at: use the id of one of its messages`;
}
