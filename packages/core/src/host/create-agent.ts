/** Turns of an agent without a stored session: each runs in a session of its own, in memory, so that its context is managed as in every other. */
import { startTurn } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import { newId } from "@capstan/log";
import type { AgentInit } from "../agent/agent-init.ts";
import type { RunAlone } from "../agent/agent.ts";
import { Agent } from "../agent/agent.ts";
import type { KnownAgent } from "../agent/agent-types.ts";
import type { AnyTool, AppForTools } from "../tools/tool.ts";
import { noOutput, PartialOutput } from "../following/partial-output.ts";
import { createPassingSession } from "./create-session.ts";

/** Creates an agent. Throws an `AgentError` or a `ToolError` if an option or a tool is invalid; asks no model. */
export function createAgent<
  const Name extends string = "agent",
  Output = undefined,
  SentOutput = undefined,
  App = undefined,
  SentApp = undefined,
  const Tools extends readonly AnyTool[] = readonly [],
>(
  init: AgentInit<Output, App, SentApp, SentOutput, Name, Tools> & AppForTools<SentApp, Tools>,
): Agent<KnownAgent<Name, Output, SentOutput, SentApp, Tools>> {
  // Its functions are called with the values that its schemas give, so their types can be forgotten.
  const untyped = init as unknown as AgentInit;
  return new Agent<KnownAgent<Name, Output, SentOutput, SentApp, Tools>>(untyped, runAlone);
}

const runAlone: RunAlone = (agent, request, transcript, { clock, principal }) => {
  const { id = newId(), app, signal } = request;
  const partial = agent.hasOutput ? new PartialOutput() : undefined;
  const alone = startTurn<unknown, SessionEvent>(
    id,
    async ({ emit, signal: stop }) => {
      const session = createPassingSession({
        id,
        agent,
        history: transcript,
        app,
        ...(clock && { clock }),
        ...(principal !== undefined && { principal }),
      });
      const turn = session.send({ ...request, id, app: undefined, signal: stop });
      try {
        for await (const event of turn) {
          partial?.take(event);
          emit(event);
        }
        return await turn.response;
      } finally {
        partial?.end();
        await session.close();
      }
    },
    signal,
  );
  return { ...alone, partialOutput: partial ?? noOutput };
};
