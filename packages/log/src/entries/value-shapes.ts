/** Shapes of the values inside entries, limited to what folds, events and the next request read. JSON that only its owner reads is not checked. */

type Fields = { readonly [field: string]: unknown };

/** Fault of a value, worded to follow its name; undefined if the value is valid. */
export type Fault = string | undefined;

/** True for an object whose JSON form has its fields: not for a list, a boxed value, or an object with `toJSON`. */
export function isObject(value: unknown): value is Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { toJSON, valueOf } = value as Fields;
  if (typeof toJSON === "function") return false;
  // Almost every object has this one, and needs no further check.
  return valueOf === plainValueOf || !boxed.has(Object.prototype.toString.call(value));
}

const { valueOf: plainValueOf }: Fields = Object.prototype as object as Fields;
const boxed: ReadonlySet<string> = new Set([
  "[object String]",
  "[object Number]",
  "[object Boolean]",
]);

export function stringsFault(value: unknown): Fault {
  return listFault(value, (each) => (typeof each === "string" ? undefined : " is not a string"));
}

export function messagesFault(value: unknown): Fault {
  return listFault(value, messageFault);
}

/** Fault of a value that should be a message, worded to follow its name; undefined if there is none. */
export function messageFault(value: unknown): Fault {
  if (!isObject(value)) return " is not an object";
  const { id, role } = value;
  if (typeof id !== "string") return ".id is not a string";
  switch (role) {
    case "system":
      return textFault(value, "content");
    case "user":
      return contentFault(value["content"], ".content");
    case "assistant":
      return replyFault(value);
    case "tool":
      return toolMessageFault(value);
    case "custom":
      return textFault(value, "kind");
    default:
      return typeof role === "string" ? ".role is unknown" : ".role is not a string";
  }
}

export function pendingFault(value: unknown): Fault {
  return listFault(value, pendingCallFault);
}

export function resultFault(value: unknown): Fault {
  if (!isObject(value)) return " is not an object";
  if (typeof value["isError"] !== "boolean") return ".isError is not a boolean";
  return contentFault(value["output"], ".output") ?? keptFault(value["kept"]);
}

/** Counts that are not finite are null in JSON; older programs have stored such counts, and readers ignore them. */
export function usageFault(value: unknown): Fault {
  if (!isObject(value)) return " is not an object";
  const isSound =
    isCount(value["inputTokens"]) &&
    isCount(value["outputTokens"]) &&
    isCount(value["cacheReadTokens"]) &&
    isCount(value["cacheWriteTokens"]) &&
    isCount(value["reasoningTokens"]) &&
    isCount(value["unreportedAttempts"]);
  return isSound ? undefined : " has a count that is not a number";
}

function isCount(value: unknown): boolean {
  return value === undefined || typeof value === "number" || value === null;
}

export function configFault(value: unknown): Fault {
  if (!isObject(value)) return " is not an object";
  for (const name of configTexts) {
    const text = value[name];
    if (text !== undefined && typeof text !== "string") return `.${name} is not a string`;
  }
  const { tools } = value;
  const fault = tools === undefined ? undefined : listFault(tools, chosenToolFault);
  return fault && `.tools${fault}`;
}

/** Outcome of queued items. */
export function outcomeFault(value: unknown): Fault {
  if (!isObject(value)) return " is not an object";
  if (value["type"] === "returned") return textFault(value, "reason");
  if (value["type"] !== "delivered") return ".type is unknown";
  return Number.isFinite(value["step"]) ? undefined : ".step is not a number";
}

/** Report of a child session. */
export function reportFault(value: unknown): Fault {
  if (!isObject(value)) return " is not an object";
  switch (value["type"]) {
    case "running":
      return undefined;
    case "asking":
      return within(".used", budgetFault(value["used"]));
    case "waiting":
      return within(".pending", pendingFault(value["pending"]));
    case "ended":
      return (
        within(".result", resultFault(value["result"])) ??
        within(".usage", usageFault(value["usage"]))
      );
    default:
      return ".type is unknown";
  }
}

/** Slice of budgets. */
export function budgetFault(value: unknown): Fault {
  if (!isObject(value)) return " is not an object";
  const isSound = isCount(value["tokens"]) && isCount(value["cost"]) && isCount(value["timeMs"]);
  return isSound ? undefined : " has an amount that is not a number";
}

function within(name: string, fault: Fault): Fault {
  return fault && `${name}${fault}`;
}

/** For new entries only: older logs contain errors of any shape, and readers can handle them. */
export function errorFault(value: unknown): Fault {
  if (!isObject(value)) return " is not an object";
  return textFault(value, "name") ?? textFault(value, "message") ?? optionalText(value, "code");
}

const configTexts = [
  "model",
  "thinkingLevel",
  "instructions",
  "steeringMode",
  "followUpMode",
  "title",
] as const;

function replyFault(message: Fields): Fault {
  const { content, stopReason, usage, error } = message;
  if (!Array.isArray(content)) return ".content is not a list";
  if (typeof stopReason !== "string") return ".stopReason is not a string";
  const fault = listFault(content, replyPartFault);
  if (fault !== undefined) return `.content${fault}`;
  if (error !== undefined && !isObject(error)) return ".error is not an object";
  const usageIs = usage === undefined ? undefined : usageFault(usage);
  return usageIs && `.usage${usageIs}`;
}

function toolMessageFault(message: Fields): Fault {
  if (typeof message["isError"] !== "boolean") return ".isError is not a boolean";
  return (
    textFault(message, "toolCallId") ??
    textFault(message, "toolName") ??
    contentFault(message["content"], ".content") ??
    keptFault(message["kept"])
  );
}

function replyPartFault(part: unknown): Fault {
  if (!isObject(part)) return " is not an object";
  switch (part["type"]) {
    case "text":
    case "refusal":
      return textFault(part, "text");
    case "thinking":
      return textFault(part, "thinking");
    case "tool_call":
      return (
        textFault(part, "id") ?? textFault(part, "name") ?? optionalText(part, "malformedInput")
      );
    case "native":
      return undefined;
    default:
      return ".type is unknown";
  }
}

/** Content of a user message or of a tool result. */
function contentFault(content: unknown, name: string): Fault {
  if (typeof content === "string") return undefined;
  if (!Array.isArray(content)) return `${name} is neither a string nor a list`;
  const fault = listFault(content, contentPartFault);
  return fault && `${name}${fault}`;
}

function contentPartFault(part: unknown): Fault {
  if (!isObject(part)) return " is not an object";
  switch (part["type"]) {
    case "text":
      return textFault(part, "text");
    case "image":
    case "document":
      return (
        textFault(part, "mediaType") ??
        textFault(part, part["url"] === undefined ? "data" : "url") ??
        optionalText(part, "name")
      );
    default:
      return ".type is unknown";
  }
}

function pendingCallFault(call: unknown): Fault {
  if (!isObject(call)) return " is not an object";
  const { deadlineAt } = call;
  if (deadlineAt !== undefined && !Number.isFinite(deadlineAt))
    return ".deadlineAt is not a number";
  return (
    textFault(call, "toolCallId") ??
    textFault(call, "toolName") ??
    textFault(call, "kind") ??
    textFault(call, "hash") ??
    optionalText(call, "reason") ??
    optionalText(call, "lentBy")
  );
}

function keptFault(kept: unknown): Fault {
  if (kept === undefined) return undefined;
  if (!isObject(kept)) return ".kept is not an object";
  return typeof kept["blob"] === "string" ? undefined : ".kept.blob is not a string";
}

function chosenToolFault(tool: unknown): Fault {
  if (typeof tool === "string") return undefined;
  if (!isObject(tool)) return " is neither a string nor an object";
  return textFault(tool, "name");
}

function textFault(value: Fields, name: string): Fault {
  return typeof value[name] === "string" ? undefined : `.${name} is not a string`;
}

function optionalText(value: Fields, name: string): Fault {
  return value[name] === undefined ? undefined : textFault(value, name);
}

/** Iterates by index: a list may have holes, which are null in JSON. */
function listFault(list: unknown, faultOf: (each: unknown) => Fault): Fault {
  if (!isList(list)) return " is not a list";
  for (let i = 0; i < list.length; i += 1) {
    const fault = faultOf(list[i]);
    if (fault !== undefined) return `[${i}]${fault}`;
  }
  return undefined;
}

// `Array.isArray` would narrow to a list of `any`.
function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && !("toJSON" in value);
}
