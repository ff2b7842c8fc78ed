/** Finishes a session's unfinished work, then runs the prompt, until the session is idle or the user interrupts. */
import type { Session } from "@capstan/core";
import type { Turn, TurnResponse, UserPart } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import type { RunOptions } from "./run-to-rest.ts";
import { isForUser, runToRest, settlePending, tellQuestions } from "./run-to-rest.ts";

export type Prompt = string | readonly UserPart[];

export interface PromptOptions extends RunOptions {
  readonly prompt: Prompt | undefined;
  /** True if another process runs the unfinished turn. An interruption leaves that turn alone. */
  readonly isElsewhere: boolean;
  /** Resolves if nothing can be recorded any more: nothing else is awaited then. */
  readonly failure: Promise<TurnResponse>;
}

/** Undefined if there was nothing to do. */
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
      note(`cannot stop the turn: ${String(thrown)}`);
      end(leftAlone);
    });
  };
  const orEnded = (running: Promise<TurnResponse>): Promise<TurnResponse> =>
    Promise.race([running, ended.promise]);
  signal.addEventListener("abort", onAbort);
  try {
    let left = resumed(options);
    if (prompt === undefined && left === undefined && isForUser(session)) return stillAsked;
    if (prompt === undefined) return left && (await orEnded(runToRest(left, options)));
    for (;;) {
      if (left !== undefined) {
        const before = await orEnded(runToRest(left, { ...options, maxContinuations: 0 }));
        if (isEnded || signal.aborted) return before;
        if (before.error) note(`the unfinished turn failed: ${before.error.message}`);
      }
      isOurs = true;
      const turn = session.send(prompt);
      const { error } = await orEnded(turn.response);
      if (isEnded) return await ended.promise;
      const isRefused = error?.code === "turn_unfinished" || error?.code === "calls_pending";
      if (!isRefused) return await orEnded(runToRest(turn, options));
      // Another process was faster, so its message comes first.
      isOurs = false;
      if (signal.aborted) return leftAlone;
      note("another process is working on this session: waiting for it");
      left = resumed(options);
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

const leftAlone: TurnResponse = {
  status: "aborted",
  text: "",
  hasAnswer: false,
  messages: [],
  finishReason: "aborted",
  usage: {},
};

/** Only a user can answer what waits. */
const stillAsked: TurnResponse = {
  ...leftAlone,
  status: "awaiting_tool_execution",
  finishReason: "tool-calls",
};

/** Returns the turn to resume: one of a process that crashed, or one that failed or was interrupted. */
function resumed(options: PromptOptions): Turn<unknown, SessionEvent> | undefined {
  const { session, prompt } = options;
  if (session.current !== undefined) return session.current;
  if (session.status === "awaiting_tool_execution") {
    // A new prompt goes on without the answers.
    if (prompt === undefined && isForUser(session)) return tellQuestions(options);
    return settlePending(options, prompt !== undefined);
  }
  // The prompt itself tells the model how to continue.
  if (prompt !== undefined) return undefined;
  if (hasUnanswered(session)) return session.continue();
  // A truncated reply stays in the log, but no model gets it again.
  return session.status === "error" ? session.send("Your reply failed. Continue.") : undefined;
}

function hasUnanswered({ messages, queued }: Session): boolean {
  const last = messages.at(-1);
  return queued.length > 0 || (last !== undefined && last.role !== "assistant");
}

function reasonOf(signal: AbortSignal): string {
  const { reason } = signal as { readonly reason: unknown };
  return reason instanceof Error ? reason.message : "interrupted";
}
