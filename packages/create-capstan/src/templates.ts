/** The templates: one for each way to start. */

/** A project that can be created. */
export interface Template {
  /** Name of its folder in `templates`. */
  readonly name: string;
  readonly summary: string;
}

/** Templates in the order in which they are offered. */
export const templates: readonly Template[] = [
  { name: "script", summary: "an agent with a tool, asked from the command line" },
  { name: "server", summary: "an agent over HTTP, with sessions in SQLite" },
  { name: "web-chat", summary: "a chat page and its server, without a bundler" },
  { name: "worker", summary: "workers that share durable sessions in PostgreSQL" },
];

/** Returns the template of this name. Throws if there is none. */
export function findTemplate(name: string): Template {
  const found = templates.find((template) => template.name === name);
  if (found !== undefined) return found;
  const names = templates.map((template) => template.name).join(", ");
  throw new Error(`Unknown template "${name}". Templates: ${names}.`);
}
