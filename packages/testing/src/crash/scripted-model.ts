/** Model of a scenario: its replies depend on the messages alone, so that a resumed process gets the same reply. */
import { ProviderError } from "@capstan/kernel";
import type {
  ChatMessage,
  JsonValue,
  ProviderContract,
  ProviderPart,
  ProviderRequest,
} from "@capstan/kernel";
import type { Life } from "./life.ts";
import { imagesIn } from "./requests.ts";
import type { CrashScenario, ScriptedStep } from "./scenario.ts";

export interface ScriptedModelOptions {
  readonly life: Life;
  readonly scenario: Pick<CrashScenario, "script" | "contextWindow" | "summary">;
  onRequest(request: ProviderRequest): void;
}

export function scriptedModel({
  life,
  scenario,
  onRequest,
}: ScriptedModelOptions): ProviderContract {
  const { contextWindow = 200_000, script, summary = {} } = scenario;
  async function* reply(request: ProviderRequest): AsyncGenerator<ProviderPart, void> {
    await life.pass();
    if (request.signal.aborted) throw new Error("stopped");
    onRequest(request);
    const inputTokens = tokensOf(request);
    if (inputTokens > contextWindow) throw new ProviderError("context_overflow", "scripted");
    const [rejected] = imagesIn(request.messages);
    if (rejected !== undefined)
      throw new ProviderError("invalid_request", "scripted", { rejected });
    // Only summaries are requested without tools.
    const isSummary = request.toolChoice === "none";
    const found = findStep(script, isSummary ? request.messages.slice(0, -1) : request.messages);
    const step: ScriptedStep = isSummary ? { ...summary, say: found.mark } : found.step;
    const { text } = found;
    if (request.attempt <= (step.failures ?? 0)) throw new ProviderError("overloaded", "scripted");
    const said = (step.say ?? text).replaceAll("{process}", life.name);
    const whole = said === "" ? "" : `${said} ${digest(request.messages)}`;
    for (const [index, half] of halves(whole)) {
      if (index === 1 && step.ms !== undefined) await life.sleep(step.ms, request.signal);
      await life.pass();
      yield { type: "text_delta", delta: half };
    }
    if (step.isBroken === true || step.isBroken === request.turnId)
      throw new ProviderError("invalid_request", "scripted");
    yield* callsOf(step, request.messages);
    await life.pass();
    const outputTokens = Math.ceil(whole.length / 4);
    yield { type: "usage", usage: { inputTokens, outputTokens } };
    yield { type: "finish", reason: step.calls === undefined ? "stop" : "tool-calls" };
  }
  return { id: "scripted", contextWindow, stream: reply };
}

function* callsOf(
  { calls = [] }: ScriptedStep,
  messages: readonly ChatMessage[],
): Generator<ProviderPart> {
  for (const [index, { tool: name, ...rest }] of calls.entries()) {
    const input: JsonValue = name === "child_stop" ? { child: lastChild(messages) } : rest;
    yield { type: "toolcall_start", index, name };
    yield { type: "toolcall_end", index, input };
  }
}

/** Id of the child in the background that was started last. */
function lastChild(messages: readonly ChatMessage[]): string {
  const ids = messages.flatMap((message) => /as child (\w+)/.exec(textOf(message))?.[1] ?? []);
  return ids.at(-1) ?? "none";
}

/** A rejected reply is not shown, but a request to reply again is. */
function isReply(message: ChatMessage): boolean {
  return message.role === "assistant" || (message.role === "user" && message.source === "guard");
}

interface FoundStep {
  readonly step: ScriptedStep;
  readonly text: string;
  /** Text of a summary at this step, from which the model can continue. */
  readonly mark: string;
}

/** Finds the script of the last user message that has one, or that a summary names, and the step reached by the replies. */
function findStep(script: CrashScenario["script"], messages: readonly ChatMessage[]): FoundStep {
  const lastUser = messages.findLast(({ role }) => role === "user");
  const text = `Noted: ${lastUser === undefined ? "" : textOf(lastUser).slice(-40)}`;
  const at = messages.findLastIndex((message) => markIn(script, message) !== undefined);
  const begun = messages[at];
  if (begun === undefined) return { step: {}, text, mark: "Nothing" };
  const { key, replies: before } = markIn(script, begun) ?? { key: "", replies: 0 };
  const replies = before + messages.slice(at).filter(isReply).length;
  return { step: script[key]?.[replies] ?? {}, text, mark: `At ${key}, step ${replies}.` };
}

function markIn(
  script: CrashScenario["script"],
  message: ChatMessage,
): { readonly key: string; readonly replies: number } | undefined {
  const said = textOf(message);
  if (script[said] !== undefined) return { key: said, replies: 0 };
  const [, key, replies] = /At (.+), step (\d+)\. \(/.exec(said) ?? [];
  const isMark = message.role === "user" && key !== undefined && script[key] !== undefined;
  return isMark ? { key, replies: Number(replies) } : undefined;
}

/** Estimates tokens by length, as models roughly do. */
function tokensOf({ messages, tools }: ProviderRequest): number {
  const declared = tools.map(({ name, description, inputSchema }) => [
    name,
    description,
    inputSchema,
  ]);
  const said = messages.reduce((sum, message) => sum + textOf(message).length, 0);
  return Math.ceil((JSON.stringify(declared).length + said) / 4);
}

/** Short hash of the messages: replies to different messages differ. */
function digest(messages: readonly ChatMessage[]): string {
  let hash = 0;
  for (const message of messages) {
    for (const letter of `${message.role} ${JSON.stringify(textOf(message))}`) {
      hash = (Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0)) | 0;
    }
  }
  return `(${messages.length} messages, ${(hash >>> 0).toString(36)})`;
}

export function textOf(message: ChatMessage): string {
  if (message.role === "custom") return "";
  if (typeof message.content === "string") return message.content;
  return message.content
    .map((part) => {
      if (part.type === "text") return part.text;
      return part.type === "tool_call" ? `[${part.name} ${JSON.stringify(part.input)}]` : part.type;
    })
    .join("");
}

function halves(text: string): [number, string][] {
  if (text === "") return [];
  const middle = Math.floor(text.length / 2);
  return [
    [0, text.slice(0, middle)],
    [1, text.slice(middle)],
  ];
}
