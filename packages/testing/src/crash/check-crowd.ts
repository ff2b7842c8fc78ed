/** Rules for sessions that were due at the same time. */
import type { Entry, EntryOf } from "@capstan/log";
import { parseEntry } from "@capstan/log";
import type { CrowdFact, CrowdKind, CrowdRecord } from "./crowd-run.ts";
import { crowdTimes } from "./crowd-run.ts";
import type { CrashViolation } from "./violation.ts";
import { Violations } from "./violation.ts";

/** Same as `HostOptions.maxResumes`. */
const maxResumes = 8;
/** Number of resumes without a delay, and the delay before the next one. */
const promptResumes = 2;
const firstResumeMs = 1_000;

export async function checkCrowd(record: CrowdRecord): Promise<readonly CrashViolation[]> {
  const violations = new Violations();
  if (!record.isAtRest) violations.add("stuck", "the crowd never came to rest");
  checkOrder(record, violations);
  checkSlots(record, violations);
  for (const [id, kind] of record.ids) await checkSession(record, violations, id, kind);
  return violations.all;
}

/** All were due at the same time: none may be claimed twice before each was claimed once. */
function checkOrder({ claims, ids }: CrowdRecord, violations: Violations): void {
  const claimed = new Set<string>();
  for (const { sessionId } of claims) {
    if (claimed.has(sessionId) && claimed.size < ids.size) {
      const left = [...ids.keys()].filter((id) => !claimed.has(id)).length;
      violations.add(
        "fairness",
        `${sessionId} was claimed again before ${left} others were claimed`,
      );
    }
    claimed.add(sessionId);
  }
}

/** If no process dies, every free slot gets the next session at once, and each session is resumed once. */
function checkSlots({ run, claims, replies, ids }: CrowdRecord, violations: Violations): void {
  const { sessions, hosts, maxTurns, turnMs } = run;
  const isHealthy = sessions.healthy === ids.size;
  if (!isHealthy) return;
  if (claims.length !== ids.size) {
    violations.add("fairness", `${ids.size} sessions were claimed ${claims.length} times`);
  }
  const [first, last] = [claims[0]?.at ?? 0, replies.at(-1)?.at ?? Infinity];
  const longestMs = Math.ceil(ids.size / (maxTurns * hosts)) * turnMs + crowdTimes.pollMs;
  if (last - first > longestMs) {
    const text = `${ids.size} turns took ${last - first} ms, but need ${longestMs} ms at most`;
    violations.add("idle", text);
  }
}

async function checkSession(
  record: CrowdRecord,
  violations: Violations,
  id: string,
  kind: CrowdKind,
): Promise<void> {
  const entries = await entriesOf(record, id);
  const ends = entries.filter((entry) => entry.type === "turn_ended");
  const code = ends[0]?.error?.code ?? ends[0]?.finishReason;
  const say = (text: string): void => violations.add("crowd", `${id} ${text}`);
  if (kind !== "refused" && ends.length !== 1) say(`has ${ends.length} ends`);
  switch (kind) {
    case "healthy":
      if (code !== "stop") say(`ended with ${code}`);
      if (record.deaths === 0 && countOf(record.requests, id) !== 1) {
        say(`was resumed ${countOf(record.requests, id)} times`);
      }
      return;
    case "fatal":
      if (code !== "resume_limit") say(`ended with ${code}`);
      return checkResumes(record, say, id, ends[0]);
    case "unrecordable":
      if (code !== "engine_failed") say(`ended with ${code}`);
      if (countOf(record.requests, id) > 1 + record.deaths) say("was requested repeatedly");
      return;
    case "refused":
      return checkAside(record, say, id);
    default:
      return kind satisfies never;
  }
}

/** Checks that requests are bounded in number, delayed more each time, and accounted for. */
function checkResumes(
  { requests }: CrowdRecord,
  say: (text: string) => void,
  id: string,
  end: EntryOf<"turn_ended"> | undefined,
): void {
  const times = requests.filter(({ sessionId }) => sessionId === id).map(({ at }) => at);
  if (times.length > maxResumes) say(`was resumed ${times.length} times`);
  for (const [index, at] of times.entries()) {
    const before = times[index - 1];
    if (before === undefined || index < promptResumes) continue;
    const delayMs = firstResumeMs * 2 ** (index - promptResumes);
    if (at - before < delayMs) {
      say(`was resumed ${at - before} ms after the previous time, not ${delayMs}`);
    }
  }
  const unreported = end?.usage.unreportedAttempts ?? 0;
  // The first process made a request as well.
  if (end !== undefined && unreported < times.length) {
    say(`was requested ${times.length + 1} times, but ${unreported} are accounted for`);
  }
}

async function checkAside(
  { store, ids, claims, deaths }: CrowdRecord,
  say: (text: string) => void,
  id: string,
): Promise<void> {
  const { sessions } = await store.list({ limit: ids.size });
  const head = sessions.find((session) => session.id === id)?.head;
  if (head?.setAside === undefined) say("was not set aside");
  if (countOf(claims, id) > 2 + deaths) say(`was claimed ${countOf(claims, id)} times`);
}

function countOf(facts: readonly CrowdFact[], id: string): number {
  return facts.filter(({ sessionId }) => sessionId === id).length;
}

async function entriesOf({ store }: CrowdRecord, id: string): Promise<readonly Entry[]> {
  const { entries } = await store.read(id);
  return entries.map((entry) => parseEntry(entry)).filter((entry) => entry !== undefined);
}
