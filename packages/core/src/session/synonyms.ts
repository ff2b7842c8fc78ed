/** Other names for methods of a session, for programs that prefer functions. */
import type { AgentTypes } from "../agent/agent-types.ts";
import type { Turn } from "../following/turn.ts";
import type { SendInput, SendOptions } from "../input/input.ts";
import type { Session } from "./session.ts";

/** Synonym of `session.send`. */
export function execute<Known extends AgentTypes>(
  session: Session<Known>,
  input: SendInput<Known["app"], Known["toolName"]>,
  options?: SendOptions<Known["app"], Known["toolName"]>,
): Turn<Known> {
  return session.send(input, options);
}

/** Synonym of `session.fork`. */
export async function forkSession<Known extends AgentTypes>(
  session: Session<Known>,
  at?: string,
): Promise<Session<Known>> {
  return session.fork(at);
}
