/** Turns of an agent without a stored session: each runs in a session of its own, in memory, so that its context is managed as in every other. */
import { startTurn } from "@capstan/kernel";
import { newId } from "@capstan/log";
import type { AgentInit } from "../agent/agent-init.ts";
import type { RunAlone } from "../agent/agent.ts";
import { Agent } from "../agent/agent.ts";
import { createSession } from "./create-session.ts";

export function createAgent<Output = unknown, App = undefined, SentApp = undefined>(
  init: AgentInit<Output, App, SentApp>,
): Agent<Output, SentApp> {
  // Its functions are called with the value that its schema gives, so the type of that can be forgotten.
  return new Agent<Output, SentApp>(init as unknown as AgentInit<Output>, runAlone);
}

const runAlone: RunAlone = (agent, request, transcript, { clock, principal }) => {
  const { id = newId(), app, signal } = request;
  return startTurn(
    id,
    async ({ emit, signal: stop }) => {
      const session = createSession({
        id,
        agent,
        history: transcript,
        app,
        ...(clock && { clock }),
        ...(principal !== undefined && { principal }),
      });
      const turn = session.send({ ...request, id, app: undefined, signal: stop });
      try {
        for await (const event of turn) emit(event);
        return await turn.response;
      } finally {
        await session.close();
      }
    },
    signal,
  );
};
