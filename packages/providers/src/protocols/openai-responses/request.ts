/** The request on the wire: the parts this protocol uses. A type test checks it against the vendor's own types. */
import type { JsonValue } from "@capstan/kernel";

export interface InputText {
  readonly type: "input_text";
  readonly text: string;
}

interface InputImage {
  readonly type: "input_image";
  readonly detail: "auto";
  /** A data URL, or an http or https URL. */
  readonly image_url: string;
}

interface InputFile {
  readonly type: "input_file";
  readonly filename: string;
  /** A data URL. */
  readonly file_data: string;
}

interface LinkedFile {
  readonly type: "input_file";
  readonly file_url: string;
}

export type InputContent = InputText | InputImage | InputFile | LinkedFile;

export interface UserItem {
  readonly type: "message";
  readonly role: "user";
  readonly content: readonly InputContent[];
}

export interface SystemItem {
  readonly type: "message";
  readonly role: "system";
  readonly content: string;
}

/** An assistant message without the vendor's id. */
export interface PlainReplyItem {
  readonly type: "message";
  readonly role: "assistant";
  readonly content: string | readonly [RefusalContent];
  readonly phase?: Phase;
}

export type Phase = "commentary" | "final_answer";

/** An assistant message with the vendor's id. */
export interface ReplyItem {
  readonly type: "message";
  readonly role: "assistant";
  readonly id: string;
  readonly status: "completed" | "incomplete";
  readonly content: readonly ReplyContent[];
  readonly phase?: Phase;
}

export type ReplyContent =
  | {
      readonly type: "output_text";
      readonly text: string;
      /** Sent back unchanged. */
      readonly annotations: readonly JsonValue[];
    }
  | RefusalContent;

/** The vendor also accepts it in a message without an id. */
export interface RefusalContent {
  readonly type: "refusal";
  readonly refusal: string;
}

export interface ReasoningItem {
  readonly type: "reasoning";
  readonly id: string;
  readonly encrypted_content: string;
  readonly summary: readonly JsonValue[];
  readonly content?: readonly JsonValue[];
}

export interface FunctionCallItem {
  readonly type: "function_call";
  readonly id?: string;
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
  readonly namespace?: string;
}

export interface CustomCallItem {
  readonly type: "custom_tool_call";
  readonly id?: string;
  readonly call_id: string;
  readonly name: string;
  readonly input: string;
}

export interface CallOutputItem {
  readonly type: "function_call_output" | "custom_tool_call_output";
  readonly call_id: string;
  readonly output: string | readonly InputContent[];
}

/** An item that is sent back unchanged: vendor-run tools and future kinds. */
export interface NativeItem {
  readonly type: string;
  readonly [key: string]: JsonValue;
}

type KnownItem =
  | UserItem
  | SystemItem
  | PlainReplyItem
  | ReplyItem
  | ReasoningItem
  | FunctionCallItem
  | CustomCallItem
  | CallOutputItem;

export type WireItem = KnownItem | NativeItem;

export interface WireTool {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly parameters: { readonly [key: string]: unknown };
  readonly strict: boolean;
}

export type WireToolChoice =
  | "auto"
  | "none"
  | "required"
  | { readonly type: "function"; readonly name: string };

export interface WireFormat {
  readonly type: "json_schema";
  readonly name: string;
  readonly schema: { readonly [key: string]: unknown };
  readonly strict: boolean;
}

export interface ResponsesRequest {
  readonly model: string;
  readonly stream: boolean;
  /** The runtime owns the conversation: the vendor stores nothing, and gets the whole context each time. */
  readonly store: false;
  readonly instructions?: string;
  readonly input: readonly WireItem[];
  readonly tools?: readonly WireTool[];
  readonly tool_choice?: WireToolChoice;
  readonly reasoning?: { readonly effort?: Effort; readonly summary?: "auto" };
  readonly include?: readonly "reasoning.encrypted_content"[];
  readonly text?: { readonly format: WireFormat };
  readonly temperature?: number;
  readonly top_p?: number;
  readonly service_tier?: "auto" | "default" | "flex" | "scale" | "priority";
  readonly max_output_tokens?: number;
  readonly prompt_cache_key?: string;
}

export type Effort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
