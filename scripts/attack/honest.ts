// Honest clients: each says something, reads the answer to its end, waits a moment, and goes on.

import { setTimeout as sleep } from "node:timers/promises";
import type { Target } from "./target.ts";

export interface HonestResult {
  readonly turns: number;
  /** Turns that did not complete, or whose text is not theirs. */
  readonly problems: readonly string[];
  readonly wallMs: readonly number[];
}

/** Until the time is over; turns under way are read to their end. */
export async function runHonest(
  { url }: Target,
  tokens: readonly string[],
  untilMs: number,
): Promise<HonestResult> {
  const problems: string[] = [];
  const wallMs: number[] = [];
  const client = async (token: string, number: number): Promise<void> => {
    let sessionId: string | undefined;
    for (let turn = 0; performance.now() < untilMs; turn += 1) {
      const said = `client ${number}, turn ${turn}`;
      const startedAt = performance.now();
      try {
        const answer = await execute(
          url,
          token,
          turn % turnsOfSession === 0 ? undefined : sessionId,
          said,
        );
        sessionId = answer.sessionId;
        const problem = problemIn(answer.events, said);
        if (problem !== undefined) problems.push(`${said}: ${problem}`);
      } catch (thrown) {
        problems.push(`${said}: ${String(thrown)}`);
      }
      wallMs.push(performance.now() - startedAt);
      await sleep(pauseMs);
    }
  };
  await Promise.all(tokens.map(client));
  return { turns: wallMs.length, problems, wallMs };
}

const pauseMs = 250;
const turnsOfSession = 10;

interface Answer {
  readonly sessionId: string | undefined;
  readonly events: string;
}

async function execute(
  url: string,
  token: string,
  sessionId: string | undefined,
  input: string,
): Promise<Answer> {
  const response = await fetch(`${url}/api/agent/execute`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ ...(sessionId !== undefined && { sessionId }), input }),
    signal: AbortSignal.timeout(60_000),
  });
  const events = await response.text();
  return { sessionId: response.headers.get("x-session-id") ?? undefined, events };
}

function problemIn(events: string, said: string): string | undefined {
  if (!events.includes('"type":"execute_complete"')) return `cut off: ${events.slice(-200)}`;
  if (!events.includes('"status":"completed"')) return `not completed: ${events.slice(-200)}`;
  return events.includes(`You said: ${said}"`) ? undefined : "its text is missing";
}
