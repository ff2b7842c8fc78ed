import { createHost } from "@capstan/core";
import type { SessionRepository } from "@capstan/core";
import { createAssistant } from "./agent.ts";

type Assistant = ReturnType<typeof createAssistant>;

/** Stores a message for a session and leaves the work to the workers. Resolves once the message is stored. */
export async function handOver(
  repository: SessionRepository,
  { id, text, agent = createAssistant() }: { id: string; text: string; agent?: Assistant },
): Promise<void> {
  const host = createHost({ agents: [agent], repository });
  const session = await host.session(id, { agent: "assistant" });
  const turn = session.send(text);
  await session.flush(); // it is stored: from here on any process can continue it
  await host.close();
  await turn.response; // its error is host_closed: the turn goes on elsewhere
}
