/** What the Messages API refuses, as far as it is known: one line for each rule that a body breaks. */

interface Block {
  readonly type: string;
  readonly [key: string]: unknown;
}

interface Message {
  readonly role: string;
  readonly content: readonly Block[];
}

interface Body {
  readonly model: string;
  readonly max_tokens: number;
  readonly system?: readonly Block[];
  readonly messages: readonly Message[];
  readonly tools?: readonly { readonly name: string; readonly input_schema: { type: string } }[];
  readonly tool_choice?: { readonly type: string };
  readonly thinking?: { readonly type: string; readonly budget_tokens?: number };
  readonly temperature?: number;
}

const imageTypes = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const isThinking = ({ type }: Block): boolean => type.endsWith("thinking");

export function brokenRules(sent: unknown): string[] {
  const body = sent as Body;
  const { messages } = body;
  return [
    ...roles(body),
    ...messages.flatMap(({ content }, at) =>
      blocks(content).map((rule) => `messages.${at}: ${rule}`),
    ),
    ...calls(messages),
    ...serverTools(messages),
    ...blocks(body.system ?? [{ type: "text", text: "none" }]).map((rule) => `system: ${rule}`),
    ...settings(body),
    ...thinkingFirst(body),
  ];
}

/** With a budget, a turn that waits for results has to begin with thinking. */
function thinkingFirst({ thinking, messages }: Body): string[] {
  const asked = messages.findLastIndex(
    ({ role, content }) => role === "user" && content.some(({ type }) => type !== "tool_result"),
  );
  const reply = messages.slice(asked + 1).find(({ role }) => role === "assistant");
  const first = reply?.content[0];
  if (thinking?.type !== "enabled" || first === undefined || isThinking(first)) return [];
  return ["expected thinking at the start of the turn under way"];
}

function roles({ model, messages }: Body): string[] {
  const order = messages.map(({ role }) => role).join(" ");
  const isByTurns = /^user( system)?( assistant user( system)?)*( assistant)?$/.test(order);
  const last = messages.at(-1);
  const end = last?.content.at(-1);
  const isWord = last?.role === "assistant" && end?.type === "text";
  return [
    ...(isByTurns ? [] : [`roles are not by turns: ${order}`]),
    ...(isWord && !takesPrefill(model) ? ["prefill is not supported"] : []),
    ...(isWord && /\s$/.test(textOf(end)) ? ["final content ends in white space"] : []),
  ];
}

/** Newer models go on with no text, not even with their own. */
function takesPrefill(model: string): boolean {
  return /^(some-|claude-3-|claude-(opus|sonnet|haiku)-4(-[0-5])?(-\d{8})?$)/.test(model);
}

function blocks(content: readonly Block[]): string[] {
  return [
    ...(content.length === 0 ? ["content is empty"] : []),
    ...content.flatMap(block),
    ...(content.length > 0 && content.every(isThinking) ? ["nothing but thinking"] : []),
    ...(content.at(-1) && isThinking(content.at(-1) as Block)
      ? ["the final block is thinking"]
      : []),
  ];
}

function block(sent: Block): string[] {
  const { type, text, signature, data, source, content, input, name } = sent;
  const media = (source ?? {}) as Readonly<Record<string, unknown>>;
  const inner = Array.isArray(content) ? (content as Block[]) : [];
  const isEmptyError = sent["is_error"] === true && (content === undefined || content === "");
  const isMixedError = sent["is_error"] === true && inner.some((one) => one.type !== "text");
  const rules: Record<string, readonly (readonly [boolean, string])[]> = {
    text: [[String(text).trim() === "", "text is empty"]],
    thinking: [[typeof signature !== "string" || signature === "", "thinking is not signed"]],
    redacted_thinking: [[typeof data !== "string", "redacted thinking has no data"]],
    image: [
      [
        !imageTypes.includes(String(media["media_type"])),
        `image is ${String(media["media_type"])}`,
      ],
      [media["data"] === "", "image is empty"],
    ],
    document: [[String(media["data"]).trim() === "", "document is empty"]],
    tool_use: [
      [typeof input !== "object" || input === null || Array.isArray(input), "input is no object"],
      [!/^[a-zA-Z0-9_-]{1,64}$/.test(String(sent["id"])), `id is ${String(sent["id"])}`],
      [!/^[a-zA-Z0-9_-]{1,128}$/.test(String(name)), `name is ${String(name)}`],
    ],
    tool_result: [
      [isEmptyError, "a failed result is empty"],
      [isMixedError, "a failed result holds more than text"],
      [Array.isArray(content) && content.length === 0, "a result has an empty list"],
    ],
  };
  const own = (rules[type] ?? []).filter(([isBroken]) => isBroken).map(([, rule]) => rule);
  return [...own, ...(type === "tool_result" ? inner.flatMap(block) : [])];
}

/** Each call is answered at the start of the next message, once, and nothing else is. */
function calls(messages: readonly Message[]): string[] {
  const all = messages.flatMap(({ content }) => content.filter(({ type }) => type === "tool_use"));
  const ids = all.map(({ id }) => String(id));
  const doubled = new Set(ids).size === ids.length ? [] : ["two calls have one id"];
  const pairs = messages.flatMap((message, at) => {
    const before = messages.slice(0, at).findLast(({ role }) => role !== "system");
    const asked = at === 0 ? [] : idsOf(before?.content ?? [], "tool_use", "id");
    const answered = idsOf(message.content, "tool_result", "tool_use_id");
    if (message.role !== "user") return answered.length > 0 ? ["a result outside of a user's"] : [];
    const isFirst = message.content
      .slice(0, answered.length)
      .every(({ type }) => type === "tool_result");
    const isSame = asked.toSorted().join() === answered.toSorted().join();
    return [
      ...(isSame ? [] : [`messages.${at}: asked ${asked.join()}, answered ${answered.join()}`]),
      ...(isFirst ? [] : [`messages.${at}: results do not come first`]),
    ];
  });
  const last = messages.at(-1);
  const isOpen = last?.role === "assistant" && idsOf(last.content, "tool_use", "id").length > 0;
  return [...doubled, ...pairs, ...(isOpen ? ["the last calls are not answered"] : [])];
}

function serverTools(messages: readonly Message[]): string[] {
  const flat = messages.flatMap(({ content }, at) => content.map((one) => ({ one, at })));
  const lastReply = messages.findLastIndex(({ role }) => role === "assistant");
  return flat.flatMap(({ one, at }, place) => {
    if (one.type === "server_tool_use") {
      const isAnswered = flat
        .slice(place)
        .some(({ one: next }) => next["tool_use_id"] === one["id"]);
      return isAnswered || at === lastReply ? [] : [`${String(one["id"])} has no result`];
    }
    if (!one.type.endsWith("_tool_result")) return [];
    const isAsked = flat.slice(0, place).some(({ one: use }) => use["id"] === one["tool_use_id"]);
    return isAsked ? [] : [`${String(one["tool_use_id"])} was never called`];
  });
}

function settings(body: Body): string[] {
  const { thinking, max_tokens: maxTokens, tools = [], tool_choice: choice } = body;
  const budget = thinking?.budget_tokens;
  const isThinkingOn = thinking?.type === "enabled" || thinking?.type === "adaptive";
  const isForced = choice?.type === "any" || choice?.type === "tool";
  const markers = JSON.stringify(body).split('"cache_control"').length - 1;
  const rules: readonly (readonly [boolean, string])[] = [
    [!(maxTokens >= 1), "max_tokens is too small"],
    [budget !== undefined && !(budget >= 1024 && budget < maxTokens), `budget is ${budget}`],
    [isThinkingOn && body.temperature !== undefined, "temperature while thinking"],
    [isThinkingOn && isForced, "a forced call while thinking"],
    [choice !== undefined && tools.length === 0, "tool_choice without tools"],
    [tools.some(({ input_schema: schema }) => schema.type !== "object"), "a schema is no object"],
    [tools.some(({ input_schema: schema }) => "anyOf" in schema), "a schema is a choice"],
    [markers > 4, `${markers} markers`],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, rule]) => rule);
}

function textOf(block: Block | undefined): string {
  const text = block?.["text"];
  return typeof text === "string" ? text : "";
}

function idsOf(content: readonly Block[], type: string, key: string): string[] {
  return content.filter((one) => one.type === type).map((one) => String(one[key]));
}
