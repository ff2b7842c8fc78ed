/** The client's knowledge of pending calls, and its answers. */
import type { PendingCall } from "@capstan/kernel";
import type { Answer, Session } from "@capstan/core";
import type { Acknowledgement } from "../acknowledgements.ts";
import type { Tried, Wish } from "../persist.ts";
import { codeOf, reachSession, triedOf } from "../persist.ts";
import type { AnswerAction, ClientAction } from "../scenario.ts";
import type { SimulatedHost } from "../simulated-host.ts";
import type { WatchedSession } from "../watched-session.ts";
import type { World } from "../world.ts";

/** Matches no pending call. */
export const forgedHash = "forged";

/** Longer than any scenario takes. */
const claimMs = 100_000;

interface Answers {
  readonly target: WatchedSession;
  readonly calls: readonly PendingCall[];
  readonly how: AnswerAction["how"];
  /** True if other answers may have come first, so that a refusal is no violation. */
  readonly mayBeRefused: boolean;
}

export class Answering {
  readonly #world: World;
  /** All calls that the client has heard of. */
  readonly #known: PendingCall[] = [];
  /** Calls whose answer is in transit or accepted, by name and age of their session. */
  readonly #answering = new Set<string>();

  constructor(world: World) {
    this.#world = world;
  }

  hear(pending: readonly PendingCall[]): void {
    const isNew = (call: PendingCall): boolean =>
      !this.#known.some(({ hash }) => hash === call.hash);
    this.#known.push(...pending.filter(isNew));
  }

  /** Creates the scenario's answers to all pending calls without one. */
  toPending(target: WatchedSession, pending: readonly PendingCall[]): readonly Wish[] {
    const { answers = "late", mayDiffer } = this.#world.scenario;
    if (answers === "never") return [];
    const calls = pending.filter(
      (call) => call.toolName !== "ignored" && !this.#answering.has(nameIn(target, call)),
    );
    if (calls.length === 0) return [];
    for (const call of calls) this.#answering.add(nameIn(target, call));
    const groups = answers === "one-by-one" ? calls.map((call) => [call]) : [calls];
    return groups.map((group) => ({
      what: `answers to ${namesOf(group)}`,
      isOver: () => target.isOver,
      try: (host, isRepeated) => {
        const mayBeRefused = isRepeated || mayDiffer !== undefined || group.some(hasDeadline);
        return this.#send(host, { target, calls: group, how: "right", mayBeRefused });
      },
    }));
  }

  /** Creates an action's answers to calls that the client has heard of by then. */
  toKnown(action: ClientAction & AnswerAction): Wish {
    const { calls: chosen, how, on, session: name, age } = action;
    return {
      on,
      what: `${how} answers`,
      isOver: () => this.#world.isOver(action),
      try: async (host) => {
        const target = this.#world.find(name, age);
        if (target === undefined) return "again";
        await target.look();
        const calls = this.#known.filter((call) => {
          const index = indexOf(target, call);
          return index !== undefined && (chosen?.includes(index) ?? true);
        });
        if (calls.length === 0) return "done";
        return this.#send(host, { target, calls, how, mayBeRefused: true });
      },
    };
  }

  /** Claims calls that the client runs, as far as it has heard of them by then. */
  toClaim(action: ClientAction & { readonly do: "claim" }): Wish {
    const { by, on, session: name, age } = action;
    return {
      on,
      what: `claims of ${by}`,
      isOver: () => this.#world.isOver(action),
      try: async (host) => {
        const target = this.#world.find(name, age);
        if (target === undefined) return "again";
        const session = await reachSession(host, target);
        for (const { toolCallId, kind } of this.#known) {
          if (kind !== "execution" || !(await isClaimed(session, toolCallId, by))) continue;
          if (!host.life.isDead) target.acknowledged.add({ type: "claimed", toolCallId, by });
        }
        return "done";
      },
    };
  }

  async #send(host: SimulatedHost, answers: Answers): Promise<Tried> {
    const { target, calls, how } = answers;
    const session = await reachSession(host, target);
    const sent = calls.map((call) => this.#toAnswer(call, how));
    const { error } = await session.send(sent).response;
    // The turn that took the answers was dropped.
    const code = error?.code === "abandoned" ? undefined : error?.code;
    if (host.life.isDead) return "again";
    if (triedOf(code) !== "done") return triedOf(code);
    if (code !== undefined) checkRefusal(answers, code);
    if (code !== undefined && how !== "forged") return "done";
    for (const [index, answer] of sent.entries()) {
      // A call of a child session is answered in the child's log.
      const childId = calls[index]?.via?.at(-1)?.sessionId;
      const asked = childId === undefined ? target : this.#world.session(childId);
      asked.acknowledged.add(toAcknowledgement(answer, how));
    }
    return "done";
  }

  #toAnswer({ toolCallId, kind, hash, toolName }: PendingCall, how: Answers["how"]): Answer {
    if (how === "forged") return { toolCallId, hash: forgedHash, approved: true };
    const isRight = how === "right";
    if (kind === "execution") {
      return {
        toolCallId,
        isError: !isRight,
        output: `${toolName} ${isRight ? "is done" : "failed"}`,
      };
    }
    const approved = isRight && (this.#world.scenario.approves ?? true);
    return { toolCallId, hash, approved, ...(!approved && { reason: "not today" }) };
  }
}

/** False if another client was first, or the call is settled. */
async function isClaimed(session: Session, toolCallId: string, by: string): Promise<boolean> {
  try {
    await session.claim(toolCallId, by, claimMs);
    return true;
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "already_claimed" || code === "not_pending" || code === "already_answered")
      return false;
    throw thrown;
  }
}

function toAcknowledgement(answer: Answer, how: Answers["how"]): Acknowledgement {
  const { toolCallId } = answer;
  if (how === "forged") return { type: "forged", toolCallId };
  return {
    type: "answered",
    toolCallId,
    isYes: "approved" in answer ? answer.approved : answer.isError !== true,
  };
}

/** Returns the call's index in its step; undefined if it belongs to another session. */
function indexOf({ entries }: WatchedSession, { toolCallId }: PendingCall): number | undefined {
  for (const entry of entries) {
    if (entry.type !== "message" || entry.message.role !== "assistant") continue;
    const calls = entry.message.content.filter((part) => part.type === "tool_call");
    const index = calls.findIndex(({ id }) => id === toolCallId);
    if (index !== -1) return index;
  }
  return undefined;
}

/** A right answer that is in time and the first must be accepted. */
function checkRefusal({ target, calls, how, mayBeRefused }: Answers, code: string): void {
  const isForgery = code === "hash_mismatch" || code === "wrong_kind";
  const isTooLate = code === "not_pending" || code === "already_answered";
  if (isForgery ? how === "forged" : isTooLate && mayBeRefused) return;
  target.violate("failure", `${how} answers to ${namesOf(calls)} were refused with ${code}`);
}

function nameIn({ age }: WatchedSession, { toolCallId }: PendingCall): string {
  return `${toolCallId} of ${age}`;
}

function hasDeadline({ deadlineAt }: PendingCall): boolean {
  return deadlineAt !== undefined;
}

function namesOf(calls: readonly PendingCall[]): string {
  return calls.map(({ toolCallId }) => toolCallId).join(", ");
}
