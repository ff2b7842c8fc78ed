/** What is unfinished in a session first, then the prompt, until the session rests or the user interrupts. */
import type { Session } from "@capstan/core";
import type { Turn, TurnResponse, UserPart } from "@capstan/kernel";
import type { RunOptions } from "./run-to-rest.ts";
import { runToRest, settlePending } from "./run-to-rest.ts";

export type Prompt = string | readonly UserPart[];

export interface PromptOptions extends RunOptions {
  readonly prompt: Prompt | undefined;
  /** Whether another process runs the turn that is unfinished. An interruption leaves that one alone. */
  readonly isElsewhere: boolean;
  /** Resolves if nothing can be recorded any more: nothing else is waited for then. */
  readonly failure: Promise<TurnResponse>;
}

/** Undefined if there was neither. */
export async function runPrompt(options: PromptOptions): Promise<TurnResponse | undefined> {
  const { session, signal, note, prompt } = options;
  if (signal.aborted) return leftAlone;
  const ended = Promise.withResolvers<TurnResponse>();
  let isEnded = false;
  const end = (response: TurnResponse): void => {
    isEnded = true;
    ended.resolve(response);
  };
  options.failure.then(end, () => {});
  let isOurs = !options.isElsewhere;
  const onAbort = (): void => {
    if (!isOurs) return end(leftAlone);
    session.abort(reasonOf(signal)).catch((thrown: unknown) => {
      note(`the turn cannot be stopped: ${String(thrown)}`);
      end(leftAlone);
    });
  };
  const orEnded = (running: Promise<TurnResponse>): Promise<TurnResponse> =>
    Promise.race([running, ended.promise]);
  signal.addEventListener("abort", onAbort);
  try {
    let left = takeUp(options);
    if (prompt === undefined) return left && (await orEnded(runToRest(left, options)));
    for (;;) {
      if (left !== undefined) {
        const before = await orEnded(runToRest(left, { ...options, maxContinuations: 0 }));
        if (isEnded || signal.aborted) return before;
        if (before.error) note(`what was unfinished has failed: ${before.error.message}`);
      }
      isOurs = true;
      const turn = session.send(prompt);
      const { error } = await orEnded(turn.response);
      if (isEnded) return await ended.promise;
      if (error?.code !== "turn_unfinished") return await orEnded(runToRest(turn, options));
      // Another process was faster, and what it was asked comes first.
      isOurs = false;
      if (signal.aborted) return leftAlone;
      note("another process works on this session: waiting for it");
      left = takeUp(options);
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

const leftAlone: TurnResponse = {
  status: "aborted",
  text: "",
  messages: [],
  finishReason: "aborted",
  usage: {},
};

/** The turn that a session is taken up with: of a process that is gone, or one that failed or was interrupted. */
function takeUp(options: PromptOptions): Turn | undefined {
  const { session, prompt } = options;
  if (session.current !== undefined) return session.current;
  if (session.status === "awaiting_tool_execution") return settlePending(options);
  // It says by itself how to go on.
  if (prompt !== undefined) return undefined;
  if (hasUnanswered(session)) return session.continue();
  // A reply that was cut off stays, and no model is shown it again.
  return session.status === "error" ? session.send("Your reply failed. Go on.") : undefined;
}

function hasUnanswered({ messages, queued }: Session): boolean {
  const last = messages.at(-1);
  return queued.length > 0 || (last !== undefined && last.role !== "assistant");
}

function reasonOf(signal: AbortSignal): string {
  const { reason } = signal as { readonly reason: unknown };
  return reason instanceof Error ? reason.message : "interrupted";
}
