/** Keeps media that no provider takes out of a conversation: once recorded, it would spoil every later request. */
import type { DocumentPart, ImagePart, ToolContentPart } from "../contracts/conversation.ts";
import type { LoopContext } from "../contracts/loop.ts";
import type { ToolResult } from "../contracts/tool.ts";
import { serializeError } from "../errors/errors.ts";
import { isPromise } from "../effects/is-promise.ts";
import { observe } from "../effects/quietly.ts";

/** The result, with words in the place of what must not be part of the conversation. */
export function admitMedia({ checkMedia }: LoopContext, result: ToolResult): ToolResult {
  const { output } = result;
  if (checkMedia === undefined || typeof output === "string") return result;
  const admitted = output.map((part) => (part.type === "text" ? part : admit(part, checkMedia)));
  return admitted.every((part, place) => part === output[place])
    ? result
    : { ...result, output: admitted };
}

function admit(
  part: ImagePart | DocumentPart,
  check: NonNullable<LoopContext["checkMedia"]>,
): ToolContentPart {
  const problem = problemOf(part, check);
  if (problem === undefined) return part;
  return { type: "text", text: `(The ${part.type} is left out: ${problem})` };
}

/** What cannot be checked is not let in. */
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
