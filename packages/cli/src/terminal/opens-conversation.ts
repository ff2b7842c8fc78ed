/** Tells whether a request opens a conversation on the terminal. */
import type { CommandRequest, TurnRequest } from "../command-line/request.ts";
import type { Env } from "../config/env.ts";
import type { Io } from "../process/io.ts";
import type { ScreenKind, TerminalDevice } from "./screen/contracts.ts";

/** True without a prompt, files and `--json`, if there is a terminal. */
export function opensConversation(
  request: CommandRequest,
  io: Io,
): io is Io & { readonly terminal: TerminalDevice } {
  if (request.type !== "turn" || io.terminal === undefined) return false;
  return request.prompt === undefined && request.attach.length === 0 && !request.isJson;
}

/** The kind of screen that the user wants. */
export function screenKindOf({ screen }: Pick<TurnRequest, "screen">, env: Env): ScreenKind {
  return screen ?? (env["CAPSTAN_SCREEN_READER"] ? "lines" : "main");
}
