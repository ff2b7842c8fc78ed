// What has to hold when all is over, whatever was killed when.

import type { ChatMessage } from "@capstan/kernel";
import type { Entry, SessionRepository, StoredEntry } from "@capstan/log";
import { foldEntries, parseEntry } from "@capstan/log";
import { checkTranscript } from "@capstan/testing";
import type { Effect } from "./work.ts";

export interface Evidence {
  /** Turns that a client was told to be safe, by session. */
  readonly accepted: ReadonlyMap<string, ReadonlySet<string>>;
  readonly effects: readonly Effect[];
}

async function readLog(repository: SessionRepository, id: string): Promise<StoredEntry[]> {
  const stored: StoredEntry[] = [];
  for (;;) {
    const page = await repository.read(id, { after: stored.length });
    stored.push(...page.entries);
    if (page.entries.length === 0 || stored.length >= page.lastSeq) break;
  }
  return stored;
}

/** One line for everything that is wrong; none, if all is well. */
export async function judge(
  repository: SessionRepository,
  { accepted, effects }: Evidence,
): Promise<string[]> {
  const problems: string[] = [];
  const intents = new Set<string>();
  const results = new Map<string, Extract<Entry, { type: "tool_result" }>>();
  for (const [sessionId, turnIds] of accepted) {
    const stored = await readLog(repository, sessionId);
    const entries = stored.map((entry) => parseEntry(entry)).filter((entry) => entry !== undefined);
    const say = (problem: string): unknown => problems.push(`${sessionId}: ${problem}`);
    for (const problem of problemsOfLog(entries, turnIds)) say(problem);
    for (const problem of problemsOfTranscript(foldEntries(stored).transcript.messages))
      say(problem);
    for (const entry of entries) {
      if (entry.type === "tool_intent") intents.add(entry.toolCallId);
      if (entry.type === "tool_result") results.set(entry.toolCallId, entry);
    }
  }
  return [...problems, ...problemsOfEffects(effects, intents, results)];
}

function* problemsOfLog(
  entries: readonly Entry[],
  turnIds: ReadonlySet<string>,
): Generator<string> {
  const ends = new Map<string, number>();
  for (const [index, entry] of entries.entries()) {
    if (entry.seq !== index + 1) yield `entry ${index + 1} has the seq ${entry.seq}`;
    if (entry.type === "turn_ended") ends.set(entry.turnId, (ends.get(entry.turnId) ?? 0) + 1);
  }
  for (const turnId of turnIds) {
    const count = ends.get(turnId) ?? 0;
    if (count !== 1) yield `turn ${turnId} was accepted, and has ${count} ends`;
  }
  for (const [turnId, count] of ends) if (count > 1) yield `turn ${turnId} has ${count} ends`;
}

function problemsOfTranscript(messages: readonly ChatMessage[]): string[] {
  return checkTranscript(messages).map(({ message }) => message);
}

function* problemsOfEffects(
  effects: readonly Effect[],
  intents: ReadonlySet<string>,
  results: ReadonlyMap<string, Extract<Entry, { type: "tool_result" }>>,
): Generator<string> {
  const byCall = Map.groupBy(effects, ({ toolCallId }) => toolCallId);
  for (const [toolCallId, runs] of byCall) {
    const [{ tool }] = runs as [Effect];
    const call = `${tool} (${toolCallId})`;
    if (tool === "pay" && runs.length > 1) yield `${call} took effect ${runs.length} times`;
    if (tool !== "look" && !intents.has(toolCallId)) yield `${call} has no intent in any log`;
    if (new Set(runs.map(({ key }) => key)).size > 1) yield `${call} ran under two keys`;
    if (!results.has(toolCallId)) yield `${call} took effect, and has no result`;
  }
  for (const [toolCallId, { toolName, result }] of results) {
    if (!result.isError && toolName !== "ask" && !byCall.has(toolCallId))
      yield `${toolName} (${toolCallId}) is said to have run`;
    if (toolName === "ask" && !result.isError) yield `${toolName} (${toolCallId}) was answered`;
    const isRepeatable = toolName === "note" || toolName === "look";
    if (result.isError && isRepeatable) yield `${toolName} (${toolCallId}) has failed`;
  }
}
