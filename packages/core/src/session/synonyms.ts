/** Other names for methods of a session, for programs that prefer functions. */
import type { Turn } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import type { SendInput, SendOptions } from "../input/input.ts";
import type { Session } from "./session.ts";

/** Synonym of `session.send`. */
export function execute<Output, App>(
  session: Session<Output, App>,
  input: SendInput<App>,
  options?: SendOptions<App>,
): Turn<Output, SessionEvent> {
  return session.send(input, options);
}

/** Synonym of `session.fork`. */
export async function forkSession<Output, App>(
  session: Session<Output, App>,
  at?: string,
): Promise<Session<Output, App>> {
  return session.fork(at);
}
