/** Checks that effects of tools match their declarations and the log. */
import type { EntryOf } from "@capstan/log";
import { isDeepStrictEqual } from "node:util";
import { ageOf } from "./ages.ts";
import type { Effect } from "./effects.ts";
import type { CrashToolName } from "./scenario.ts";
import type { WatchedSession } from "./watched-session.ts";
import type { World } from "./world.ts";

const repeatable: ReadonlySet<string> = new Set<CrashToolName>([
  "pure",
  "long",
  "picture",
  "idempotent",
]);
const pure: ReadonlySet<string> = new Set<CrashToolName>(["pure", "long", "picture"]);
const approved: ReadonlySet<string> = new Set<CrashToolName>(["guarded", "hurried"]);
/** Run by clients, or without a trace. */
const withoutEffect: ReadonlySet<string> = new Set<CrashToolName>([
  "remote",
  "ignored",
  "lent",
  "calling",
  "asking",
  "read_output",
  "child",
  "grandchild",
  "background",
  "child_stop",
  "hand_over",
]);

export function checkEffects(world: World): void {
  // A call of the same id in the next session of an id is a different call.
  const byCall = Map.groupBy(world.effects.all, ({ toolCallId, input }) =>
    nameOf(toolCallId, ageOf(input)),
  );
  for (const effects of byCall.values()) checkCall(world, effects);
  for (const session of [...world.sessions, ...world.replaced]) {
    for (const entry of session.entries) {
      if (entry.type !== "tool_result" && entry.type !== "nested_result") continue;
      checkResult(session, entry, byCall.get(nameOf(entry.toolCallId, session.age)) ?? []);
    }
  }
}

function nameOf(toolCallId: string, age: number): string {
  return `${toolCallId} of ${age}`;
}

function checkCall(world: World, effects: readonly Effect[]): void {
  const { violations } = world;
  // A group has at least one.
  const [{ toolName, toolCallId, key }] = effects as [Effect];
  const call = `${toolName} (${toolCallId})`;
  if (effects.length > 1 && !mayRepeat(world, toolName)) {
    const processes = effects.map(({ process }) => process).join(", ");
    violations.add("effects", `${call} took effect ${effects.length} times, in ${processes}`);
  }
  for (const effect of effects) {
    if (effect.key !== key) violations.add("effects", `${call} ran under two keys`);
    if (!effect.hadIntent && !pure.has(toolName)) {
      violations.add("effects", `${call} took effect before its intent was in the log`);
    }
    if (!approved.has(toolName)) continue;
    if (!effect.wasApproved) {
      violations.add("effects", `${call} took effect without an approval in the log`);
    }
    if (!isShown(world, effect)) {
      violations.add("effects", `${call} ran with another input than the approved one`);
    }
  }
}

function isShown(world: World, { sessionId, toolCallId, input }: Effect): boolean {
  return world
    .aged(sessionId, ageOf(input))
    .entries.some(
      (entry) =>
        (entry.type === "pending" || entry.type === "suspended") &&
        entry.pending.some(
          (call) => call.toolCallId === toolCallId && isDeepStrictEqual(call.input, input),
        ),
    );
}

/**
 * A process paused between its last check of the clock and a tool's effect cannot know that another one has reconciled the call in the
 * meantime, and found that it had not run. After an answer of the store it checks again.
 */
function mayRepeat({ run, points, scenario }: World, toolName: string): boolean {
  if (repeatable.has(toolName)) return true;
  if (toolName !== "checked") return false;
  if (scenario.actions.some((action) => action.do === "pause")) return true;
  const paused = run.faults.filter((fault) => fault.do === "pause");
  return paused.some((fault) => {
    const met = points.find(
      ({ process, point }) => process === fault.process && point === fault.point,
    );
    return run.mode === "sync" || /^(effect|event)/.test(met?.what ?? "");
  });
}

function checkResult(
  session: WatchedSession,
  { toolName, toolCallId, result, seq }: EntryOf<"tool_result"> | EntryOf<"nested_result">,
  effects: readonly Effect[],
): void {
  if (result.isDenied === true) {
    const problem = `entry ${seq}: ${toolName} (${toolCallId}) was denied, but has an effect`;
    if (effects.length > 0) session.violate("effects", problem);
    return;
  }
  if (result.isError || withoutEffect.has(toolName) || effects.length > 0) return;
  session.violate(
    "effects",
    `entry ${seq}: ${toolName} (${toolCallId}) has a result without an effect`,
  );
}
