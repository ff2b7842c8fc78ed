/** Reads the facts that instructions are made from, as they are now. */
import { readInstructions } from "../config/instructions.ts";
import type { Io } from "../process/io.ts";
import type { Folder } from "./load-folder.ts";
import type { InstructionFacts } from "./instructions.ts";
import { describeSandbox } from "./sandbox.ts";

export async function readFacts(
  { platform, clock }: Pick<Io, "platform" | "clock">,
  { cwd, config: { projectFolder, userFolder: user, settings } }: Folder,
): Promise<InstructionFacts> {
  const { files } = await readInstructions({ user, project: projectFolder, cwd });
  const sandbox = describeSandbox(settings);
  return { cwd, projectFolder, platform, now: clock.now(), files, sandbox };
}
