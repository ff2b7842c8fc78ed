/** Other names for methods of a session, for programs that prefer functions. */
import type { AgentTypes } from "../agent/agent-types.ts";
import type { Turn } from "../following/turn.ts";
import { sendInTree } from "../following/tree-turn.ts";
import type { SendInput, SendOptions } from "../input/input.ts";
import { isRequest } from "../input/input.ts";
import type { Session } from "./session.ts";

/** Options of `execute`. */
export interface ExecuteOptions<
  App = unknown,
  ToolName extends string = string,
> extends SendOptions<App, ToolName> {
  /** Whether the events of the turn include those of the sessions below it, as with `subscribe`. Default false. */
  readonly tree?: boolean;
}

/** Like `execute`, with the events of child sessions, at any depth. */
export function execute<Known extends AgentTypes>(
  session: Session<Known>,
  input: SendInput<Known["app"], Known["toolName"]>,
  options: ExecuteOptions<Known["app"], Known["toolName"]> & { readonly tree: true },
): Turn;
/** Synonym of `session.send`. */
export function execute<Known extends AgentTypes>(
  session: Session<Known>,
  input: SendInput<Known["app"], Known["toolName"]>,
  options?: ExecuteOptions<Known["app"], Known["toolName"]> & { readonly tree?: false },
): Turn<Known>;
export function execute<Known extends AgentTypes>(
  session: Session<Known>,
  input: SendInput<Known["app"], Known["toolName"]>,
  options: ExecuteOptions<Known["app"], Known["toolName"]> = {},
): Turn {
  const { tree: isTree = false, ...rest } = options;
  const send = (): Turn => session.send(input, rest);
  if (!isTree) return send();
  return sendInTree(session, rest.id ?? (isRequest(input) ? input.id : undefined), send);
}

/** Synonym of `session.fork`. */
export async function forkSession<Known extends AgentTypes>(
  session: Session<Known>,
  at?: string,
): Promise<Session<Known>> {
  return session.fork(at);
}
