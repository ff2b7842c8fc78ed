/** Transcripts of all kinds: of several vendors, cut off, in a strange order, with holes. */
import type {
  AssistantMessage,
  AssistantPart,
  ChatMessage,
  JsonValue,
  Origin,
  ToolContentPart,
  UserPart,
} from "@capstan/kernel";
import { tinyImage } from "@capstan/testing";
import * as fc from "fast-check";

const text = fc.constantFrom("", " ", "\n\n", "Hello", "Hello \n", "[interrupted by user]");
const callId = fc.constantFrom("c1", "c2", "c3", "call/4", "a-very-long-id".repeat(8));
const serverId = fc.constantFrom("srvtoolu_1", "srvtoolu_2");

const origins: readonly (Origin | undefined)[] = [
  { provider: "anthropic", api: "anthropic-messages", model: "claude-sonnet-4-5" },
  { provider: "anthropic", api: "anthropic-messages", model: "claude-opus-5-5" },
  { provider: "anthropic", api: "anthropic-messages", model: "claude-haiku-5-5" },
  { provider: "openai", api: "openai-responses", model: "gpt-5.5" },
  { provider: "openai", api: "openai-responses", model: "gpt-4.1" },
  { provider: "google", api: "google-generate", model: "gemini-3.5-flash" },
  { provider: "groq", api: "openai-chat", model: "qwen3" },
  undefined,
];

const textPart = text.map((value) => ({ type: "text" as const, text: value }));

const media: fc.Arbitrary<ToolContentPart & UserPart> = fc.oneof(
  textPart,
  fc.constantFrom<ToolContentPart & UserPart>(
    tinyImage,
    { type: "image", mediaType: "image/tiff", data: "aGk=" },
    { type: "image", mediaType: "image/png", data: "" },
    { type: "document", mediaType: "application/pdf", data: btoa("%PDF-1.4"), name: "a.pdf" },
    { type: "document", mediaType: "text/plain", data: "aGk=" },
    { type: "document", mediaType: "text/plain", data: "%%%" },
    { type: "document", mediaType: "application/msword", data: "aGk=" },
  ),
);

const content = fc.oneof(text, fc.array(media, { maxLength: 3 }));

const named = fc.record({ id: callId, name: fc.constantFrom("add", "über.tool", "") });

/** Calls as their vendor sends them, whatever that is. */
function callsWith(dataOf: (id: string) => JsonValue | undefined): fc.Arbitrary<AssistantPart> {
  return named.chain(({ id, name }) => {
    const providerData = dataOf(id);
    const call = { type: "tool_call" as const, id, name, ...(providerData && { providerData }) };
    return fc.constantFrom<AssistantPart>(
      { ...call, input: { a: 1 } },
      { ...call, input: [1] },
      { ...call, input: null },
      { ...call, input: {}, malformedInput: '{"a":' },
    );
  });
}

const ranByClaude = serverId.chain((id) =>
  fc.constantFrom<AssistantPart>(
    {
      type: "tool_call",
      id: `p-${id}`,
      name: "web_search",
      input: {},
      isProviderExecuted: true,
      providerData: { type: "server_tool_use", id },
    },
    { type: "native", data: { type: "web_search_tool_result", tool_use_id: id, content: [] } },
    { type: "native", data: { type: "container_upload", file_id: "f" } },
  ),
);

/** What only one vendor can have said. */
const own: Readonly<Record<string, fc.Arbitrary<AssistantPart>>> = {
  "anthropic-messages": fc.oneof(
    fc.constantFrom<AssistantPart>(
      { type: "thinking", thinking: "Hmm", providerData: { signature: "abc" } },
      { type: "thinking", thinking: "", providerData: { signature: "abc" } },
      { type: "thinking", thinking: "", providerData: { type: "redacted_thinking", data: "x" } },
    ),
    callsWith((id) => ({ id: `toolu_${id.length}` })),
    ranByClaude,
  ),
  "openai-responses": fc.oneof(
    fc.constantFrom<AssistantPart>(
      { type: "thinking", thinking: "Hmm", providerData: { id: "rs_1", encrypted_content: "x" } },
      { type: "thinking", thinking: "", providerData: { id: "rs_2" } },
      { type: "text", text: "Hello", providerData: { id: "msg_1", phase: "commentary" } },
      { type: "text", text: "Bye", providerData: { id: "msg_2" } },
      { type: "native", data: { type: "compaction", id: "cmp_1", encrypted_content: "x" } },
      { type: "native", data: { type: "local_shell_call", id: "lsh_1", call_id: "call_9" } },
    ),
    callsWith((id) => ({ id: `call_${id.length}`, itemId: `fc_${id.length}` })),
  ),
  "google-generate": fc.oneof(
    fc.constantFrom<AssistantPart>(
      { type: "text", text: "Hello", providerData: { thoughtSignature: "c2lnbmVk" } },
      { type: "native", data: { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } } },
    ),
    callsWith(() => ({ thoughtSignature: "c2lnbmVk" })),
    callsWith((id) => ({ id: `g${id.length}` })),
  ),
  "openai-chat": fc.oneof(
    fc.constant<AssistantPart>({
      type: "thinking",
      thinking: "Hmm",
      providerData: { field: "reasoning" },
    }),
    callsWith((id) => ({ id: `call_${id.length}` })),
  ),
};

const plain: fc.Arbitrary<AssistantPart> = fc.oneof(
  textPart,
  text.map((value) => ({ type: "refusal" as const, text: value })),
  fc.constantFrom<AssistantPart>(
    { type: "thinking", thinking: "Hmm" },
    { type: "native", data: "not a block" },
  ),
  callsWith(() => undefined),
);

const assistant: fc.Arbitrary<AssistantMessage> = fc
  .constantFrom(...origins)
  .chain((origin) => {
    const special = own[origin?.api ?? ""];
    const part = special === undefined ? plain : fc.oneof(plain, special);
    return fc.record({
      origin: fc.constant(origin),
      content: fc.array(part, { maxLength: 5 }),
      stopReason: fc.constantFrom("stop", "tool-calls", "pause", "length", "aborted", "error"),
    });
  })
  .map(({ origin, ...rest }) => ({
    role: "assistant",
    id: "a",
    ...rest,
    ...(origin !== undefined && { origin }),
  }));

const user = content.map((value): ChatMessage => ({ role: "user", id: "u", content: value }));
const result = fc
  .record({ toolCallId: callId, content, isError: fc.boolean() })
  .map((fields): ChatMessage => ({ role: "tool", id: "t", toolName: "add", ...fields }));
const system = text.map((value): ChatMessage => ({ role: "system", id: "s", content: value }));
const custom = fc.constant<ChatMessage>({ role: "custom", id: "x", kind: "note", data: 1 });

const message: fc.Arbitrary<ChatMessage> = fc.oneof(
  { weight: 3, arbitrary: assistant },
  { weight: 2, arbitrary: user },
  { weight: 3, arbitrary: result },
  { weight: 1, arbitrary: system },
  { weight: 1, arbitrary: custom },
);

export const transcripts: fc.Arbitrary<ChatMessage[]> = fc
  .array(message, { maxLength: 12 })
  .map(withUniqueCalls);

/** The one thing that holds for every transcript: no two calls have one id. */
function withUniqueCalls(messages: readonly ChatMessage[]): ChatMessage[] {
  const seen = new Set<string>();
  const isNew = (one: AssistantPart): boolean =>
    one.type !== "tool_call" || (!seen.has(one.id) && seen.add(one.id) === seen);
  return messages.map((one) =>
    one.role === "assistant" ? { ...one, content: one.content.filter(isNew) } : one,
  );
}
