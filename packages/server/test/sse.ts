/** Reads server-sent events by the letter of the standard, as a browser would. */

export interface Frame {
  readonly id: string | undefined;
  readonly data: { readonly type: string; readonly [field: string]: unknown };
}

export async function* readFrames(response: Response): AsyncGenerator<Frame> {
  if (response.headers.get("content-type") !== "text/event-stream") {
    throw new Error(`${response.status}: ${await response.text()}`);
  }
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    yield* blocks.map(toFrame).filter((frame) => frame !== undefined);
  }
}

/** Undefined for comments, and for what only says how to connect again. */
export function toFrame(block: string): Frame | undefined {
  const fields = block.split("\n").map((line) => /^(\w*): ?(.*)$/.exec(line));
  const valueOf = (name: string): string | undefined =>
    fields.find((field) => field?.[1] === name)?.[2];
  const data = valueOf("data");
  if (data === undefined) return undefined;
  return { id: valueOf("id"), data: JSON.parse(data) as Frame["data"] };
}

/** Reads up to the first frame of this type, and stays open. */
export class StreamReader {
  readonly seen: Frame[] = [];
  readonly #frames: AsyncGenerator<Frame>;
  readonly response: Response;

  constructor(response: Response) {
    this.response = response;
    this.#frames = readFrames(response);
  }

  async until(type: string): Promise<Frame> {
    for (;;) {
      const frame = await this.next(type);
      if (frame.data.type === type) return frame;
    }
  }

  /** Reads one more frame. */
  async next(wanted = "the next frame"): Promise<Frame> {
    const { value, done } = await this.#frames.next();
    if (done === true) throw new Error(`The stream ended before ${wanted}`);
    this.seen.push(value);
    return value;
  }

  /** Everything to the end. */
  async rest(): Promise<readonly Frame[]> {
    const rest = await Array.fromAsync(this.#frames);
    this.seen.push(...rest);
    return rest;
  }

  async leave(): Promise<void> {
    await this.#frames.return(undefined);
  }
}

export function typesOf(frames: readonly Frame[]): string[] {
  return frames.map(({ data }) => data.type);
}
