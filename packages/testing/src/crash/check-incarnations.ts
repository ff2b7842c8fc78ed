/** Checks that nothing of a session appears in another one of its id. */
import { ageOf, agesIn } from "./ages.ts";
import type { Reader } from "./reader.ts";
import type { World } from "./world.ts";

export function checkIncarnations(world: World, readers: readonly Reader[]): void {
  if (!world.hasAges) return;
  checkLogs(world);
  checkModels(world);
  checkKeys(world);
  for (const reader of readers) checkSeen(world, reader);
}

function checkLogs({ sessions, replaced, violations }: World): void {
  const incarnations = new Set<string>();
  for (const session of [...sessions, ...replaced]) {
    for (const stored of session.stored) {
      const strangers = agesIn(stored).filter((age) => age !== session.age);
      if (strangers.length === 0) continue;
      const text = `entry ${stored.seq} (${stored.type}) belongs to age ${strangers.join(", ")}`;
      session.violate("incarnation", text);
    }
    const { incarnation } = session;
    if (incarnation === undefined) continue;
    if (incarnations.has(incarnation)) violations.add("incarnation", `${incarnation} occurs twice`);
    incarnations.add(incarnation);
  }
}

function checkModels({ requests, violations }: World): void {
  for (const { turnId, step, ages } of requests) {
    if (ages.length < 2) continue;
    const text = `turn ${turnId}, step ${step}: a model saw ages ${ages.join(" and ")}`;
    violations.add("incarnation", text);
  }
}

/** A service that stores results by key must not confuse a call of the new session with one of the old. */
function checkKeys({ effects, violations }: World): void {
  for (const [key, all] of Map.groupBy(effects.all, (effect) => effect.key)) {
    const ages = new Set(all.map(({ input }) => ageOf(input)));
    if (ages.size > 1)
      violations.add("incarnation", `the key ${key} was used in ${ages.size} ages`);
  }
}

function checkSeen(world: World, { name, seen }: Reader): void {
  for (const { event, incarnation } of seen) {
    const session = world.incarnated(incarnation);
    const strangers = agesIn(event).filter((age) => age !== session?.age);
    if (strangers.length === 0) continue;
    const text = `saw age ${strangers.join(", ")} in age ${session?.age} (${event.type})`;
    world.violations.add("incarnation", `reader ${name} ${text}`);
  }
}
