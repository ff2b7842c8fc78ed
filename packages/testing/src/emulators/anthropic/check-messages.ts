/** Checks that the messages form a conversation: roles, contents, and a result for every call. */
import type { JsonObject } from "../json.ts";
import { asText, isList } from "../json.ts";
import { Refusal } from "../refusal.ts";
import { checkContents } from "./check-contents.ts";
import { isThinking } from "./messages-request.ts";
import type { MessagesRequest, PlacedBlock, Turn } from "./messages-request.ts";
import type { ModelTraits } from "./model-traits.ts";
import type { Dialect } from "./request-shape.ts";

export interface MessageRules {
  readonly traits: ModelTraits;
  readonly dialect: Dialect;
  /** True if these blocks end with a reply that was paused. */
  isPaused(content: readonly JsonObject[]): boolean;
}

export function checkMessages(
  request: MessagesRequest,
  turns: readonly Turn[],
  { traits, dialect, isPaused }: MessageRules,
): void {
  checkRoles(turns, traits);
  checkContents(request);
  for (const turn of turns) checkBlocksOfRole(turn, dialect);
  checkToolPairs(turns);
  const last = turns.at(-1);
  if (last?.role === "assistant") checkLastWords(request, last, traits, isPaused);
  if (request.thinking?.type === "enabled") checkOpenLoop(turns);
}

function checkRoles(turns: readonly Turn[], traits: ModelTraits): void {
  const [first] = turns;
  if (first === undefined) throw new Refusal("messages: at least one message is required");
  if (first.role === "system") {
    throw new Refusal(
      "messages.0: use the top-level 'system' parameter for the initial system prompt",
    );
  }
  if (first.role !== "user") throw new Refusal('messages: first message must use the "user" role');
  if (!traits.takesSystemMessages && turns.some(({ role }) => role === "system")) {
    throw new Refusal("messages: role 'system' is not supported on this model");
  }
}

const ofAssistant =
  /^(thinking|redacted_thinking|tool_use|server_tool_use|mcp_tool_use|.+_tool_result)$/;
const ofUser = /^(tool_result|image|search_result)$/;

function checkBlocksOfRole({ role, at, blocks }: Turn, { isNew }: Dialect): void {
  for (const { block, path } of blocks) {
    const type = asText(block["type"]);
    const { citations } = block;
    if (isNew && role === "user" && isList(citations) && citations.length > 0) {
      throw new Refusal(`${path}.${type}.citations: citations are not permitted in user messages`);
    }
    if (role === "system" && type !== "text" && type !== "compaction") {
      throw new Refusal(`${path}: \`${type}\` blocks are not permitted in system messages`);
    }
    if (role === "user" && ofAssistant.test(type)) {
      throw new Refusal(`messages.${at}: \`${type}\` blocks can only be in \`assistant\` messages`);
    }
    if (role === "assistant" && (ofUser.test(type) || (isNew && type === "document"))) {
      throw new Refusal(`messages.${at}: \`${type}\` blocks can only be in \`user\` messages`);
    }
  }
  const isLastThought = role === "assistant" && blocks.at(-1)?.block["type"] === "thinking";
  if (isLastThought) {
    throw new Refusal(
      `messages.${at}: The final block in an assistant message cannot be \`thinking\`.`,
    );
  }
}

function checkToolPairs(turns: readonly Turn[]): void {
  const seen = new Set<string>();
  for (const [index, turn] of turns.entries()) {
    for (const { block, path } of turn.blocks) {
      if (block["type"] !== "tool_use") continue;
      const id = asText(block["id"]);
      if (seen.has(id)) throw new Refusal(`${path}: \`tool_use\` ids must be unique`);
      seen.add(id);
    }
    if (turn.role === "user") checkResults(turn, turns[index - 1]);
    if (turn.role === "assistant") checkAnswered(turn, turns[index + 1]);
  }
}

/** Results come first in their message: the service does not see those after other content. */
function checkAnswered(turn: Turn, next: Turn | undefined): void {
  const calls = idsOf(turn.blocks, "tool_use", "id");
  const results = next?.role === "user" ? leadingResults(next.blocks) : [];
  const answered = new Set(idsOf(results, "tool_result", "tool_use_id"));
  const open = calls.filter((id) => !answered.has(id));
  if (open.length === 0) return;
  throw new Refusal(
    `messages.${turn.at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

function checkResults(turn: Turn, previous: Turn | undefined): void {
  const calls = new Set(
    previous?.role === "assistant" ? idsOf(previous.blocks, "tool_use", "id") : [],
  );
  const answered = new Set<string>();
  for (const { block, path } of turn.blocks) {
    if (block["type"] !== "tool_result") continue;
    const id = asText(block["tool_use_id"]);
    if (!calls.has(id)) {
      throw new Refusal(
        `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
    if (answered.has(id)) {
      throw new Refusal(
        `${path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    }
    answered.add(id);
  }
}

function leadingResults(blocks: readonly PlacedBlock[]): readonly PlacedBlock[] {
  const end = blocks.findIndex(({ block }) => block["type"] !== "tool_result");
  return end === -1 ? blocks : blocks.slice(0, end);
}

function idsOf(blocks: readonly PlacedBlock[], type: string, key: string): string[] {
  return blocks
    .filter(({ block }) => block["type"] === type)
    .map(({ block }) => asText(block[key]));
}

/** Checks a prefilled assistant message. A paused reply may always continue. */
function checkLastWords(
  request: MessagesRequest,
  last: Turn,
  traits: ModelTraits,
  isPaused: (content: readonly JsonObject[]) => boolean,
): void {
  const blocks = last.blocks.map(({ block }) => block);
  if (isPaused(blocks) || isServerTool(blocks.at(-1))) return;
  if (!traits.takesPrefill) {
    throw new Refusal(
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    );
  }
  const text = blocks.at(-1)?.["text"];
  if (typeof text === "string" && text !== text.trimEnd()) {
    throw new Refusal("messages: final assistant content cannot end with trailing whitespace");
  }
  if (request.thinking?.type === "enabled") requireThinking(last);
}

function isServerTool(block: JsonObject | undefined): boolean {
  return /^(server_tool_use|mcp_tool_use|.+_tool_result)$/.test(asText(block?.["type"]));
}

/** While a tool loop is open, the thinking that it started with must be present. */
function checkOpenLoop(turns: readonly Turn[]): void {
  const lastAsked = turns.findLastIndex(
    ({ role, blocks }) =>
      role === "user" && blocks.some(({ block }) => block["type"] !== "tool_result"),
  );
  const answer = turns.slice(lastAsked + 1).find(({ role }) => role === "assistant");
  if (answer?.blocks.some(({ block }) => block["type"] === "tool_use") === true)
    requireThinking(answer);
}

function requireThinking({ blocks }: Turn): void {
  const [first] = blocks;
  if (first === undefined || isThinking(first.block)) return;
  throw new Refusal(
    `${first.path}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${asText(first.block["type"])}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking`,
  );
}
