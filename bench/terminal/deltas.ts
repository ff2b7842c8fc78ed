/** An answer with paragraphs, lists and code, in words. */

const deltasPerSecond = 2_000;

const section = `The harbour was built when the river was still deep enough for ships, and most of what stands there today is younger than the town remembers. People who work there say that the cranes are the only thing that never changes, because nobody has asked them to.

- The first warehouse keeps **tools** and what is left of the \`winter\` supplies.
- The second one is empty, and its doors are open for those who want to look.

\`\`\`ts
export function depthAt(place: Place, at: Date): number {
  return place.depth - tideAt(at) * place.slope;
}
\`\`\`

`;
const words = section.match(/\S+\s*/g) ?? [];

export function deltasOf(seconds: number): readonly string[] {
  const count = seconds * deltasPerSecond;
  return Array.from({ length: count }, (_, index) => words[index % words.length] ?? "");
}
