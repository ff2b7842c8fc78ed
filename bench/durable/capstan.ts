/** Capstan: a host on PostgreSQL. Tools have the default effect, so each call has an intent before it runs. */
import { createHost } from "@capstan/core";
import type { Session } from "@capstan/core";
import { postgres } from "@capstan/stores/postgres";
import { createWorkAgent } from "../capacity-agent.ts";
import { measure, order } from "./peers/turn.mjs";

const host = createHost({ agents: [createWorkAgent()], repository: postgres(order.where) });
const sessions = new Map<string, Session>();

await measure(async (id) => {
  const session = sessions.get(id) ?? host.createSession({ agent: "worker", id });
  sessions.set(id, session);
  const { text } = await session.send("go").response;
  return text;
});
