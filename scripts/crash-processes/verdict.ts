// What has to hold when all is over, whatever was killed when.

import type { ChatMessage } from "@capstan/kernel";
import type { Entry, SessionRepository, StoredEntry } from "@capstan/log";
import { foldEntries, parseEntry } from "@capstan/log";
import { checkTranscript } from "@capstan/testing";
import type { Effect } from "./work.ts";
import { ageIn, backgroundName, childName } from "./work.ts";

/** Knowledge of a client about its session. */
export interface Witness {
  readonly sessionId: string;
  /** How many sessions of this id there have been: all but the last were deleted. */
  readonly age: number;
  /** Turns of the last one that the client was told to be safe. */
  readonly accepted: ReadonlySet<string>;
}

export interface Evidence {
  readonly clients: readonly Witness[];
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
  { clients, effects }: Evidence,
): Promise<string[]> {
  const problems: string[] = [];
  for (const client of clients) {
    const { sessionId, accepted } = client;
    const stored = await readLog(repository, sessionId);
    const entries = stored.map((entry) => parseEntry(entry)).filter((entry) => entry !== undefined);
    const own = effects.filter(({ toolCallId }) => toolCallId.startsWith(`${sessionId}-`));
    const transcript = foldEntries(stored).transcript.messages;
    const found = [
      ...problemsOfLog(entries, accepted),
      ...problemsOfAge(entries, client),
      ...problemsOfTranscript(transcript),
      ...problemsOfEffects(own, entries, client),
      ...(await problemsOfChildren(repository, entries, effects, transcript)),
    ];
    problems.push(...found.map((problem) => `${sessionId}: ${problem}`));
  }
  return problems;
}

/** Each call of the child agent has one child session, which is at rest and kept its own promises. */
async function problemsOfChildren(
  repository: SessionRepository,
  parent: readonly Entry[],
  effects: readonly Effect[],
  transcript: readonly ChatMessage[],
): Promise<string[]> {
  const problems: string[] = [];
  const started = parent.filter((entry) => entry.type === "child_started");
  for (const [toolCallId, starts] of Map.groupBy(started, (entry) => entry.toolCallId)) {
    if (starts.length > 1) problems.push(`${toolCallId} has ${starts.length} children`);
    const ends = parent.filter(
      (entry) => entry.type === "child_ended" && entry.toolCallId === toolCallId,
    );
    if (ends.length !== 1) problems.push(`the child of ${toolCallId} has ${ends.length} ends`);
  }
  problems.push(...problemsOfAnswers(transcript, started));
  for (const { childId } of started) {
    const stored = await readLog(repository, childId);
    const entries = stored.map((entry) => parseEntry(entry)).filter((entry) => entry !== undefined);
    const fold = foldEntries(stored);
    const turns = new Set(
      entries.flatMap((entry) => (entry.type === "turn_started" ? entry.turnId : [])),
    );
    const own = effects.filter(({ toolCallId }) =>
      [...turns].some((turnId) => toolCallId.startsWith(`${turnId}_`)),
    );
    const found = [
      ...(fold.status === "completed" ? [] : [`its status is ${fold.status}`]),
      ...problemsOfLog(entries, turns),
      ...problemsOfTranscript(fold.transcript.messages),
      ...problemsOfEffects(own, entries, { age: 1 }),
    ];
    problems.push(...found.map((problem) => `child ${childId}: ${problem}`));
  }
  return problems;
}

/** The answer of each child in the background is one message. */
function* problemsOfAnswers(
  transcript: readonly ChatMessage[],
  started: readonly Extract<Entry, { type: "child_started" }>[],
): Generator<string> {
  const answers = transcript.flatMap((message) => {
    const isAnswer = message.role === "user" && message.source === "child";
    return isAnswer && typeof message.content === "string" ? [message.content] : [];
  });
  for (const { childId, mode } of started) {
    const count = answers.filter((text) => text.includes(childId)).length;
    const expected = mode === "background" ? 1 : 0;
    if (count !== expected) yield `the answer of child ${childId} arrived ${count} times`;
  }
}

/** Nothing that was said to an earlier session of this id is in the last one. */
function* problemsOfAge(entries: readonly Entry[], { age }: Witness): Generator<string> {
  for (const entry of entries) {
    if (entry.type !== "input") continue;
    for (const message of entry.messages) {
      if (message.role !== "user") continue;
      const { id, content } = message;
      if (typeof content !== "string") continue;
      const said = ageIn(content);
      if (said !== age) yield `${id} was said to session ${said} of this id, and is in ${age}`;
    }
  }
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

/** A call of the same id in another session of the same id has another key. */
function* problemsOfEffects(
  effects: readonly Effect[],
  entries: readonly Entry[],
  { age }: Pick<Witness, "age">,
): Generator<string> {
  const keys = new Map<string, string>();
  const results = new Map<string, Extract<Entry, { type: "tool_result" }>>();
  for (const entry of entries) {
    if (entry.type === "tool_intent") keys.set(entry.toolCallId, entry.key);
    if (entry.type === "tool_result") results.set(entry.toolCallId, entry);
  }
  for (const [key, runs] of Map.groupBy(effects, (effect) => effect.key)) {
    const [{ tool, toolCallId }] = runs as [Effect];
    const call = `${tool} (${toolCallId})`;
    if (tool === "pay" && runs.length > 1) yield `${call} took effect ${runs.length} times`;
    const isOurs = keys.get(toolCallId) === key;
    if (tool !== "look" && !isOurs && age === 1) yield `${call} has no intent in any log`;
    if (isOurs && !results.has(toolCallId)) yield `${call} took effect, and has no result`;
  }
  const byCall = Map.groupBy(effects, ({ toolCallId }) => toolCallId);
  for (const [toolCallId, runs] of byCall) {
    const count = new Set(runs.map(({ key }) => key)).size;
    if (count > age) yield `${toolCallId} ran under ${count} keys in ${age} sessions`;
  }
  for (const [toolCallId, { toolName, result }] of results) {
    const runs = byCall.get(toolCallId) ?? [];
    const key = keys.get(toolCallId);
    const hasRun = key === undefined ? runs.length > 0 : runs.some((run) => run.key === key);
    const isOfChild = toolName === childName || toolName === backgroundName;
    const isOfOthers = toolName === "ask" || isOfChild;
    if (!result.isError && !isOfOthers && !hasRun)
      yield `${toolName} (${toolCallId}) is said to have run`;
    if (toolName === "ask" && !result.isError) yield `${toolName} (${toolCallId}) was answered`;
    const isRepeatable = toolName === "note" || toolName === "look" || isOfChild;
    if (result.isError && isRepeatable) yield `${toolName} (${toolCallId}) has failed`;
  }
}
