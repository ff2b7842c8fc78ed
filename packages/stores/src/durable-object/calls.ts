/** Calls to objects as JSON over `fetch`: a class needs no module of Cloudflare for that, as it would for RPC. */
import { isRepositoryError, LogError, RepositoryError } from "@capstan/log";
import type { RepositoryErrorCode } from "@capstan/log";
import { toRepositoryError } from "../tables/sqlite-failure.ts";
import type { ObjectStub } from "./bindings.ts";

type ArgumentsOf<F> = F extends (...args: infer Args) => unknown ? Args : never;
type ResultOf<F> = F extends (...args: never[]) => infer Result ? Awaited<Result> : never;

interface Failure {
  readonly name: string;
  readonly code: string;
  readonly message: string;
  readonly sessionId?: string;
  readonly seq?: number;
}

type Answer = { readonly value?: unknown } | { readonly failure: Failure };

/** Calls a method. Fails with the object's own error, or with `unavailable` if the object could not be reached. */
export async function call<Calls, Name extends keyof Calls & string>(
  stub: ObjectStub,
  sessionId: string,
  method: Name,
  args: ArgumentsOf<Calls[Name]>,
  signal?: AbortSignal,
): Promise<ResultOf<Calls[Name]>> {
  let answer: Answer;
  try {
    const body = JSON.stringify({ method, args });
    const init = { method: "POST", body, ...(signal && { signal }) };
    const response = await stub.fetch("https://capstan.internal/", init);
    if (!response.ok) throw new Error(`status ${response.status}`);
    // Written by `answerCall`.
    answer = (await response.json()) as Answer;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `The Durable Object could not be reached (${why}): try again later`;
    throw new RepositoryError("unavailable", sessionId, message, { cause });
  }
  if ("failure" in answer) throw toError(answer.failure, sessionId);
  return answer.value as ResultOf<Calls[Name]>;
}

/** Answers a request of `call` with one of these methods of `calls`. */
export async function answerCall<Calls extends object>(
  request: Request,
  calls: Calls,
  methods: readonly (keyof Calls & string)[],
): Promise<Response> {
  // Written by `call`.
  const { method, args } = (await request.json()) as { method: string; args: never[] };
  let answer: Answer;
  try {
    const name = methods.find((known) => known === method);
    if (name === undefined) throw new Error(`unknown call "${method}"`);
    // `methods` names functions only.
    const run = calls[name] as (...given: never[]) => unknown;
    answer = { value: await run.apply(calls, args) };
  } catch (thrown) {
    answer = { failure: toFailure(thrown) };
  }
  return Response.json(answer);
}

function toFailure(thrown: unknown): Failure {
  const error = toRepositoryError(thrown, "of the Durable Object", "");
  const { name, message } = error;
  if (error instanceof LogError) return { name, message, code: error.code, seq: error.seq };
  if (!isRepositoryError(error)) return { name, message, code: "unavailable" };
  return { name, message, code: error.code, sessionId: error.sessionId };
}

function toError(failure: Failure, sessionId: string): Error {
  const { name, code, message, seq = 0 } = failure;
  if (name === "LogError") return new LogError("corrupt_entry", { seq, id: "" }, message);
  // Sent by `toFailure`.
  return new RepositoryError(code as RepositoryErrorCode, failure.sessionId || sessionId, message);
}
