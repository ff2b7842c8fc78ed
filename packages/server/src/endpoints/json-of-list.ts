/** Serializes a list to JSON in chunks, and yields to other work between them. */

/** Characters per chunk, unless a single item has more. */
const pieceChars = 256_000;

export async function jsonOfList(items: readonly object[]): Promise<string> {
  const texts: string[] = [];
  let chars = 0;
  for (const item of items) {
    const text = JSON.stringify(item);
    texts.push(text);
    chars += text.length;
    if (chars < pieceChars) continue;
    chars = 0;
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 0);
    });
  }
  return `[${texts.join(",")}]`;
}
