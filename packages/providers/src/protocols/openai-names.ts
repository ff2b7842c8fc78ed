/** Names of tools, as OpenAI and its like take them. */

/** A model may have called a tool that never was. */
export function toWireName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "_";
}
