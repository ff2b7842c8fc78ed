/** Conversations with a model of the AI SDK, of what both it and we have a form for. */
import type {
  AssistantMessage,
  AssistantPart,
  ChatMessage,
  JsonValue,
  ToolCallPart,
  ToolContentPart,
  ToolMessage,
} from "@capstan/kernel";
import { tinyImage } from "@capstan/testing";
import * as fc from "fast-check";
import { origin } from "./models.ts";

const word = fc.string({ minLength: 1 }).filter((text) => text.trim() !== "");
/** Without a negative zero, which JSON does not have. */
const json = fc.json({ maxDepth: 2 }).map((text) => JSON.parse(text) as JsonValue);
const options = fc.record({ vendor: fc.dictionary(fc.string(), json, { maxKeys: 2 }) });
/** What the model that made a part wants back with it. */
const kept = fc.option(
  options.map((providerOptions) => ({ providerData: { providerOptions } })),
  { nil: {} },
);

const text = word.map((said) => ({ type: "text" as const, text: said }));
const media = fc.constantFrom<ToolContentPart>(
  tinyImage,
  { type: "document", mediaType: "application/pdf", data: "AQID", name: "a.pdf" },
  { type: "document", mediaType: "text/plain", data: "aGk=" },
);
const twoParts = fc.tuple(fc.oneof(text, media), media).map((parts): ToolContentPart[] => parts);

const user = fc
  .oneof(word, twoParts)
  .map((content): ChatMessage => ({ role: "user", id: "", content }));
const system = word.map((content): ChatMessage => ({ role: "system", id: "", content }));

const said = fc.tuple(text, kept).map(([part, data]): AssistantPart[] => [{ ...part, ...data }]);
const thought = fc
  .tuple(word, kept)
  .map(([thinking, data]): AssistantPart[] => [{ type: "thinking", thinking, ...data }]);
const native = fc.constantFrom<AssistantPart[]>(
  [{ type: "native", data: { type: "custom", kind: "vendor.note" } }],
  [
    {
      type: "native",
      data: { type: "file", mediaType: "image/png", data: { type: "data", data: "AQID" } },
    },
  ],
);

/** `id` is filled in when the place of the call is known. */
const call = fc
  .tuple(word, json, kept)
  .map(([name, input, data]): AssistantPart[] => [
    { type: "tool_call", id: "", name, input, ...data },
  ]);
const ranByProvider = fc.tuple(word, json, json).map(([name, input, value]): AssistantPart[] => [
  { type: "tool_call", id: "", name, input, isProviderExecuted: true },
  {
    type: "native",
    data: { type: "tool-result", toolName: name, output: { type: "json", value } },
  },
]);

/** Something always comes of thinking. */
const reply = fc
  .tuple(fc.array(fc.oneof(said, thought, native, call, ranByProvider), { maxLength: 5 }), said)
  .map(([parts, last]): AssistantMessage => {
    const content = [...parts.flat(), ...last];
    const stopReason = content.some(isOurs) ? "tool-calls" : "stop";
    return { role: "assistant", id: "", content, stopReason, origin };
  });

const output = fc.oneof(
  word.map((content) => ({ content, isError: false })),
  word.map((content) => ({ content, isError: true })),
  twoParts.map((content) => ({ content, isError: false })),
);

/** Ids count from 1 over messages, as `sequentialIds` gives them; a call has the id of its place. */
export const conversations: fc.Arbitrary<ChatMessage[]> = fc
  .tuple(
    fc.array(fc.oneof(user, system, { arbitrary: reply, weight: 3 }), { maxLength: 6 }),
    fc.infiniteStream(output),
  )
  .map(([drafts, outputs]) => {
    let ids = 0;
    return drafts.flatMap((draft, place): ChatMessage[] => {
      const id = `id-${(ids += 1)}`;
      if (draft.role !== "assistant") return [{ ...draft, id }];
      const content = withCallIds(draft.content, place);
      const results = content.filter(isOurs).map((one): ToolMessage => {
        const { value } = outputs.next() as { value: { content: string; isError: boolean } };
        return { role: "tool", id: one.id, toolCallId: one.id, toolName: one.name, ...value };
      });
      return [{ ...draft, id, content }, ...results];
    });
  });

function isOurs(part: AssistantPart): part is ToolCallPart {
  return part.type === "tool_call" && part.isProviderExecuted !== true;
}

function withCallIds(content: readonly AssistantPart[], place: number): AssistantPart[] {
  let id = "";
  return content.map((part, index): AssistantPart => {
    if (part.type === "tool_call") {
      id = `call-${place}-${index}`;
      const data = (part.providerData ?? {}) as object;
      return { ...part, id, providerData: { id, ...data } };
    }
    const isResult = part.type === "native" && JSON.stringify(part).includes('"tool-result"');
    if (!isResult || part.type !== "native") return part;
    return { ...part, data: { ...(part.data as object), toolCallId: id } };
  });
}
