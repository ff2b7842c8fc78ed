/** The model of a scenario: what it says depends on the messages alone, so a resumed process gets the same reply. */
import { ProviderError } from "@capstan/kernel";
import type {
  ChatMessage,
  JsonValue,
  ProviderContract,
  ProviderPart,
  ProviderRequest,
} from "@capstan/kernel";
import type { Life } from "./life.ts";
import type { CrashScenario, ScriptedStep } from "./scenario.ts";

export interface ScriptedModelOptions {
  readonly life: Life;
  readonly script: CrashScenario["script"];
  onRequest(request: ProviderRequest): void;
}

export function scriptedModel({ life, script, onRequest }: ScriptedModelOptions): ProviderContract {
  async function* reply(request: ProviderRequest): AsyncGenerator<ProviderPart, void> {
    await life.pass();
    if (request.signal.aborted) throw new Error("stopped");
    onRequest(request);
    const { step, text } = findStep(script, request.messages);
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
    yield* callsOf(step);
    await life.pass();
    yield { type: "usage", usage: { inputTokens: 10, outputTokens: 5 } };
    yield { type: "finish", reason: step.calls === undefined ? "stop" : "tool-calls" };
  }
  return { id: "scripted", stream: reply };
}

function* callsOf({ calls = [] }: ScriptedStep): Generator<ProviderPart> {
  for (const [index, { tool: name, ...rest }] of calls.entries()) {
    const input: JsonValue = rest;
    yield { type: "toolcall_start", index, name };
    yield { type: "toolcall_end", index, input };
  }
}

/** The script of the last user message that has one, at the step that its replies have come to. */
function findStep(
  script: CrashScenario["script"],
  messages: readonly ChatMessage[],
): { readonly step: ScriptedStep; readonly text: string } {
  const lastUser = messages.findLast(({ role }) => role === "user");
  const text = `Noted: ${lastUser === undefined ? "" : textOf(lastUser)}`;
  const at = messages.findLastIndex((message) => script[textOf(message)] !== undefined);
  const begun = messages[at];
  if (begun === undefined) return { step: {}, text };
  const replies = messages.slice(at).filter(({ role }) => role === "assistant").length;
  return { step: script[textOf(begun)]?.[replies] ?? {}, text };
}

/** What the model was shown, in a few letters: a reply on other messages is another reply. */
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
