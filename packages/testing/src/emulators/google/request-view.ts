/** Converts a request to the Gemini API to the provider contract, for functions in a script. */
import type { AssistantPart, ChatMessage, JsonValue, UserPart } from "@capstan/kernel";
import type { RequestView } from "../emulation.ts";
import { isObject } from "../json.ts";
import type { JsonObject } from "../json.ts";
import { declarationsOf, isOfModel } from "./generate-request.ts";
import type { Blob, Content, GenerateRequest, Part } from "./generate-request.ts";

export function toRequestView(model: string, request: GenerateRequest): RequestView {
  const { contents = [], systemInstruction, generationConfig = {} } = request;
  const { maxOutputTokens, temperature } = generationConfig;
  const prompt = (systemInstruction?.parts ?? []).map(({ text = "" }) => text).join("");
  return {
    messages: contents.flatMap((content, index) => toMessages(content, `m${index}`, contents)),
    tools: declarationsOf(request).map((declaration) => {
      const { name = "", description = "", parameters, parametersJsonSchema } = declaration;
      const schema = parametersJsonSchema ?? parameters;
      return { name, description, inputSchema: isObject(schema) ? schema : {} };
    }),
    options: {
      model,
      ...(prompt !== "" && { systemPrompt: prompt }),
      ...(maxOutputTokens !== undefined && { maxTokens: maxOutputTokens }),
      ...(temperature !== undefined && { temperature }),
    },
  };
}

/** Function responses are in the user's turns; here each is its own message. */
function toMessages(content: Content, id: string, all: readonly Content[]): ChatMessage[] {
  const { parts = [] } = content;
  if (isOfModel(content)) {
    const said = parts.map((part, at) => toAssistantPart(part, callIdOf(part, id, at)));
    return [{ role: "assistant", id, content: said, stopReason: "stop" }];
  }
  const before = all[all.indexOf(content) - 1];
  const results = parts.flatMap((part) =>
    part.functionResponse === undefined ? [] : [part.functionResponse],
  );
  const rest = parts.filter((part) => part.functionResponse === undefined).map(toUserPart);
  const asked = (before?.parts ?? []).flatMap((part, at) =>
    part.functionCall === undefined ? [] : [callIdOf(part, `m${all.indexOf(content) - 1}`, at)],
  );
  return [
    ...results.map((result, at): ChatMessage => {
      const callId = result.id ?? asked[at] ?? "";
      return {
        role: "tool",
        id: callId,
        toolCallId: callId,
        toolName: result.name ?? "",
        content: toResultText(result.response ?? {}),
        isError: result.response?.["error"] !== undefined,
      };
    }),
    ...(rest.length === 0 ? [] : [{ role: "user", id, content: rest } as const]),
  ];
}

/** Calls without an id get one from their index. */
function callIdOf({ functionCall }: Part, id: string, at: number): string {
  return functionCall?.id ?? `${id}.${at}`;
}

function toAssistantPart(part: Part, callId: string): AssistantPart {
  const { text, thought, thoughtSignature, functionCall } = part;
  const signed = thoughtSignature !== undefined && { providerData: thoughtSignature };
  if (functionCall !== undefined) {
    const { name = "", args = {} } = functionCall;
    return { type: "tool_call", id: callId, name, input: args, ...signed };
  }
  if (text === undefined) return { type: "native", data: part as unknown as JsonValue };
  return thought === true
    ? { type: "thinking", thinking: text, ...signed }
    : { type: "text", text, ...signed };
}

function toUserPart({ text = "", inlineData }: Part): UserPart {
  return inlineData === undefined ? { type: "text", text } : toMedia(inlineData);
}

function toMedia({ mimeType: mediaType = "", data = "" }: Blob): UserPart {
  return mediaType.startsWith("image/")
    ? { type: "image", mediaType, data }
    : { type: "document", mediaType, data };
}

/** A response is an object; one with a single string is returned as that string. */
function toResultText(response: JsonObject): string {
  const [only, ...others] = Object.values(response);
  return typeof only === "string" && others.length === 0 ? only : JSON.stringify(response);
}
