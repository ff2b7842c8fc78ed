/** Questions of a server, and the answers that come back for them. */
import type { Answered, JsonValue, Question, ToolContent } from "@capstan/kernel";
import type { CheckedAnswer } from "../elicitation/check-answer.ts";
import { checkAnswer } from "../elicitation/check-answer.ts";
import type { McpElicitation, McpElicitationAnswer } from "../elicitation/elicitation.ts";
import { toElicitation } from "../elicitation/elicitation.ts";
import type { Asked, Responses } from "./call-state.ts";

const maxQuestions = 20;

/** Reads the requests of a server; a text if one of them cannot be asked. */
export function toAsked(
  server: string,
  tool: string,
  requests: Readonly<Record<string, unknown>>,
  toolCallId: string,
): readonly Asked[] | string {
  const asked: Asked[] = [];
  const { length } = Object.keys(requests);
  if (length > maxQuestions) return `it asks ${length} questions at once`;
  for (const [key, request] of Object.entries(requests)) {
    const { method, params } = (request ?? {}) as { readonly [field: string]: unknown };
    if (method !== "elicitation/create") {
      return `it asks for "${String(method)}", which is not supported`;
    }
    const elicitation = toElicitation(server, tool, params);
    if (typeof elicitation === "string") return elicitation;
    // The first question has the id of the call; others need ids of their own.
    const id = asked.length === 0 ? toolCallId : `${toolCallId}-${asked.length + 1}`;
    asked.push({ id, key, elicitation });
  }
  return asked;
}

/** Questions as they become pending. `problems` say why an earlier answer did not fit. */
export function toQuestions(
  asked: readonly Asked[],
  problems: ReadonlyMap<string, string> = new Map(),
): readonly Question[] {
  return asked.map(({ id, key, elicitation }) => {
    const problem = problems.get(key);
    const shown = problem === undefined ? elicitation : { ...elicitation, problem };
    // Only JSON is in it.
    return { kind: "execution", toolCallId: id, input: shown as unknown as JsonValue };
  });
}

export interface TakenAnswers {
  readonly responses: Responses;
  /** Questions to ask again. */
  readonly open: readonly Asked[];
  readonly problems: ReadonlyMap<string, string>;
}

/** Checks the answers of a run. A question without an answer is cancelled: its time is over. */
export async function takeAnswers(
  asked: readonly Asked[],
  answers: readonly Answered[],
): Promise<TakenAnswers> {
  const responses: Record<string, McpElicitationAnswer> = {};
  const open: Asked[] = [];
  const problems = new Map<string, string>();
  for (const each of asked) {
    const { id, key, elicitation } = each;
    const checked = await checkGiven(
      elicitation,
      answers.find(({ toolCallId }) => toolCallId === id),
    );
    if ("answer" in checked) responses[key] = checked.answer;
    else {
      open.push(each);
      problems.set(key, checked.problem);
    }
  }
  return { responses, open, problems };
}

async function checkGiven(
  elicitation: McpElicitation,
  given: Answered | undefined,
): Promise<CheckedAnswer> {
  if (given === undefined) return { answer: { action: "cancel" } };
  if (given.state === "approved") return checkAnswer(elicitation, { action: "accept" });
  if (given.state === "denied" || given.result.isDenied === true) {
    return { answer: { action: "decline" } };
  }
  const { isError, output, details } = given.result;
  if (isError) return { answer: { action: "cancel" } };
  const read = readAnswer(elicitation, details ?? parsed(output), output);
  return read === undefined
    ? { problem: "Answer with a JSON object that fits the form." }
    : checkAnswer(elicitation, read);
}

/**
 * Takes `{ action, content }` as the protocol has it, the content alone, or for a form of one text field the text alone. Undefined for
 * anything else.
 */
function readAnswer(
  elicitation: McpElicitation,
  value: JsonValue | undefined,
  output: ToolContent,
): McpElicitationAnswer | undefined {
  if (elicitation.mode === "url") return actionOf(value) ?? { action: "accept" };
  if (isObject(value)) return actionOf(value) ?? { action: "accept", content: value };
  const field = onlyTextField(elicitation);
  if (field === undefined || typeof output !== "string") return undefined;
  return { action: "accept", content: { [field]: output } };
}

function actionOf(value: JsonValue | undefined): McpElicitationAnswer | undefined {
  if (!isObject(value)) return undefined;
  const { action, content } = value;
  if (action === "decline" || action === "cancel") return { action };
  if (action !== "accept") return undefined;
  return isObject(content) ? { action, content } : { action };
}

function parsed(output: ToolContent): JsonValue | undefined {
  const [part] = typeof output === "string" ? [output] : output;
  const text = typeof part === "string" ? part : part?.type === "text" ? part.text : "";
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // A text that is no JSON may still be the answer to a form of one field.
    return undefined;
  }
}

function onlyTextField({ schema }: Extract<McpElicitation, { mode: "form" }>): string | undefined {
  const { properties } = schema as { readonly properties?: Readonly<Record<string, unknown>> };
  const [only, ...others] = Object.entries(properties ?? {});
  const { type } = (only?.[1] ?? {}) as { readonly type?: unknown };
  return others.length === 0 && type === "string" ? only?.[0] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, JsonValue>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
