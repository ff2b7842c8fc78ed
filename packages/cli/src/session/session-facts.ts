/** Facts about a stored session, besides its messages. */
import { describeUsage } from "../print/describe-usage.ts";
import { statusWord } from "../print/session-row.ts";
import type { ReadableSession } from "./stored-sessions.ts";

export function titleOf({ fold }: Omit<ReadableSession, "lost">): string {
  return (fold.title ?? "A session").replaceAll(/\s+/g, " ").trim();
}

export function factsOf({
  id,
  listed,
  fold,
}: Omit<ReadableSession, "lost">): Readonly<Record<string, string>> {
  const { total: usage, priced } = fold.usage;
  const costs = priced.flatMap(({ cost }) => cost ?? []);
  const cost = costs.reduce((sum, one) => sum + one, 0);
  const took = describeUsage({ usage, ...(costs.length > 0 && { cost }) });
  const models = [...new Set(priced.flatMap(({ model }) => model ?? []))];
  const model = fold.config.model ?? models.at(-1);
  return {
    session: id,
    ...(listed.head.principal !== undefined && { folder: listed.head.principal }),
    status: statusWord(listed.head.status),
    ...(model !== undefined && { model }),
    updated: new Date(listed.head.updatedAt).toISOString(),
    ...(took !== "" && { took }),
    messages: String(fold.transcript.messages.length),
  };
}

/** System prompt of the session's last turn; undefined if no turn has run. */
export function promptOf({ fold }: Omit<ReadableSession, "lost">): string | undefined {
  return fold.config.instructions ?? fold.prompt?.instructions;
}
