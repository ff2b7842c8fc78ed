import { expect, test } from "vitest";
import { readExplanation, readText } from "../../src/transport/read-text.ts";

const encoder = new TextEncoder();

/** A body of these pieces that then ends, breaks, or says nothing more; with word of its cancellation. */
function bodyOf(
  pieces: readonly string[],
  then: "ends" | "breaks" | "hangs",
): { readonly body: ReadableStream<Uint8Array>; readonly wasCancelled: () => boolean } {
  let isCancelled = false;
  const rest = pieces.map((piece) => encoder.encode(piece));
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = rest.shift();
      if (piece !== undefined) return controller.enqueue(piece);
      if (then === "ends") return controller.close();
      if (then === "breaks") return controller.error(new Error("broken"));
      return new Promise(() => {});
    },
    cancel() {
      isCancelled = true;
    },
  });
  return { body, wasCancelled: () => isCancelled };
}

test("a text is read to its end", async () => {
  const { body, wasCancelled } = bodyOf(["für ", "5 €"], "ends");

  expect(await readText(body, 100)).toBe("für 5 €");
  expect(wasCancelled()).toBe(false);
});

test("a text is read no further than its limit", async () => {
  const { body, wasCancelled } = bodyOf(["abc", "def", "ghi"], "hangs");

  expect(await readText(body, 5)).toBe("abcde");
  expect(wasCancelled()).toBe(true);
});

test("a text that breaks off is an error", async () => {
  await expect(readText(bodyOf(["abc"], "breaks").body, 100)).rejects.toThrow("broken");
});

test("an answer without a body has no text", async () => {
  expect(await readText(null, 100)).toBe("");
  expect(await readExplanation(null, 100, 1)).toBe("");
});

test("an explanation that breaks off is taken as far as it came", async () => {
  expect(await readExplanation(bodyOf(["abc"], "breaks").body, 100, 60_000)).toBe("abc");
});

test("an explanation that does not end is taken as far as it came in time", async () => {
  const { body, wasCancelled } = bodyOf(["abc"], "hangs");

  expect(await readExplanation(body, 100, 1)).toBe("abc");
  expect(wasCancelled()).toBe(true);
});
