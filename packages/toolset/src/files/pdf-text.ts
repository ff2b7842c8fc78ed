/** Text of PDF files. The library runs in a thread of its own: a file that takes too long or too much memory ends the thread only. */
import { once } from "node:events";
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { z } from "zod";
import { FileError } from "./file-error.ts";

export const maxPdfBytes = 50_000_000;
const maxMs = 30_000;
const maxMemoryMb = 512;

const require = createRequire(import.meta.url);

const script = `
const { parentPort, workerData } = require("node:worker_threads");
const { extractText, getDocumentProxy } = require(workerData.library);
getDocumentProxy(workerData.bytes, { verbosity: 0 })
  .then((file) => extractText(file, { mergePages: false }))
  .then(({ text }) => parentPort.postMessage({ pages: text }))
  .catch((error) => parentPort.postMessage({ problem: String(error?.message ?? error) }));
`;

const answer = z.union([
  z.object({ pages: z.array(z.string()) }),
  z.object({ problem: z.string() }),
]);

/** Returns the text of each page. Takes over `bytes`. Throws `FileError` `unreadable`, or the reason of an abort. */
export async function pagesOfPdf(
  bytes: Uint8Array<ArrayBuffer>,
  path: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  signal.throwIfAborted();
  const worker = new Worker(script, {
    eval: true,
    env: {},
    execArgv: [],
    // The library prints warnings, which are not for this process.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
    workerData: { library: require.resolve("unpdf"), bytes },
    transferList: [bytes.buffer],
  });
  const timeout = AbortSignal.timeout(maxMs);
  try {
    const [message] = await once(worker, "message", {
      signal: AbortSignal.any([signal, timeout]),
    });
    const found = answer.parse(message);
    if ("pages" in found) return found.pages;
    throw unreadable(path, found.problem);
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof FileError) throw thrown;
    if (timeout.aborted) throw unreadable(path, `it takes longer than ${maxMs / 1000} s`, thrown);
    throw unreadable(path, thrown instanceof Error ? thrown.message : String(thrown), thrown);
  } finally {
    await worker.terminate();
  }
}

function unreadable(path: string, problem: string, cause?: unknown): FileError {
  return new FileError("unreadable", `${path} cannot be read as a PDF: ${problem}`, { cause });
}

/** Pages as one text with a line before each. Undefined if no page has text. */
export function textOfPages(pages: readonly string[]): string | undefined {
  if (pages.every((page) => page.trim() === "")) return undefined;
  return pages
    .map((page, index) => `[page ${index + 1} of ${pages.length}]\n${page.trimEnd()}\n`)
    .join("")
    .replaceAll("\0", "");
}
