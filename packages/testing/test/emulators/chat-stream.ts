/** A neutral client for streams of all dialects: it takes each field literally. */

interface CallPiece {
  readonly index?: number;
  readonly id?: string;
  readonly function: { readonly name?: string; readonly arguments: string };
}

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: readonly { readonly type: string; readonly text: string }[];
  readonly closed?: boolean;
}

interface Detail {
  readonly index: number;
  readonly text?: string;
  readonly signature?: string;
}

interface Delta {
  readonly content?: string | readonly Part[] | null;
  readonly refusal?: string | null;
  readonly reasoning?: string | null;
  readonly reasoning_content?: string | null;
  readonly reasoning_details?: readonly Detail[];
  readonly tool_calls?: readonly CallPiece[];
}

export interface ChatMessageBody {
  readonly role: string;
  readonly tool_calls?: readonly { readonly id: string }[];
}

/** The message that the chunks of a stream make up. */
export function assembleChat(stream: string): ChatMessageBody {
  const deltas = stream
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice(6)) as { choices: readonly { delta: Delta }[] })
    .flatMap(({ choices }) => choices.map(({ delta }) => delta));
  /** Undefined where no chunk has such a field. */
  const join = (key: "refusal" | "reasoning" | "reasoning_content"): string | undefined => {
    const said = deltas.map((delta) => delta[key]).filter((piece) => typeof piece === "string");
    return said.length === 0 ? undefined : said.join("");
  };
  const fields = {
    refusal: join("refusal"),
    reasoning: join("reasoning"),
    reasoning_content: join("reasoning_content"),
  };
  const calls = callsOf(deltas.flatMap((delta) => delta.tool_calls ?? []));
  const details = detailsOf(deltas.flatMap((delta) => delta.reasoning_details ?? []));
  return {
    role: "assistant",
    content: contentOf(deltas),
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
  } as ChatMessageBody;
}

function contentOf(deltas: readonly Delta[]): string | Part[] {
  const pieces = deltas.map(({ content }) => content ?? "");
  const text = pieces.filter((piece) => typeof piece === "string").join("");
  const parts = pieces.filter((piece) => typeof piece !== "string").flat();
  if (parts.length === 0) return text;
  const thoughts: Part[] = [];
  let open = "";
  for (const { thinking = [], closed } of parts) {
    open += thinking.map((piece) => piece.text).join("");
    if (closed !== true) continue;
    thoughts.push({ type: "thinking", thinking: [{ type: "text", text: open }], closed });
    open = "";
  }
  return [...thoughts, ...(text === "" ? [] : [{ type: "text", text }])];
}

function callsOf(pieces: readonly CallPiece[]) {
  const calls = new Map<number, { id: string; name: string; said: string }>();
  for (const { index = 0, id, function: called } of pieces) {
    const before = calls.get(index) ?? { id: id ?? "", name: called.name ?? "", said: "" };
    calls.set(index, { ...before, said: before.said + called.arguments });
  }
  return [...calls.values()].map(({ id, name, said }) => ({
    id,
    type: "function",
    function: { name, arguments: said },
  }));
}

function detailsOf(pieces: readonly Detail[]): Detail[] {
  const details = new Map<number, Detail>();
  for (const piece of pieces) {
    const before = details.get(piece.index);
    const text = `${before?.text ?? ""}${piece.text ?? ""}`;
    details.set(piece.index, { ...before, ...piece, text });
  }
  return [...details.values()];
}
