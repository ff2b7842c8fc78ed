/** Checks that a tree of sessions has spent, at any time, no more than its budget and one request of each session that was at work at once. */
import type { Usage } from "@capstan/kernel";
import type { Entry } from "@capstan/log";
import type { WatchedSession } from "./watched-session.ts";
import type { World } from "./world.ts";

export function checkBudgets(world: World): void {
  const { budget } = world.scenario;
  if (budget === undefined) return;
  const { main } = world;
  const roots = new Set(
    main.entries.flatMap((entry) =>
      entry.type === "turn_started" ? main.rootOf(entry.turnId) : [],
    ),
  );
  for (const root of roots) {
    const isOfChain = (entry: Entry): boolean =>
      !("turnId" in entry) || main.rootOf(entry.turnId) === root;
    const excess = firstExcess(world, isOfChain, budget);
    if (excess === undefined) continue;
    const { spent, overshoot } = excess;
    const message = `the tree of ${root} has spent ${spent} of ${budget} tokens, and may exceed them by ${overshoot}`;
    main.violate("budget", message);
  }
}

/** Goes through the requests of all sessions in the order in which they were recorded. */
function firstExcess(
  world: World,
  isOfChain: (entry: Entry) => boolean,
  budget: number,
): Tree | undefined {
  const ofRoot = world.main.entries.filter(isOfChain);
  const treeAt = (moment: number): Tree => treeUntil(world, world.main, ofRoot, moment);
  if (treeAt(Infinity).spent <= budget) return undefined;
  const isExceeded = ({ spent, overshoot }: Tree): boolean => spent > budget + overshoot;
  return requestsOf(world).map(treeAt).find(isExceeded);
}

function requestsOf(world: World): readonly number[] {
  return world.sessions.flatMap((session) =>
    session.entries.flatMap((entry) =>
      entry.type === "attempt_ended" ? world.momentOf(session, entry) : [],
    ),
  );
}

/** Tokens of a session and of those below it. */
interface Tree {
  readonly spent: number;
  /** Largest sum of one request of each session that was at work at once. */
  readonly overshoot: number;
}

interface OpenChild {
  readonly tree: Tree;
  /** Whether the session makes no request before this child has ended. */
  isAwaited: boolean;
  hasEnded: boolean;
}

/**
 * A child counts with its own peak until its usage is known to its parent: what it has spent beyond its slice is unknown until then. A session
 * that waits for children makes no request: it counts if its largest request is larger than what they may exceed.
 */
function treeUntil(
  world: World,
  session: WatchedSession,
  entries: readonly Entry[],
  moment: number,
): Tree {
  const past = entries.filter((entry) => world.momentOf(session, entry) <= moment);
  const requests = past.flatMap((entry) =>
    entry.type === "attempt_ended" ? tokensOf(entry.usage ?? {}) : [],
  );
  const largest = Math.max(0, ...requests);
  const open = new Map<string, OpenChild>();
  let spent = requests.reduce((sum, tokens) => sum + tokens, 0);
  let overshoot = largest;
  for (const entry of past) {
    if (entry.type === "child_started") {
      const child = world.session(entry.childId);
      const tree = treeUntil(world, child, child.entries, moment);
      spent += tree.spent;
      const isAwaited = entry.mode !== "background";
      open.set(entry.toolCallId, { tree, isAwaited, hasEnded: false });
    } else {
      closeChild(open, entry);
    }
    overshoot = Math.max(overshoot, overshootOf(largest, [...open.values()]));
  }
  return { spent, overshoot };
}

function closeChild(open: Map<string, OpenChild>, entry: Entry): void {
  const child = "toolCallId" in entry ? open.get(entry.toolCallId) : undefined;
  if (child === undefined || !("toolCallId" in entry)) return;
  if (entry.type === "tool_result") child.isAwaited = false;
  if (entry.type === "child_reported" && entry.report.type === "ended") child.hasEnded = true;
  // The result has the usage of the child.
  if (child.hasEnded && !child.isAwaited) open.delete(entry.toolCallId);
}

function overshootOf(largest: number, open: readonly OpenChild[]): number {
  const sumOf = (children: readonly OpenChild[]): number =>
    children.reduce((sum, { tree }) => sum + tree.overshoot, 0);
  const awaited = sumOf(open.filter(({ isAwaited }) => isAwaited));
  return Math.max(largest, awaited) + sumOf(open.filter(({ isAwaited }) => !isAwaited));
}

function tokensOf({ inputTokens = 0, outputTokens = 0 }: Usage): number {
  return inputTokens + outputTokens;
}
