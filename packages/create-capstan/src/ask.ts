/** Asks in a terminal for what the command line does not say. */
import { createInterface } from "node:readline/promises";
import type { Interface } from "node:readline/promises";
import { projectName } from "./create-project.ts";
import { findTemplate, templates } from "./templates.ts";
import type { Template } from "./templates.ts";

/** Streams of a terminal. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** Choice of the user. */
interface Choice {
  readonly folder: string;
  readonly template: Template;
}

/** Asks for the folder and the template, as far as they are not known, until the answers are valid. */
export async function ask(
  terminal: Terminal,
  known: { readonly folder: string | undefined; readonly template: string | undefined },
): Promise<Choice> {
  const lines = createInterface(terminal);
  const ended = new Promise<never>((_, reject) => {
    lines.once("close", () => reject(new Error("Nothing was created: the input ended.")));
  });
  try {
    return await Promise.race([ended, askAll(lines, terminal, known)]);
  } finally {
    lines.close();
  }
}

async function askAll(
  lines: Interface,
  { output }: Terminal,
  {
    folder,
    template,
  }: { readonly folder: string | undefined; readonly template: string | undefined },
): Promise<Choice> {
  const chosenFolder =
    folder ??
    (await repeat(output, async () => {
      const answer = (await lines.question("Folder (my-agent): ")).trim() || "my-agent";
      projectName(answer);
      return answer;
    }));
  if (template !== undefined) return { folder: chosenFolder, template: findTemplate(template) };
  const list = templates.map(({ name, summary }, index) => `  ${index + 1}. ${name}: ${summary}\n`);
  output.write(`Templates:\n${list.join("")}`);
  const chosen = await repeat(output, async () => {
    const answer = (await lines.question("Template (1): ")).trim() || "1";
    return templates[Number(answer) - 1] ?? findTemplate(answer);
  });
  return { folder: chosenFolder, template: chosen };
}

/** Asks again as long as the answer is refused. */
async function repeat<T>(output: NodeJS.WritableStream, once: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await once();
    } catch (thrown) {
      output.write(`${(thrown as Error).message}\n`);
    }
  }
}
