/** Other names for methods of a session, for programs that prefer functions. */
import type { Turn } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import type { SendInput, SendOptions } from "../input/input.ts";
import type { Session } from "./session.ts";

/** Synonym of `session.send`. */
export function execute<Output>(
  session: Session<Output>,
  input: SendInput,
  options?: SendOptions,
): Turn<Output, SessionEvent> {
  return session.send(input, options);
}

/** Synonym of `session.fork`. */
export async function forkSession<Output>(
  session: Session<Output>,
  at?: string,
): Promise<Session<Output>> {
  return session.fork(at);
}
