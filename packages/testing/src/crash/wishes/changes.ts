/** Changes a client makes to a session between its turns: settings and history; and forks. */
import type { Session } from "@capstan/core";
import type { Tried, Wish } from "../persist.ts";
import { codeOf, reachSession } from "../persist.ts";
import { pastOf } from "../past.ts";
import type { ClientAction } from "../scenario.ts";
import { toChosenTools } from "../toolbox.ts";
import type { World } from "../world.ts";

type ConfigureAction = Extract<ClientAction, { readonly do: "configure" }>;
type CompactAction = Extract<ClientAction, { readonly do: "compact" }>;
type HistoryAction = Extract<
  ClientAction,
  { readonly do: "clearHistory" | "loadHistory" | "reset" }
>;
type RewindAction = Extract<ClientAction, { readonly do: "rewind" }>;
type ForkAction = Extract<ClientAction, { readonly do: "fork" }>;

export function toConfigure(world: World, action: ConfigureAction): Wish {
  const { on, session: name, age, settings } = action;
  return {
    on,
    what: `configure ${JSON.stringify(settings)}`,
    isOver: () => world.isOver(action),
    try: async (host) => {
      const target = world.find(name, age);
      if (target === undefined) return "again";
      const session = await reachSession(host, target);
      const { tools, ...plain } = settings;
      await session.configure({ ...plain, ...(tools && { tools: toChosenTools(tools) }) });
      await target.look();
      const { length } = target.stored;
      target.acknowledged.add({ type: "configured", settings, length });
      return "done";
    },
  };
}

export function toCompact(world: World, action: CompactAction): Wish {
  const { on, session: name, age, id, directives } = action;
  return {
    on,
    what: `compact ${id}`,
    isOver: () => world.isOver(action),
    try: async (host) => {
      const target = world.find(name, age);
      if (target === undefined) return "again";
      const session = await reachSession(host, target);
      try {
        const result = await session.compact({
          id,
          ...(directives !== undefined && { directives }),
        });
        if (!host.life.isDead) target.acknowledged.add({ type: "compacted", id, result });
      } catch (thrown) {
        // There is no summary: the log has the reason.
        if (codeOf(thrown) !== "compaction_failed") throw thrown;
      }
      target.acknowledged.add({ type: "posted", id });
      return "done";
    },
  };
}

export function toReplace(world: World, action: HistoryAction): Wish {
  const { on, session: name, age } = action;
  return {
    on,
    what: action.do,
    isOver: () => world.isOver(action),
    try: async (host) => {
      const target = world.find(name, age);
      if (target === undefined) return "again";
      const session = await reachSession(host, target);
      const isEmpty = session.messages.length === 0;
      try {
        await replace(session, action.do);
      } catch (thrown) {
        return refusedOrThrow(world, action.do, thrown);
      }
      // There was nothing to forget.
      if (isEmpty && action.do !== "loadHistory") return "done";
      await target.look();
      const by = action.do === "loadHistory" ? "history_loaded" : "history_cleared";
      target.acknowledged.add({ type: "replaced", by, length: target.stored.length });
      return "done";
    },
  };
}

async function replace(session: Session, how: HistoryAction["do"]): Promise<void> {
  switch (how) {
    case "clearHistory":
      return session.clearHistory();
    case "loadHistory":
      return session.loadHistory(pastOf("loaded"));
    case "reset":
      return session.reset();
    default:
      return how satisfies never;
  }
}

export function toRewind(world: World, action: RewindAction): Wish {
  const { on, session: name, age, id, to, before = false } = action;
  return {
    on,
    what: `rewind ${id}`,
    isOver: () => world.isOver(action),
    try: async (host) => {
      const target = world.find(name, age);
      if (target === undefined) return "again";
      const session = await reachSession(host, target);
      try {
        await session.rewind(to, { id, before });
      } catch (thrown) {
        // Another rewind may have removed the message.
        const isRaced = codeOf(thrown) === "invalid_input" && world.scenario.mayDiffer;
        return isRaced ? "done" : refusedOrThrow(world, action.do, thrown);
      }
      target.acknowledged.add({ type: "posted", id });
      return "done";
    },
  };
}

/** If nothing else can have come first, no turn may be unfinished. */
function refusedOrThrow(world: World, what: string, thrown: unknown): Tried {
  const code = codeOf(thrown);
  if (code !== "turn_unfinished" && code !== "calls_pending") throw thrown;
  if (world.scenario.mayDiffer === undefined) {
    world.violations.add("failure", `${what} was refused with ${code}`);
  }
  return "done";
}

/** An unacknowledged fork may exist all the same, without further use. */
export function toFork(world: World, { on, session: name, as, at }: ForkAction): Wish {
  return {
    on,
    what: `fork ${as}`,
    try: async (host) => {
      const target = world.find(name);
      if (target === undefined) return "again";
      const session = await reachSession(host, target);
      const fork = await forkOf(session, at);
      if (fork === undefined) return "again";
      const made = world.session(fork.id);
      made.acknowledged.add({ type: "forked", messages: [...fork.messages] });
      world.forks.set(as, made);
      return "done";
    },
  };
}

/** Undefined if, as far as the host knows, the session has no message yet. */
async function forkOf(session: Session, at: number | undefined): Promise<Session | undefined> {
  try {
    return await session.fork(at === undefined ? undefined : session.messages[at]?.id);
  } catch (thrown) {
    if (codeOf(thrown) === "invalid_input" && at === undefined) return undefined;
    throw thrown;
  }
}
