/** Bounds a snapshot: keeps the end of the live content, and the number of characters missing before it. */
import type { LiveMessage, LivePart, LiveToolOutput } from "@capstan/kernel";

/** Characters of a snapshot, half of them for the open message and half for tool outputs. */
const maxSnapshotChars = 131_072;

interface Live {
  readonly message?: LiveMessage;
  readonly toolOutputs: readonly LiveToolOutput[];
}

/** Returns the snapshot unchanged if it is short enough. */
export function boundSnapshot(
  { message, toolOutputs }: Live,
  maxChars: number = maxSnapshotChars,
): Live {
  const half = Math.floor(maxChars / 2);
  const outputs = boundOutputs(toolOutputs, half);
  if (message === undefined) return { toolOutputs: outputs };
  return { message: boundMessage(message, half), toolOutputs: outputs };
}

/** Every output gets an equal share, so that a reader sees progress in each of them. */
function boundOutputs(
  outputs: readonly LiveToolOutput[],
  maxChars: number,
): readonly LiveToolOutput[] {
  const share = Math.floor(maxChars / Math.max(1, outputs.length));
  if (outputs.every(({ output }) => output.length <= share)) return outputs;
  return outputs.map((each) => {
    const output = tailOf(each.output, share);
    const omittedChars = each.output.length - output.length;
    return omittedChars === 0 ? each : { ...each, output, omittedChars };
  });
}

/** Parts are filled from the last one backwards: that is the one that grows. */
function boundMessage(message: LiveMessage, maxChars: number): LiveMessage {
  const { content } = message;
  if (content.reduce((sum, part) => sum + textOf(part).length, 0) <= maxChars) return message;
  let left = maxChars;
  const bounded = content.toReversed().map((part) => {
    const text = textOf(part);
    const tail = tailOf(text, left);
    left -= tail.length;
    return tail.length === text.length ? part : withText(part, tail, text.length - tail.length);
  });
  return { ...message, content: bounded.toReversed() };
}

function textOf(part: LivePart): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "thinking":
      return part.thinking;
    case "tool_call":
      return part.inputText;
    default:
      return part satisfies never;
  }
}

function withText(part: LivePart, text: string, omittedChars: number): LivePart {
  switch (part.type) {
    case "text":
      return { type: "text", text, omittedChars };
    case "thinking":
      return { type: "thinking", thinking: text, omittedChars };
    case "tool_call": {
      // The parsed input is as long as its text.
      const { input: _, ...call } = part;
      return { ...call, inputText: text, omittedChars };
    }
    default:
      return part satisfies never;
  }
}

/** Does not start in the middle of a character. */
function tailOf(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const start = text.length - maxChars;
  const isInside = /[\uDC00-\uDFFF]/.test(text.charAt(start));
  return text.slice(isInside ? start + 1 : start);
}
