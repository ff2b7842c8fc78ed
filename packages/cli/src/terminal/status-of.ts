/** Collects the facts for the line below the prompt. */
import type { Usage } from "@capstan/kernel";
import type { Io } from "../process/io.ts";
import { shortPath } from "./render/short-path.ts";
import type { Status } from "./render/status-line.ts";
import type { Work } from "./work.ts";
import { windowOf } from "./work.ts";

/** Before the session is open, the folder is that of the command. */
export function statusOf(
  work: Work | undefined,
  { home, cwd }: Pick<Io, "home" | "cwd">,
  { last, hint }: { readonly last: Usage | undefined; readonly hint: string | undefined },
): Status {
  const session = work?.session;
  const chosen = work?.model.chosen;
  return {
    model: chosen?.name ?? "looking for a model …",
    folder: shortPath(work?.folder.cwd ?? cwd, home),
    contextWindow: chosen === undefined ? undefined : windowOf(chosen.model),
    last,
    total: session?.usage ?? {},
    cost: session?.totalCost,
    queued: session?.queued.length ?? 0,
    hint,
  };
}
