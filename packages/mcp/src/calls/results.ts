/** Results of a server, in the form that our tools give. */
import type { JsonValue, ToolContentPart, ToolReturn, ToolYield } from "@capstan/kernel";
import { toText } from "@capstan/kernel";

/** A finished call. */
export interface Completion {
  readonly output: string | readonly ToolContentPart[];
  readonly details?: JsonValue;
  readonly isError: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads the result of a call. It was checked by the SDK, except that of a task. */
export function toCompletion(result: Fields): Completion {
  const { content, structuredContent, isError } = result;
  const parts = Array.isArray(content) ? content.flatMap(toParts) : [];
  const hasStructure = structuredContent !== undefined;
  // Servers should send the same as text, too. One that does not would show the model nothing.
  if (parts.length === 0 && hasStructure) parts.push(text(JSON.stringify(structuredContent)));
  return {
    output: simplified(parts),
    isError: isError === true,
    // JSON, as the server sent it.
    ...(hasStructure && { details: { structuredContent: structuredContent as JsonValue } }),
  };
}

/** Return value of a tool: content with details, or an error. */
export function toReturn({ output, details, isError }: Completion): ToolReturn {
  async function* complete(): AsyncGenerator<ToolYield> {
    yield { type: "complete", output, details, isError };
  }
  // The kernel follows an iterable that a promise resolves with; its types only know one that is returned at once.
  return complete() as unknown as ToolReturn;
}

/** Contents of a resource, and content blocks of a prompt's message, in our form. */
export function toParts(block: unknown): ToolContentPart[] {
  const { type, ...fields } = (block ?? {}) as Fields;
  switch (type) {
    case "text":
      return [text(String(fields["text"]))];
    case "image":
    case "audio":
      return [toMedia(fields["mimeType"], fields["data"])];
    case "resource_link":
      return [text(describeLink(fields))];
    case "resource":
      return toResourceParts(fields["resource"]);
    default:
      return [text(`(Content of the unknown type ${toText(type)} is not shown.)`)];
  }
}

/** Parts of a resource: its text, or its file. */
export function toResourceParts(resource: unknown): ToolContentPart[] {
  const { uri, mimeType, text: content, blob } = (resource ?? {}) as Fields;
  const name = text(`Resource ${toText(uri)}:`);
  if (typeof content === "string") return [text(`${name.text}\n${content}`)];
  if (typeof blob === "string") return [name, toMedia(mimeType, blob, toText(uri))];
  return [text(`${name.text} (empty)`)];
}

export function describeLink({ uri, name, title, description, mimeType }: Fields): string {
  const shown = [title ?? name, description, mimeType].filter((each) => typeof each === "string");
  return `Resource ${toText(uri)}${shown.length === 0 ? "" : `: ${shown.join(", ")}`}`;
}

/** A model that does not take the media reads a note instead. Audio and other files are documents. */
function toMedia(mimeType: unknown, data: unknown, uri?: string): ToolContentPart {
  const mediaType = typeof mimeType === "string" ? mimeType : "application/octet-stream";
  if (typeof data !== "string") return text(`(A file of the type ${mediaType} has no data.)`);
  if (mediaType.startsWith("image/")) return { type: "image", mediaType, data };
  const name = uri?.split("/").at(-1);
  return { type: "document", mediaType, data, ...(name !== undefined && name !== "" && { name }) };
}

function text(value: string): Extract<ToolContentPart, { type: "text" }> {
  return { type: "text", text: value };
}

/** Texts alone are one text, which is shortened and read in pages like that of every tool. */
function simplified(parts: readonly ToolContentPart[]): string | readonly ToolContentPart[] {
  if (parts.length === 0) return "(no output)";
  const texts = parts.flatMap((part) => (part.type === "text" ? part.text : []));
  return texts.length === parts.length ? texts.join("\n") : parts;
}
