/** Generates transcripts that are valid by construction. */
import type { AssistantPart, ChatMessage, FinishReason, ToolCallPart } from "@capstan/kernel";
import * as fc from "fast-check";
import { assistant, call, result, user } from "./messages.ts";

/** A transcript with at least one user message; ids are unique, calls are answered. */
export const transcript: fc.Arbitrary<ChatMessage[]> = fc
  .tuple(fc.boolean(), fc.array(turn(), { minLength: 1, maxLength: 4 }))
  .map(([hasSystem, turns]) => withIds([...(hasSystem ? [system] : []), ...turns.flat()]));

/** A transcript in which at least one message calls two tools of ours. */
export const transcriptWithCalls: fc.Arbitrary<ChatMessage[]> = fc
  .tuple(fc.array(turn(), { maxLength: 2 }), turnWithCalls(2), fc.array(turn(), { maxLength: 2 }))
  .map(([before, middle, after]) => withIds([...before.flat(), ...middle, ...after.flat()]));

/** A message whose ids are assigned once its index is known; a batch of results follows its calls by itself. */
type Draft = ChatMessage;

const system: Draft = { role: "system", id: "", content: "Be brief." };

function turn(): fc.Arbitrary<Draft[]> {
  return fc.oneof(turnWithCalls(0), pausedTurn(), abortedTurn(), failedTurn(), noteTurn());
}

function turnWithCalls(minCalls: number): fc.Arbitrary<Draft[]> {
  return fc
    .tuple(fc.array(prose(), { maxLength: 2 }), calls(minCalls), prose())
    .map(([said, asked, answer]) => {
      const content = [...said, ...asked];
      // Only a call of ours needs another step.
      const step = asked.some(isOurs) ? [assistant("", content, "tool-calls")] : [];
      return [user(""), ...step, assistant("", [answer])];
    });
}

function pausedTurn(): fc.Arbitrary<Draft[]> {
  return prose().map((part) => [user(""), reply(part, "pause"), reply(part, "stop")]);
}

function abortedTurn(): fc.Arbitrary<Draft[]> {
  return fc
    .tuple(prose(), calls(0))
    .map(([part, asked]) => [user(""), assistant("", [part, ...asked], "aborted"), user("")]);
}

function failedTurn(): fc.Arbitrary<Draft[]> {
  return prose().map((part) => [user(""), reply(part, "error"), reply(part, "stop")]);
}

function noteTurn(): fc.Arbitrary<Draft[]> {
  return fc.tuple(fc.jsonValue(), prose()).map(([data, part]) => [
    user(""),
    // JSON values of fast-check are JSON.
    { role: "custom", id: "", kind: "note", data: data as null },
    reply(part, "stop"),
  ]);
}

function reply(part: AssistantPart, stopReason: FinishReason): Draft {
  return assistant("", [part], stopReason);
}

function prose(): fc.Arbitrary<AssistantPart> {
  const text = fc.string({ minLength: 1 });
  return fc.oneof(
    text.map((said): AssistantPart => ({ type: "text", text: said })),
    text.map((said): AssistantPart => ({ type: "refusal", text: said })),
    fc
      .string()
      .map((thinking): AssistantPart => ({ type: "thinking", thinking, providerData: "s" })),
    fc.constant<AssistantPart>({ type: "native", data: { a: [1] } }),
  );
}

function calls(minOurs: number): fc.Arbitrary<ToolCallPart[]> {
  const plain = fc.constantFrom({}, { malformedInput: "{" });
  const any = fc.oneof(plain, fc.constant({ isProviderExecuted: true }));
  return fc
    .tuple(
      fc.array(plain, { minLength: minOurs, maxLength: Math.max(minOurs, 3) }),
      fc.array(any, { maxLength: 1 }),
    )
    .map(([ours, last]) => [...ours, ...last].map((overrides) => call("", overrides)));
}

function withIds(drafts: readonly Draft[]): ChatMessage[] {
  let count = 0;
  const nextId = (prefix: string): string => `${prefix}${(count += 1)}`;
  return drafts.flatMap((draft): ChatMessage[] => {
    if (draft.role !== "assistant") return [{ ...draft, id: nextId("m") }];
    const content = draft.content.map((part) =>
      part.type === "tool_call" ? { ...part, id: nextId("k") } : part,
    );
    const results = content
      .filter((part) => part.type === "tool_call")
      .filter(isOurs)
      .map((part) => result(part.id, { isError: part.malformedInput !== undefined }));
    return [{ ...draft, id: nextId("m"), content }, ...results];
  });
}

function isOurs(part: ToolCallPart): boolean {
  return part.isProviderExecuted !== true;
}
