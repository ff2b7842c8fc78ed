/** Text that cannot move the cursor or change colours. */
import { toPrintable } from "../../print/terminal-text.ts";

/** Tabs become spaces: their width depends on the column. */
export function safeText(text: string): string {
  return toPrintable(text.replaceAll("\r\n", "\n").replaceAll("\r", "\n").replaceAll("\t", "    "));
}
