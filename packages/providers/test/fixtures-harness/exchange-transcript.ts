/** A recorded conversation as we would have it: replies as we read them, and results as the real client gave them. */
import type {
  AssistantMessage,
  ChatMessage,
  JsonValue,
  ToolCallPart,
  ToolContentPart,
  ToolMessage,
} from "@capstan/kernel";
import type { Vendor } from "../../src/wire/vendor.ts";
import { decodeReply } from "./decode-reply.ts";
import type { FixtureCase, FixtureLink } from "./fixtures.ts";

/** What a part of a tool's result is here, in the vendor's form. */
type ToPart = (block: JsonValue) => ToolContentPart;

/** Results that the client said are errors, by the ids of their calls. Default: vendors have no word for it. */
type ErrorsIn = (link: FixtureLink) => ReadonlySet<unknown>;

const noErrors: ErrorsIn = () => new Set();

/** Up to the last link. */
export async function transcriptOf(
  { replies, links, meta }: FixtureCase,
  vendor: Vendor,
  toPart: ToPart,
  errorsIn: ErrorsIn = noErrors,
): Promise<ChatMessage[]> {
  const steps = await Promise.all(
    links.map(async (link, index) => {
      const reply = replies[index];
      if (reply === undefined) throw new Error(`There is no reply ${index}`);
      const { message } = await decodeReply(vendor, reply, undefined, { model: meta.model });
      if (message === undefined) throw new Error(`Reply ${index} says nothing`);
      // Each was decoded alone, so their ids are alike.
      const own = renumber(message, index);
      return [own, ...resultsOf(own, link, toPart, errorsIn(link))];
    }),
  );
  return [{ role: "user", id: "u", content: "Hello" }, ...steps.flat()];
}

function renumber(message: AssistantMessage, step: number): AssistantMessage {
  return {
    ...message,
    id: `m${step}`,
    content: message.content.map((part) =>
      part.type === "tool_call" ? { ...part, id: `${part.id}-${step}` } : part,
    ),
  };
}

/** By their ids; where the vendor gave none, the last results are those of the calls, in their order. */
function resultsOf(
  message: AssistantMessage,
  { tool_results: results }: FixtureLink,
  toPart: ToPart,
  errors: ReadonlySet<unknown>,
): ChatMessage[] {
  const calls = message.content
    .filter((part) => part.type === "tool_call")
    .filter((call) => call.isProviderExecuted !== true);
  const last = results.slice(-calls.length);
  return calls.map((call, place) => {
    const result = results.find((one) => one.call_id === vendorIdOf(call)) ?? last[place];
    if (result === undefined) throw new Error(`There is no result of ${call.name}`);
    return {
      role: "tool",
      id: call.id,
      toolCallId: call.id,
      toolName: call.name,
      content: contentOf(result.output, toPart),
      isError: errors.has(vendorIdOf(call)),
    };
  });
}

function vendorIdOf({ providerData }: ToolCallPart): unknown {
  return dataOf(providerData)["id"];
}

function contentOf(output: JsonValue, toPart: ToPart): ToolMessage["content"] {
  if (typeof output === "string") return output;
  return Array.isArray(output) ? output.map(toPart) : [toPart(output)];
}

/** Recorders of some cases wrote typographic quotes and dashes as plain ones. */
export function plainPunctuation(text: string): string {
  return text
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/[“”]/g, '"')
    .replaceAll(/[‐-―]/g, "-")
    .replaceAll("…", "...");
}

export function dataOf(value: unknown): Readonly<Record<string, unknown>> {
  return (value ?? {}) as Readonly<Record<string, unknown>>;
}
