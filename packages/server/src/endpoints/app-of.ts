/** Application context of a request, for the agent that it is meant for. */
import { AgentError } from "@capstan/core";
import type { Call } from "./endpoint.ts";

/**
 * Empty if the agent has no `appContext`. Fails with `invalid_app_context` if the agent does not accept the value: that is a fault of
 * `authenticate`, not of the client.
 */
export function appOf(
  { backend, app }: Pick<Call<unknown, unknown>, "backend" | "app">,
  agentName: string,
): { readonly app?: unknown } {
  const agent = backend.host.agents.find(({ name }) => name === agentName);
  if (agent?.appContext === undefined) return {};
  try {
    return { app: agent.toStoredApp(app) };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "";
    const message = `The app that authenticate returned does not fit the agent "${agentName}": ${why}`;
    throw new AgentError("invalid_app_context", message, { cause });
  }
}
