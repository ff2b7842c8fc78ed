/** Guards of an agent: they judge messages of the user before a model is asked, and replies before they are shown. */
import type {
  AssistantMessage,
  ChatMessage,
  LoopGuards,
  Rejection,
  ReplyToJudge,
} from "@capstan/kernel";
import type { TurnContext } from "../tools/turn-context.ts";

/** Messages that the next request would show to a model for the first time. */
export interface GuardedInput<App = unknown> extends TurnContext<App> {
  readonly messages: readonly ChatMessage[];
  /** Their text. */
  readonly text: string;
}

/** A reply that was not shown yet. */
export interface GuardedReply<App = unknown> extends TurnContext<App> {
  readonly text: string;
  /** The whole reply with its calls; undefined while it streams, which only incremental guards see. */
  readonly message?: AssistantMessage;
}

/**
 * Nothing, or the reason why it is rejected, which callers and clients are shown. After a rejected reply the turn ends; with `retry`, the
 * model is asked once more in this turn, and told the reason or this text.
 */
export type GuardVerdict =
  | string
  | undefined
  | void
  | { readonly reason: string; readonly retry?: boolean | string };

type Check<Judged> = (judged: Judged) => GuardVerdict | Promise<GuardVerdict>;

/** A guard with a name, which the error of a rejection has as `guard`. */
export interface NamedGuard<Judged> {
  readonly name?: string;
  check: Check<Judged>;
}

/** Check of a reply before it is recorded and shown. */
export interface OutputGuard<App = unknown> extends NamedGuard<GuardedReply<App>> {
  /**
   * The guard also judges the reply while it streams, and what it has passed is shown. By default a reply is held back until it is complete.
   * Replies stream only if all output guards are incremental.
   */
  readonly isIncremental?: boolean;
}

type OneOrMore<Guard> = Guard | readonly Guard[];

/** A guard that fails rejects nothing and passes nothing: the turn ends with its error. */
export interface Guards<App = unknown> {
  /** Asked before a model is shown a message of the user; a rejection ends the turn with `input_rejected`. In order, up to the first rejection. */
  readonly input?: OneOrMore<Check<GuardedInput<App>> | NamedGuard<GuardedInput<App>>>;
  /** Asked before a reply counts or is shown; a rejection ends the turn with `output_rejected`, unless the model is asked once more. */
  readonly output?: OneOrMore<Check<GuardedReply<App>> | OutputGuard<App>>;
}

export function bindGuards(guards: Guards, context: () => TurnContext): LoopGuards {
  const input = toGuards(guards.input);
  const output = toGuards(guards.output);
  return {
    ...(input.length > 0 && {
      input: (messages: readonly ChatMessage[]) =>
        verdictOf(input, { ...context(), messages, text: textOfAll(messages) }),
    }),
    ...(output.length > 0 && {
      output: (reply: ReplyToJudge) => verdictOf(output, { ...context(), ...reply }),
      isIncremental: output.every(({ isIncremental = false }) => isIncremental),
    }),
  };
}

function toGuards<Judged>(
  given: OneOrMore<Check<Judged> | AnyGuard<Judged>> | undefined,
): readonly AnyGuard<Judged>[] {
  if (given === undefined) return [];
  const list: readonly (Check<Judged> | AnyGuard<Judged>)[] = Array.isArray(given)
    ? given
    : [given as Check<Judged>];
  return list.map((guard) =>
    typeof guard === "function" ? { name: guard.name, check: guard } : guard,
  );
}

type AnyGuard<Judged> = NamedGuard<Judged> & { readonly isIncremental?: boolean };

/** Verdict of the first guard that rejects. */
async function verdictOf<Judged>(
  guards: readonly AnyGuard<Judged>[],
  judged: Judged,
): Promise<Rejection | undefined> {
  for (const guard of guards) {
    const rejection = toRejection(await guard.check(judged), guard.name);
    if (rejection !== undefined) return rejection;
  }
  return undefined;
}

function toRejection(verdict: GuardVerdict, name = ""): Rejection | undefined {
  if (verdict === undefined) return undefined;
  const { reason, retry = false } = typeof verdict === "string" ? { reason: verdict } : verdict;
  const text = typeof retry === "string" ? retry : retryPrompt(reason);
  return {
    reason,
    ...(name !== "" && { guard: name }),
    ...(retry !== false && { retry: text }),
  };
}

function retryPrompt(reason: string): string {
  return `Your last reply was rejected and not shown to the user. Reason: ${reason}\nReply again, without what was rejected.`;
}

function textOfAll(messages: readonly ChatMessage[]): string {
  return messages.map(textOf).join("\n");
}

function textOf(message: ChatMessage): string {
  if (message.role !== "user") return "";
  if (typeof message.content === "string") return message.content;
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
