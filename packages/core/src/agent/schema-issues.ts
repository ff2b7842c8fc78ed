/** Issues that a schema found, as one text. */
import type { InputIssue } from "@capstan/kernel";

export function describeIssues(issues: readonly InputIssue[]): string {
  return issues.map(describe).join("; ");
}

function describe({ message, path = [] }: InputIssue): string {
  const keys = path.map((key) => String(typeof key === "object" ? key.key : key));
  return keys.length === 0 ? message : `${keys.join(".")}: ${message}`;
}
