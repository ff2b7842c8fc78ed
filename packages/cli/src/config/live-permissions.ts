/** The rules as they are now: files are read again once they have changed, so that a rule holds from the next call on. */
import { stat } from "node:fs/promises";
import type { Permissions } from "./settings.ts";

export interface LiveSources {
  /** Files whose change may change the rules. */
  readonly files: readonly string[];
  /** Loads the rules of all layers but the session's. */
  readonly load: () => Promise<Permissions>;
  /** Rules of one session. */
  readonly ofSession: (sessionId: string) => Permissions;
  /** Gets the reason if the rules cannot be loaded, once for each change. The last valid rules stay. */
  readonly onProblem: (thrown: unknown) => void;
}

export class LivePermissions {
  readonly #sources: LiveSources;
  #permissions: Permissions;
  #signature: string | undefined;
  #refreshing: Promise<void> | undefined;

  constructor(initial: Permissions, sources: LiveSources) {
    this.#permissions = initial;
    this.#sources = sources;
  }

  /** Rules of all layers, as they were last read; those of the session are read each time. */
  current(sessionId?: string): Permissions {
    const below = this.#permissions;
    if (sessionId === undefined) return below;
    const own = this.#sources.ofSession(sessionId);
    return {
      allow: [...below.allow, ...own.allow],
      ask: [...below.ask, ...own.ask],
      deny: [...below.deny, ...own.deny],
    };
  }

  /** Never rejects. Callers at the same time share one look at the files. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #refresh(): Promise<void> {
    const { files, load, onProblem } = this.#sources;
    const signature = (await Promise.all(files.map(signatureOf))).join("\n");
    if (signature === this.#signature) return;
    try {
      this.#permissions = await load();
    } catch (thrown) {
      onProblem(thrown);
    }
    this.#signature = signature;
  }
}

/** Changes with the file's content, as far as the file system tells. */
async function signatureOf(path: string): Promise<string> {
  try {
    const { mtimeNs, ctimeNs, size, ino } = await stat(path, { bigint: true });
    return [mtimeNs, ctimeNs, size, ino].join(":");
  } catch {
    // Missing or not accessible: the same until it is there.
    return "none";
  }
}
