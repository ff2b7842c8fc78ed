/** Checks that a tree of sessions spends no more than its budget, and at most one further request of each session in it. */
import type { Usage } from "@capstan/kernel";
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
    const isOfChain = (turnId: string): boolean => main.rootOf(turnId) === root;
    const tree = [main.entries.flatMap((entry) => spentBy(entry, isOfChain))];
    for (const child of childrenOf(world, main, isOfChain)) {
      tree.push(child.entries.flatMap((entry) => spentBy(entry, () => true)));
    }
    const spent = tree.flat().reduce((sum, tokens) => sum + tokens, 0);
    const overshoot = tree.reduce((sum, requests) => sum + Math.max(0, ...requests), 0);
    if (spent <= budget + overshoot) continue;
    main.violate("budget", `the tree of ${root} has spent ${spent} of ${budget} tokens`);
  }
}

/** Children that were started in these turns, their children, and so on. */
function childrenOf(
  world: World,
  parent: WatchedSession,
  isOne: (turnId: string) => boolean,
): readonly WatchedSession[] {
  const ids = parent.entries.flatMap((entry) =>
    entry.type === "child_started" && isOne(entry.turnId) ? entry.childId : [],
  );
  return ids.flatMap((id) => {
    const child = world.sessions.find((session) => session.id === id);
    return child === undefined ? [] : [child, ...childrenOf(world, child, () => true)];
  });
}

/** Tokens of a request that was reported. */
function spentBy(
  entry: WatchedSession["entries"][number],
  isOne: (turnId: string) => boolean,
): readonly number[] {
  if (entry.type !== "attempt_ended" || !isOne(entry.turnId)) return [];
  return [tokensOf(entry.usage ?? {})];
}

function tokensOf({ inputTokens = 0, outputTokens = 0 }: Usage): number {
  return inputTokens + outputTokens;
}
