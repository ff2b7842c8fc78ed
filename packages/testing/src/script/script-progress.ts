/** Reports how far a script has been played. */
import { isFragment } from "./play-reply.ts";
import type { ScriptItem } from "./script-item.ts";

/** Throws if an item was not used, or if there were more calls than items. The message names the owner. */
export function assertScriptUsed(
  owner: string,
  script: readonly ScriptItem[],
  calls: number,
): void {
  const problems = [
    ...script
      .slice(calls)
      .map((item, at) => `item ${calls + at + 1} was not used: ${describe(item)}`),
    ...Array.from({ length: Math.max(0, calls - script.length) }, (_, at) =>
      beyondTheEnd(script.length + at + 1, script),
    ),
  ];
  if (problems.length === 0) return;
  throw new Error(`The script of ${owner} is not complete:\n- ${problems.join("\n- ")}`);
}

export function beyondTheEnd(call: number, script: readonly ScriptItem[]): string {
  return `call ${call} came after the end of the script, which has ${script.length} item(s)`;
}

function describe(item: ScriptItem): string {
  if (typeof item === "function") return item.name === "" ? "(request) => …" : item.name;
  if (isFragment(item)) return item.label;
  return `[${item.map(describe).join(", ")}]`;
}
