/** The request on the wire: the parts this protocol uses. A type test checks it against OpenAI's own types. */

export interface TextContent {
  readonly type: "text";
  readonly text: string;
}

interface ImageContent {
  readonly type: "image_url";
  /** A data URL, or an http or https URL. */
  readonly image_url: { readonly url: string };
}

interface FileContent {
  readonly type: "file";
  /** `file_data` is a data URL. */
  readonly file: { readonly filename: string; readonly file_data: string };
}

export type UserContent = TextContent | ImageContent | FileContent;

export type WireCall =
  | {
      readonly type: "function";
      readonly id: string;
      readonly function: { readonly name: string; readonly arguments: string };
    }
  | {
      readonly type: "custom";
      readonly id: string;
      readonly custom: { readonly name: string; readonly input: string };
    };

interface SystemMessage {
  readonly role: "system";
  readonly content: string;
}

interface UserMessage {
  readonly role: "user";
  readonly content: string | readonly UserContent[];
}

/** Reasoning is sent back in the field it came in, such as `reasoning_content`, if the vendor wants it back. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: string | readonly ReplyContent[] | null;
  readonly tool_calls?: readonly WireCall[];
}

/** Content of a reply with a refusal: any number of texts, and exactly one refusal. */
export type ReplyContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "refusal"; readonly refusal: string };

interface ToolMessage {
  readonly role: "tool";
  readonly tool_call_id: string;
  readonly content: string;
}

export type WireMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

export interface WireTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: { readonly [key: string]: unknown };
    readonly strict?: boolean;
  };
}

export type WireToolChoice =
  | "auto"
  | "none"
  | "required"
  | { readonly type: "function"; readonly function: { readonly name: string } };

export type WireFormat =
  | { readonly type: "json_object" }
  | {
      readonly type: "json_schema";
      readonly json_schema: {
        readonly name: string;
        readonly schema: { readonly [key: string]: unknown };
        readonly strict: boolean;
      };
    };

export interface ChatRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly stream_options?: { readonly include_usage: true };
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly temperature?: number;
  readonly prompt_cache_key?: string;
  readonly response_format?: WireFormat;
  readonly tools?: readonly WireTool[];
  readonly messages: readonly WireMessage[];
  readonly tool_choice?: WireToolChoice;
}
