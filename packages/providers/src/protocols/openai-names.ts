/** Tool names, as OpenAI and compatible servers accept them. */

/** The model may have called a tool that does not exist, under a name the vendor rejects. */
export function toWireName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "_";
}
