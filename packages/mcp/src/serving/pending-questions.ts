/** Calls that wait in a session, as elicitations for the client's user, and the user's answers. */
import type { Answer, PendingCall } from "@capstan/core";
import type { JsonValue } from "@capstan/kernel";

/** A request that a client fulfils, as the protocol embeds it. */
export interface InputRequest {
  readonly method: "elicitation/create";
  readonly params: Readonly<Record<string, unknown>>;
}

/** Forms of questions that a client can show. */
export interface AskableModes {
  readonly form: boolean;
  readonly url: boolean;
}

type Fields = Readonly<Record<string, JsonValue>>;

const maxShownChars = 20_000;

/** Undefined if the client cannot show the question. */
export function toInputRequest(
  call: PendingCall,
  modes: AskableModes,
  problem?: string,
): InputRequest | undefined {
  const { mode, message, url, schema } = elicitationOf(call) ?? {};
  if (mode === "url") {
    if (!modes.url) return undefined;
    return { method: "elicitation/create", params: { mode, message, url } };
  }
  // An approval is for the whole input, so all of it must be shown.
  if (!modes.form || (call.kind === "approval" && shown(call.input).length > maxShownChars)) {
    return undefined;
  }
  const question = mode === "form" && typeof message === "string" ? message : describeCall(call);
  const text = problem === undefined ? question : `${question}\n${problem}`;
  const requestedSchema =
    mode === "form" ? schema : call.kind === "approval" ? approvalForm : answerForm;
  return { method: "elicitation/create", params: { mode: "form", message: text, requestedSchema } };
}

/** One line for each call, for a client that cannot ask. */
export function describeCall(call: PendingCall): string {
  const { toolName, kind, input, reason } = call;
  const { message } = elicitationOf(call) ?? {};
  if (typeof message === "string") return `${toolName} asks: ${message}`;
  const why = reason === undefined ? "" : ` (${reason})`;
  const given = shown(input);
  const cut = given.length > maxShownChars ? `${given.slice(0, maxShownChars)}…` : given;
  return kind === "approval"
    ? `Allow the agent to run ${toolName} with this input?${why}\n${cut}`
    : `${toolName} waits for an answer to this${why}:\n${cut}`;
}

/** The answer for a call; a problem if the response does not fit, which the user is shown. */
export function toAnswer(
  call: PendingCall,
  response: unknown,
): { readonly answer: Answer } | { readonly problem: string } {
  const { toolCallId, hash, kind } = call;
  const { action, content } = fieldsOf(response);
  if (action !== "accept" && action !== "decline" && action !== "cancel") {
    return { problem: "The answer must have the action accept, decline or cancel." };
  }
  const given = fieldsOf(content);
  if (elicitationOf(call) !== undefined) {
    // The tool that asked checks it, and asks again if it does not fit.
    const output = JSON.stringify(action === "accept" ? { action, content: given } : { action });
    return { answer: { toolCallId, output } };
  }
  if (action !== "accept") return { answer: toRefusal(call, refusals[action]) };
  if (kind === "approval") {
    const { approve: isApproved, reason } = given;
    if (typeof isApproved !== "boolean") return { problem: "`approve` must be true or false." };
    const why = typeof reason === "string" && reason !== "" ? { reason } : {};
    return { answer: { toolCallId, hash, approved: isApproved, ...(!isApproved && why) } };
  }
  const { answer } = given;
  if (typeof answer !== "string") return { problem: "`answer` must be a text." };
  return { answer: { toolCallId, output: answer } };
}

/** The answer for a call that is not allowed, or not answered; the model reads the reason. */
export function toRefusal({ kind, toolCallId, hash }: PendingCall, reason: string): Answer {
  return kind === "approval"
    ? { toolCallId, hash, approved: false, reason }
    : { toolCallId, isError: true, output: reason };
}

const refusals = {
  decline: "The user declined.",
  cancel: "The user closed the question without an answer.",
};

const approvalForm = {
  type: "object",
  properties: {
    approve: { type: "boolean", title: "Allow", description: "Allow exactly this call" },
    reason: { type: "string", title: "Reason", description: "For the agent, if you refuse" },
  },
  required: ["approve"],
};

const answerForm = {
  type: "object",
  properties: { answer: { type: "string", title: "Answer" } },
  required: ["answer"],
};

/** The question of an MCP server that the agent itself uses, or of a tool that asks in the same form. */
function elicitationOf({ kind, input }: PendingCall): Fields | undefined {
  if (kind !== "execution") return undefined;
  const fields = fieldsOf(input);
  const { mode, message, schema, url } = fields;
  if (typeof message !== "string") return undefined;
  const isForm = mode === "form" && typeof schema === "object" && schema !== null;
  return isForm || (mode === "url" && typeof url === "string") ? fields : undefined;
}

function shown(input: JsonValue): string {
  return JSON.stringify(input, undefined, 2);
}

function fieldsOf(value: unknown): Fields {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  // It comes from JSON.
  return isObject ? (value as Fields) : {};
}
