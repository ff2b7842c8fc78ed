/** Checks that the items of an input belong together: ids, reasoning with the items after it, outputs with their calls. */
import { asText } from "../json.ts";
import type { JsonObject } from "../json.ts";
import { Refusal } from "../refusal.ts";
import { invalid } from "./errors.ts";
import type { ItemLedger } from "./item-ledger.ts";
import { itemsOf, typeOf } from "./responses-request.ts";
import type { ResponsesRequest } from "./responses-request.ts";

/** Returns everything the model is shown, with references resolved. Throws a `Refusal`. */
export function checkInput(request: ResponsesRequest, ledger: ItemLedger): readonly JsonObject[] {
  const { previous_response_id: previous, input, prompt, conversation } = request;
  const sent = itemsOf(input);
  if (sent.length === 0 && !previous && !prompt && !conversation) {
    throw invalid(
      'One of "input" or "previous_response_id" or "prompt" or "conversation_id" must be provided.',
      "input",
      "missing_required_parameter",
    );
  }
  const earlier = previous ? ledger.conversationOf(previous) : [];
  for (const [index, item] of sent.entries()) checkId(item, index);
  const items = [...earlier, ...sent.map((item) => resolve(item, ledger))];
  checkUnique(items);
  for (const item of sent) if (typeOf(item) === "reasoning") ledger.checkReasoning(item);
  checkReasoning(items, ledger);
  // Items stored elsewhere may contain the other half of a pair.
  const isPartial = ledger.trustsForeign && (Boolean(previous) || items.some(isReference));
  if (!isPartial) checkToolPairs(items);
  return items;
}

function resolve(item: JsonObject, ledger: ItemLedger): JsonObject {
  return isReference(item) ? ledger.lookUp(asText(item["id"])) : item;
}

function isReference(item: JsonObject): boolean {
  return typeOf(item) === "item_reference";
}

/** Id prefixes by type. */
const prefixes: Readonly<Record<string, string>> = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  function_call_output: "fc",
  custom_tool_call: "ctc",
  web_search_call: "ws",
  file_search_call: "fs",
  code_interpreter_call: "ci",
  image_generation_call: "ig",
  mcp_call: "mcp",
};

function checkId(item: JsonObject, index: number): void {
  const { id } = item;
  if (id === undefined) return;
  const param = `input[${index}].id`;
  const given = asText(id);
  if (!/^[a-zA-Z0-9_-]+$/.test(given)) {
    throw invalid(
      `Invalid '${param}': '${given}'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.`,
      param,
      "invalid_value",
    );
  }
  const prefix = prefixes[typeOf(item)];
  if (prefix === undefined || given.startsWith(prefix)) return;
  throw invalid(
    `Invalid '${param}': '${given}'. Expected an ID that begins with '${prefix}'.`,
    param,
    "invalid_value",
  );
}

function checkUnique(items: readonly JsonObject[]): void {
  const seen = new Set<string>();
  for (const { id } of items) {
    if (id === undefined) continue;
    const given = asText(id);
    if (seen.has(given)) {
      throw invalid(
        `Duplicate item found with id ${given}. Remove duplicate items from your input and try again.`,
        "input",
      );
    }
    seen.add(given);
  }
}

/** Reasoning must come with the item that followed it, and that item with its reasoning, unless neither has an id. */
function checkReasoning(items: readonly JsonObject[], ledger: ItemLedger): void {
  let current: string | undefined;
  for (const [index, item] of items.entries()) {
    if (typeOf(item) === "reasoning") {
      current = ledger.reasoningIdOf(item);
      if (item["id"] !== undefined) checkFollowed(item, items[index + 1], ledger);
      continue;
    }
    if (!isOfModel(item)) {
      current = undefined;
      continue;
    }
    const needed = ledger.find(asText(item["id"]))?.reasoningId;
    if (needed !== undefined && needed !== current) {
      throw invalid(
        `Item '${asText(item["id"])}' of type '${typeOf(item)}' was provided without its required 'reasoning' item: '${needed}'.`,
        "input",
      );
    }
  }
}

function checkFollowed(item: JsonObject, next: JsonObject | undefined, ledger: ItemLedger): void {
  const id = asText(item["id"]);
  const follower = ledger.find(id)?.follower;
  const isFollowed = next !== undefined && isOfModel(next) && isSame(next, follower);
  if (isFollowed) return;
  throw new Refusal(
    `Item '${id}' of type 'reasoning' was provided without its required following item.`,
    { param: "input" },
  );
}

/** Compares what both sides know of an item. */
function isSame(item: JsonObject, original: JsonObject | undefined): boolean {
  if (original === undefined) return true;
  if (item["id"] !== undefined) return item["id"] === original["id"];
  return typeOf(item) === typeOf(original) && item["call_id"] === original["call_id"];
}

function isOfModel(item: JsonObject): boolean {
  const type = typeOf(item);
  if (type === "message") return item["role"] === "assistant";
  return !type.endsWith("_output") && type !== "mcp_approval_response";
}

const callTypes: Readonly<Record<string, string>> = {
  function_call: "function call",
  custom_tool_call: "custom tool call",
};

/** In order: an output answers an earlier call, once. */
function checkToolPairs(items: readonly JsonObject[]): void {
  const open = new Map<string, string>();
  for (const item of items) {
    const type = typeOf(item);
    const callId = asText(item["call_id"]);
    const asCall = callTypes[type];
    if (asCall !== undefined) open.set(callId, asCall);
    const asOutput = callTypes[type.replace(/_output$/, "")];
    if (!type.endsWith("_output") || asOutput === undefined) continue;
    if (!open.delete(callId)) {
      throw invalid(`No tool call found for ${asOutput} output with call_id ${callId}.`, "input");
    }
  }
  const [unanswered] = open;
  if (unanswered === undefined) return;
  throw invalid(`No tool output found for ${unanswered[1]} ${unanswered[0]}.`, "input");
}
