/** Messages of a client to a session: inputs, queued messages, and aborts. */
import type { Turn } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import type { Session } from "@capstan/core";
import type { Wish } from "../persist.ts";
import { codeOf, reachSession, triedOf } from "../persist.ts";
import type { ClientAction } from "../scenario.ts";
import type { WatchedSession } from "../watched-session.ts";
import type { World } from "../world.ts";

type InputAction = Extract<ClientAction, { readonly do: "send" | "continue" }>;
type QueueAction = Extract<ClientAction, { readonly do: "steer" | "followUp" }>;
type StopAction = Extract<ClientAction, { readonly do: "abort" | "abandon" }>;

export function toSend(world: World, action: InputAction): Wish {
  const { id, on, session: name, age } = action;
  return {
    on,
    what: `${action.do} ${id}`,
    isOver: () => world.isOver(action),
    try: async (host) => {
      const target = world.find(name, age);
      if (target === undefined) return "again";
      const isFirst = target === world.main && action.do === "send";
      await target.look();
      const session = await reachSession(host, target, isFirst && !target.wasThere);
      // The host has not heard of the deletion yet, but the client has.
      if (world.replaced.some(({ incarnation }) => incarnation === session.incarnation))
        return "reopen";
      const response = await start(session, action).response;
      const code = response.error?.code;
      if (host.life.isDead) return "again";
      if (triedOf(code) !== "done") return triedOf(code);
      if (code !== undefined && refusals.has(code)) {
        target.acknowledged.add({ type: "refused", id, code });
        return "done";
      }
      target.acknowledged.add({ type: "posted", id });
      target.acknowledged.add({ type: "response", turnId: session.turnIdOf(id), response });
      return "done";
    },
  };
}

const refusals: ReadonlySet<string> = new Set([
  "turn_unfinished",
  "calls_pending",
  "cannot_continue",
]);

function start(session: Session, action: InputAction): Turn<unknown, SessionEvent> {
  const { id, options } = action;
  if (action.do === "continue") return session.continue({ ...options, id });
  const { ifPending = "refuse" } = action;
  return session.send(action.text, { ...options, ...action.asking, id, ifPending });
}

export function toEnqueue(world: World, action: QueueAction): Wish {
  const { id, text, on, session: name, age } = action;
  return {
    on,
    what: `${action.do} ${id}`,
    isOver: () => world.isOver(action),
    try: async (host) => {
      const target = world.find(name, age);
      if (target === undefined) return "again";
      await target.look();
      const mayCreate = target === world.main && !target.wasThere;
      const session = await reachSession(host, target, mayCreate);
      const { app, metadata } = action.asking ?? {};
      const message = {
        role: "user" as const,
        content: text,
        ...(metadata !== undefined && { metadata }),
      };
      const receipt = await session[action.do](message, { id, ...(app && { app }) });
      target.acknowledged.add({ type: "posted", id });
      receipt.outcome.then(
        (outcome) => {
          if (!host.life.isDead) target.acknowledged.add({ type: "settled", id, outcome });
        },
        (thrown: unknown) => {
          // A closed host and a deleted session resolve no receipts.
          const code = codeOf(thrown);
          if (code === "host_closed" || (code === "not_found" && target.isOver)) return;
          target.violate("failure", `the receipt of ${id} failed: ${String(thrown)}`);
        },
      );
      return "done";
    },
  };
}

/** A repeated abort targets the same turn only: otherwise it might hit a later turn. */
export function toStop(world: World, action: StopAction): Wish {
  const { reason, on, session: name, age } = action;
  let aimed: string | undefined;
  return {
    on,
    what: action.do,
    isOver: () => world.isOver(action),
    try: async (host, isRepeated) => {
      const target = world.find(name, age);
      if (target === undefined) return "again";
      const session = await reachSession(host, target);
      await target.look();
      aimed ??= unfinished(target);
      if (isRepeated && unfinished(target) !== aimed) return "done";
      if (action.do === "abandon") {
        const isDropped = await session.abandon(reason);
        if (isDropped && !host.life.isDead) target.acknowledged.add({ type: "abandoned" });
        return "done";
      }
      await session.abort(reason);
      await target.look();
      const turnId = unfinished(target);
      if (turnId !== undefined && turnId === aimed) {
        target.acknowledged.add({ type: "aborted", turnId });
      }
      return "done";
    },
  };
}

/** Returns the first turn of the chain that is running or pending. */
function unfinished({ fold }: WatchedSession): string | undefined {
  const { acceptedInput, turn } = fold;
  if (acceptedInput !== undefined) return acceptedInput.id;
  return turn === undefined || (turn.isOver && !turn.isSuspended) ? undefined : turn.rootId;
}
