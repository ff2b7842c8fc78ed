/** Keeps media that no provider accepts out of a conversation: once recorded, it would spoil every later request. */
import type { DocumentPart, ImagePart, ToolContentPart } from "../contracts/conversation.ts";
import type { LoopContext } from "../contracts/loop.ts";
import type { ToolResult } from "../contracts/tool.ts";
import { serializeError } from "../errors/errors.ts";
import { isPromise } from "../effects/is-promise.ts";
import { observe } from "../effects/quietly.ts";

/** Returns the result with a text in place of each part that must not enter the conversation. */
export function admitMedia({ checkMedia }: LoopContext, result: ToolResult): ToolResult {
  const { output } = result;
  if (checkMedia === undefined || typeof output === "string") return result;
  const admitted = output.map((part) => (part.type === "text" ? part : admit(part, checkMedia)));
  return admitted.every((part, index) => part === output[index])
    ? result
    : { ...result, output: admitted };
}

function admit(
  part: ImagePart | DocumentPart,
  check: NonNullable<LoopContext["checkMedia"]>,
): ToolContentPart {
  const problem = problemOf(part, check);
  if (problem === undefined) return part;
  return { type: "text", text: `(The ${part.type} was left out: ${problem})` };
}

/** A part that cannot be checked is rejected. */
function problemOf(
  part: ImagePart | DocumentPart,
  check: NonNullable<LoopContext["checkMedia"]>,
): string | undefined {
  try {
    const problem: unknown = check(part);
    if (problem === undefined || typeof problem === "string") return problem;
    if (isPromise(problem)) observe(problem);
    return "it could not be checked";
  } catch (thrown) {
    return serializeError(thrown).message;
  }
}
