/** Logins in one file that only its owner can read. */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, unlink } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { serializeError } from "@capstan/kernel";
import { McpError } from "../errors/mcp-error.ts";
import { withLock } from "./file-lock.ts";
import type { LoginFile } from "./login-file.ts";
import { parseLogins } from "./login-file.ts";
import type { StoredLogin, TokenStore } from "./token-store.ts";

/** Longer than a refresh may take. */
const loginLockMs = 60_000;
const fileLockMs = 10_000;

/**
 * Keeps logins in one file with mode 0600. Default path: `mcp-logins.json` in the data folder of Capstan. A file that cannot be read is an
 * `McpError` with the code `token_store`, and is never overwritten.
 */
export function fileTokenStore(path: string = defaultPath(process.env)): TokenStore {
  return new FileTokenStore(path);
}

class FileTokenStore implements TokenStore {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async load(key: string): Promise<StoredLogin | undefined> {
    return (await this.#read()).get(key);
  }

  list(): Promise<ReadonlyMap<string, StoredLogin>> {
    return this.#read();
  }

  async update(
    key: string,
    change: (current: StoredLogin | undefined) => Promise<StoredLogin | undefined>,
  ): Promise<StoredLogin | undefined> {
    await this.#try("written", () => mkdir(dirname(this.#path), { recursive: true, mode: 0o700 }));
    const id = createHash("sha256").update(key).digest("hex").slice(0, 16);
    // A slow authorization server must not keep the logins at others waiting.
    return this.#locked(`${this.#path}.${id}.lock`, loginLockMs, async () => {
      const current = await this.load(key);
      const next = await change(current);
      if (next !== current) await this.#set(key, next);
      return next;
    });
  }

  #set(key: string, login: StoredLogin | undefined): Promise<void> {
    return this.#locked(`${this.#path}.lock`, fileLockMs, async () => {
      const logins = new Map(await this.#read());
      if (login === undefined) logins.delete(key);
      else logins.set(key, login);
      const file: LoginFile = { version: 2, logins: Object.fromEntries(logins) };
      await this.#try("written", () => replace(this.#path, `${JSON.stringify(file, null, 2)}\n`));
    });
  }

  async #read(): Promise<ReadonlyMap<string, StoredLogin>> {
    const text = await this.#try("read", () => readIfThere(this.#path));
    if (text === undefined) return new Map();
    const logins = parseLogins(text);
    if (typeof logins === "string") throw this.#broken("read", logins);
    return logins;
  }

  /** Errors of the work pass as they are; those of the lock are errors of the store. */
  async #locked<T>(lock: string, waitMs: number, work: () => Promise<T>): Promise<T> {
    let outcome: { readonly value: T } | { readonly error: unknown } | undefined;
    await this.#try("locked", () =>
      withLock(lock, waitMs, async () => {
        outcome = await work().then(
          (value) => ({ value }),
          (error: unknown) => ({ error }),
        );
      }),
    );
    const done = outcome as unknown as { readonly value: T } | { readonly error: unknown };
    if ("error" in done) throw done.error;
    return done.value;
  }

  async #try<T>(verb: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      throw this.#broken(verb, serializeError(thrown).message, thrown);
    }
  }

  #broken(verb: string, problem: string, cause?: unknown): McpError {
    const text = `The file of MCP logins ${this.#path} cannot be ${verb}: ${problem}`;
    return new McpError("token_store", "", text, { cause });
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (thrown) {
    if ((thrown as { readonly code?: unknown }).code === "ENOENT") return undefined;
    throw thrown;
  }
}

/** Replaces the file in one step: a reader sees the old one or the new one. */
async function replace(path: string, text: string): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}-${randomUUID()}.tmp`);
  try {
    const handle = await open(temporary, "wx", 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (thrown) {
    // The first failure is the one to report.
    await unlink(temporary).catch(() => {});
    throw thrown;
  }
}

/** The data folder of the command line, by the same rules. */
function defaultPath(env: NodeJS.ProcessEnv): string {
  const own = env["CAPSTAN_DATA"];
  if (own) return join(resolve(own), "mcp-logins.json");
  const windows = process.platform === "win32" ? absolute(env["LOCALAPPDATA"]) : undefined;
  const shared = absolute(env["XDG_DATA_HOME"]) ?? join(homedir(), ".local", "share");
  return join(windows ?? shared, "capstan", "mcp-logins.json");
}

function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}
