/** Tells whether commands of a script get an input. */
import type { Redirection, ScriptNode } from "./script.ts";

/** True if any command of the script may get the output of another one, or a text, as its input. */
export function hasInput(node: ScriptNode): boolean {
  switch (node.type) {
    case "simple":
      return node.redirections.some(isInput);
    case "and":
    case "or":
    case "then":
      return hasInput(node.first) || hasInput(node.second);
    case "not":
      return hasInput(node.inner);
    case "redirected":
      return node.redirections.some(isInput) || hasInput(node.inner);
    case "apart":
      return node.parts.length > 1 || node.parts.some(hasInput);
    case "loop":
      return node.parts.some(hasInput);
    case "test":
      return false;
    case "expanded":
      return node.substitutions.some(hasInput) || hasInput(node.inner);
    case "if":
      return [node.condition, node.body, node.otherwise].some(
        (part) => part !== undefined && hasInput(part),
      );
    default:
      return node satisfies never;
  }
}

function isInput({ type }: Redirection): boolean {
  return type === "read" || type === "text";
}
