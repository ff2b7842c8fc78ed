/** Records which project files the user trusts, by folder and content hash, in a file of the user. */
import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { replaceFile, whileLocked } from "./locked-file.ts";
import { isSystemError, readTextFile } from "./read-file.ts";

export interface TrustState {
  readonly state: "trusted" | "changed" | "unknown";
  /** Why the state is unknown, in one sentence. Nothing is trusted then. */
  readonly problem?: string;
}

const schema = z.strictObject({
  /** Maps the real path of a folder to the hash of the trusted file. */
  folders: z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/)),
});

type Trusted = Readonly<Record<string, string>>;

const maxBytes = 4_000_000;

export function trustFile(dataFolder: string): string {
  return join(dataFolder, "trusted.json");
}

export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export async function lookUpTrust(
  dataFolder: string,
  folder: string,
  hash: string,
): Promise<TrustState> {
  const read = await readTrusted(trustFile(dataFolder));
  if (typeof read === "string") return { state: "unknown", problem: read };
  if (!Object.hasOwn(read, folder)) return { state: "unknown" };
  return { state: read[folder] === hash ? "trusted" : "changed" };
}

/** Returns the reason if the file could not be written, in one sentence. Keeps entries that other processes add in the meantime. */
export async function rememberTrust(
  dataFolder: string,
  folder: string,
  hash: string,
): Promise<string | undefined> {
  const path = trustFile(dataFolder);
  try {
    return await whileLocked(path, async () => {
      const before = await readTrusted(path);
      if (typeof before === "string") return before;
      await replaceFile(
        path,
        `${JSON.stringify({ folders: { ...before, [folder]: hash } }, null, 2)}\n`,
      );
      return undefined;
    });
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return `${path} cannot be written (${thrown.code ?? thrown.message})`;
  }
}

/** Returns a string, the reason, if the file cannot be used. */
async function readTrusted(path: string): Promise<Trusted | string> {
  const read = await readTextFile(path, maxBytes);
  if (read.type === "absent") return {};
  if (read.type === "problem") return `${path} ${read.reason}`;
  if (read.isCut) return `${path} is larger than ${maxBytes} bytes`;
  // A user who can write to the file could grant trust on this user's behalf.
  if (process.platform !== "win32" && ((await stat(path)).mode & 0o022) !== 0) {
    return `${path} is writable by other users: run chmod 600 on it`;
  }
  const parsed = schema.safeParse(parseJson(read.text));
  return parsed.success ? parsed.data.folders : `${path} is damaged: repair or remove it`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Undefined does not match the schema.
    return undefined;
  }
}
