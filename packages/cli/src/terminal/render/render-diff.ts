/** Lines of a unified diff, in colours. */
import type { Typesetter } from "../screen/contracts.ts";
import { safeText } from "./safe-text.ts";
import type { Theme } from "./theme.ts";

/** Returns at most `max` lines, and a line that counts the others. The first two lines of the diff, which name the file, are left out. */
export function renderDiff(
  diff: string,
  width: number,
  max: number,
  { theme, typesetter }: { readonly theme: Theme; readonly typesetter: Typesetter },
): readonly string[] {
  const lines = safeText(diff).replace(/\n$/, "").split("\n");
  const body = lines[0]?.startsWith("--- ") === true ? lines.slice(2) : lines;
  const shown = body.slice(0, max).map((line) => {
    const cut = typesetter.cut(line, width);
    if (line.startsWith("+")) return theme.added(cut);
    if (line.startsWith("-")) return theme.removed(cut);
    return theme.dim(cut);
  });
  const left = body.length - shown.length;
  return left > 0 ? [...shown, theme.dim(`… ${left} more lines`)] : shown;
}
