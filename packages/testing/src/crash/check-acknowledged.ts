/** Checks that nothing acknowledged to the client is lost or different. */
import type { ChatMessage, TurnResponse } from "@capstan/kernel";
import { isDeepStrictEqual } from "node:util";
import type { Acknowledgement } from "./acknowledgements.ts";
import { forgedHash } from "./wishes/answers.ts";
import type { CrashSettings } from "./scenario.ts";
import { toChosenTools } from "./toolbox.ts";
import type { WatchedSession } from "./watched-session.ts";

export function checkAcknowledged(session: WatchedSession): void {
  for (const acknowledgement of session.acknowledged.all) checkOne(session, acknowledgement);
}

function checkOne(session: WatchedSession, acknowledgement: Acknowledgement): void {
  const { entries, fold } = session;
  const miss = (message: string): void => session.violate("acknowledged", message);
  const { type } = acknowledgement;
  switch (type) {
    case "posted": {
      const { id } = acknowledgement;
      const count = entries.filter((entry) => entry.id === id).length;
      if (count !== 1) miss(`${id} was accepted, but is in the log ${count} times`);
      return;
    }
    case "response":
      return checkResponse(session, acknowledgement.turnId, acknowledgement.response);
    case "answered": {
      const { toolCallId, isYes } = acknowledgement;
      const isThere = entries.some((entry) => {
        if (entry.type === "answer") {
          return entry.toolCallId === toolCallId && entry.result.isError !== isYes;
        }
        if (entry.type !== "decision" || entry.toolCallId !== toolCallId) return false;
        return entry.isApproved === isYes && entry.hash !== forgedHash;
      });
      if (!isThere) miss(`the answer to ${toolCallId} was accepted, but is not in the log`);
      return;
    }
    case "forged": {
      const { toolCallId } = acknowledgement;
      const isThere = entries.some(
        (entry) =>
          entry.type === "decision" && entry.toolCallId === toolCallId && entry.hash === forgedHash,
      );
      if (!isThere) miss(`the forged approval of ${toolCallId} is not in the log as it was sent`);
      return;
    }
    case "claimed": {
      const { toolCallId, by } = acknowledgement;
      const isThere = entries.some(
        (entry) =>
          entry.type === "call_claimed" &&
          entry.toolCallId === toolCallId &&
          entry.claimedBy === by &&
          fold.refusalOf(entry.id) === undefined,
      );
      if (!isThere) miss(`${by} was given ${toolCallId}, but the log has no such claim`);
      return;
    }
    case "aborted": {
      const { turnId } = acknowledgement;
      const isThere = entries.some(
        (entry) => entry.type === "cancel_requested" && session.rootOf(entry.turnId) === turnId,
      );
      if (!isThere) miss(`the abort of ${turnId} was accepted, but is not in the log`);
      return;
    }
    case "abandoned": {
      const isThere = entries.some(
        (entry) => entry.type === "turn_ended" && entry.error?.code === "abandoned",
      );
      if (!isThere) miss("a turn was dropped, but the log has no such end");
      return;
    }
    case "settled": {
      const { id, outcome } = acknowledgement;
      const found = fold.queues.outcomeOf(id);
      if (isDeepStrictEqual(found, outcome)) return;
      return miss(
        `${id} was reported as ${JSON.stringify(outcome)}, but is ${JSON.stringify(found)}`,
      );
    }
    case "refused": {
      const { id, code } = acknowledgement;
      const found = fold.refusalOf(id);
      if (found !== code) miss(`${id} was refused with ${code}, but the log has ${found}`);
      return;
    }
    case "compacted": {
      const { id, result } = acknowledgement;
      const { type: _, ...counts } = fold.compactions.outcomeOf(id) ?? { type: "none" };
      const { isCompacted, ...told } = result;
      if (!isCompacted || isDeepStrictEqual(counts, told)) return;
      return miss(
        `${id} was reported to free ${JSON.stringify(told)}, but the log has ${JSON.stringify(counts)}`,
      );
    }
    case "configured": {
      const { settings, length } = acknowledgement;
      if (isConfigured(session, settings, length)) return;
      return miss(`${JSON.stringify(settings)} was configured, but is not in the log`);
    }
    case "replaced": {
      const { by, length } = acknowledgement;
      const isThere = entries.some(
        (entry) =>
          entry.type === by && entry.seq <= length && fold.refusalOf(entry.id) === undefined,
      );
      if (!isThere)
        miss(`another history was accepted, but there is no ${by} among ${length} entries`);
      return;
    }
    case "begun": {
      const { incarnation } = acknowledgement;
      if (session.incarnation !== incarnation)
        miss(`${incarnation} was created, but does not exist`);
      return;
    }
    case "forked":
      if (entries.length === 0) miss("it was created, but does not exist");
      return;
    default:
      acknowledgement satisfies never;
  }
}

function isConfigured(
  { entries }: WatchedSession,
  settings: CrashSettings,
  length: number,
): boolean {
  const { tools, ...plain } = settings;
  const config = { ...plain, ...(tools && { tools: toChosenTools(tools) }) };
  return entries.some(
    (entry) =>
      entry.type === "config" && entry.seq <= length && isDeepStrictEqual(entry.config, config),
  );
}

function checkResponse(session: WatchedSession, turnId: string, response: TurnResponse): void {
  const { entries, events } = session;
  const end = entries.find((entry) => entry.type === "turn_ended" && entry.turnId === turnId);
  const started = entries.find((entry) => entry.type === "turn_started" && entry.turnId === turnId);
  if (end?.type !== "turn_ended" || started?.type !== "turn_started") {
    const text = `turn ${turnId} answered "${response.finishReason}" (${response.error?.message}), but has no end`;
    return session.violate("acknowledged", text);
  }
  const messages: ChatMessage[] = events.flatMap(({ event }) =>
    event.turnId === turnId &&
    event.type === "message_end" &&
    !isInput(event.message, events, turnId)
      ? [event.message]
      : [],
  );
  const found = { finishReason: end.finishReason, usage: end.usage, messages };
  const { finishReason, usage } = response;
  const told = { finishReason, usage, messages: response.messages };
  if (isDeepStrictEqual(found, told)) return;
  const text = `turn ${turnId} answered ${JSON.stringify(told)}, but the log has ${JSON.stringify(found)}`;
  session.violate("response", text);
}

function isInput({ id }: ChatMessage, events: WatchedSession["events"], turnId: string): boolean {
  return events.some(
    ({ event }) =>
      event.type === "turn_start" && event.turnId === turnId && event.input.includes(id),
  );
}
