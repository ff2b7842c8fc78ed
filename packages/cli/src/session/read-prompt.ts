/** Reads the prompt, and piped input. */
import type { UserPart } from "@capstan/kernel";
import type { Io } from "../process/io.ts";
import type { Note } from "../print/notes.ts";
import { failed, wrongUse } from "../errors/command-error.ts";

const maxBytes = 10_000_000;
/** How long to wait for the first byte of a socket if there is a prompt: a parent process may have left it open by accident. */
const firstByteMs = 1_000;
/** After this time, tell the user what the command is waiting for. */
const longMs = 3_000;

/** Undefined if there is neither. Throws a `CommandError` if the input is not text, or too large. */
export async function readPrompt(
  io: Pick<Io, "stdin" | "clock" | "signal">,
  prompt: string | undefined,
  note: Note,
): Promise<string | readonly UserPart[] | undefined> {
  const piped = toText(await readAll(io, prompt !== undefined, note));
  if (piped.trim() === "") return prompt;
  if (prompt === undefined) return piped;
  return [
    { type: "text", text: prompt },
    { type: "text", text: `<stdin>\n${piped.replace(/\n$/, "")}\n</stdin>` },
  ];
}

async function readAll(
  { stdin, clock, signal }: Pick<Io, "stdin" | "clock" | "signal">,
  hasPrompt: boolean,
  note: Note,
): Promise<Uint8Array> {
  if (stdin.kind === "none") return new Uint8Array();
  const chunks: Uint8Array[] = [];
  const isImpatient = hasPrompt && stdin.kind === "socket";
  const cancelNote = clock.timer(longMs, () =>
    note("reading stdin until it ends; to start without it, add < /dev/null"),
  );
  const gaveUp = Promise.withResolvers<"gave up">();
  signal.addEventListener("abort", () => gaveUp.resolve("gave up"), { once: true });
  const cancelWait = isImpatient
    ? clock.timer(firstByteMs, () => gaveUp.resolve("gave up"))
    : () => {};
  try {
    const iterator = stdin.read()[Symbol.asyncIterator]();
    for (let size = 0; ;) {
      const next = await Promise.race([iterator.next(), gaveUp.promise]);
      if (next === "gave up") {
        if (signal.aborted) throw failed("Interrupted while reading stdin.");
        note("no input on stdin: continuing with the prompt alone");
        break;
      }
      cancelWait();
      if (next.done === true) break;
      size += next.value.byteLength;
      if (size > maxBytes) throw tooMuch();
      chunks.push(next.value);
    }
  } finally {
    cancelWait();
    cancelNote();
  }
  return Buffer.concat(chunks);
}

function toText(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // Reported below, like the other kind of invalid text.
  }
  throw wrongUse("Piped input is not UTF-8 text: name the file in the prompt instead.");
}

function tooMuch(): Error {
  return wrongUse(
    `Piped input exceeds ${maxBytes / 1_000_000} MB: write it to a file, and name the file in the prompt.`,
  );
}
