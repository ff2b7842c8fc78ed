/** Queues messages in a session that may be busy, and takes them back. */
import type { JsonValue, UserPart } from "@capstan/kernel";
import { andThen } from "@capstan/log";
import type { InputMessage } from "../input/input.ts";
import { checkTurnId, toMessage } from "../input/input.ts";
import type { Receipt } from "../following/receipts.ts";
import { taken } from "../errors/session-error.ts";
import type { SessionInbox } from "./session-inbox.ts";
import type { SessionRuntime } from "../host/session-runtime.ts";

/** Input that can be queued: a text, parts, or a message. */
export type QueuedInput = string | readonly UserPart[] | Extract<InputMessage, { role: "user" }>;

/** Options of a queued message. */
export interface QueueOptions<App = unknown> {
  /** Id of the message, and of the turn that it starts. */
  readonly id?: string;
  /** Application context of the turn that the message starts. One that reaches a running turn does not change that turn's. */
  readonly app?: App;
}

/** Resolves once the message is durable. */
export async function enqueue(
  type: "steer" | "follow_up",
  id: string,
  content: QueuedInput,
  origin: { readonly app?: JsonValue | undefined; readonly trace?: string | undefined },
  inbox: SessionInbox,
  runtime: SessionRuntime,
): Promise<Receipt> {
  checkTurnId(id);
  const { app, trace } = origin;
  const body = {
    type,
    message: toMessage(content, id),
    ...(app !== undefined && { app }),
    ...(trace !== undefined && { trace }),
  };
  await andThen(inbox.mustBeFree(id), () => inbox.post(id, body));
  const { queues } = inbox.fold;
  if (queues.find(id) === undefined && queues.outcomeOf(id) === undefined) throw taken(id);
  const receipt = runtime.waiting.receipts.of(id);
  runtime.wake();
  return receipt;
}

/** Resolves with the ids of the returned messages once all outcomes are known. */
export async function takeBack(
  queue: "steering" | "followUp" | "all",
  id: string,
  inbox: SessionInbox,
  runtime: SessionRuntime,
): Promise<readonly string[]> {
  await inbox.post(id, { type: "queue_cleared", queue });
  // Another call may have taken back some of them before.
  const receipts = inbox.fold.queues
    .takenBackBy(id)
    .map((item) => runtime.waiting.receipts.of(item));
  runtime.wake();
  const outcomes = await Promise.all(
    receipts.map(async (receipt) => ({ id: receipt.id, outcome: await receipt.outcome })),
  );
  return outcomes.filter(({ outcome }) => outcome.type === "returned").map((item) => item.id);
}
