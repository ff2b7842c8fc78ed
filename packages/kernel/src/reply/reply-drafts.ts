/** Parts of a reply while they stream, and the message parts they become. */
import type {
  AssistantPart,
  JsonValue,
  RefusalPart,
  TextPart,
  ThinkingPart,
  ToolCallPart,
} from "../contracts/conversation.ts";
import type { Draft } from "../effects/draft.ts";
import { isTooDeep, mayBeTooDeep } from "../effects/depth.ts";
import { TextBuffer } from "./text-buffer.ts";

const blankText: TextPart | RefusalPart = { type: "text", text: "" };
const blankThinking: ThinkingPart = { type: "thinking", thinking: "" };
const blankCall: ToolCallPart = { type: "tool_call", id: "", name: "", input: null };

/** A text, thinking or refusal part under way. */
export class ProseDraft {
  readonly type: "text" | "thinking" | "refusal";
  readonly text: TextBuffer = new TextBuffer();
  providerData: JsonValue | undefined;

  constructor(type: ProseDraft["type"], providerData: JsonValue | undefined) {
    this.type = type;
    this.providerData = providerData;
  }

  toPart(): AssistantPart {
    const part = this.type === "thinking" ? this.#toThinking() : this.#toText(this.type);
    if (this.providerData !== undefined) part.providerData = this.providerData;
    return part;
  }

  #toThinking(): Draft<ThinkingPart> {
    return { ...blankThinking, thinking: this.text.toString() };
  }

  #toText(type: "text" | "refusal"): Draft<TextPart | RefusalPart> {
    return { ...blankText, type, text: this.text.toString() };
  }
}

/** Used instead of parsed arguments that cannot be serialized. */
const tooDeep = "(arguments that are nested too deeply)";

/** Known data of a call when it begins. */
export interface CallStart {
  readonly id: string;
  readonly index: number;
  readonly name: string;
  readonly isProviderExecuted: boolean;
  readonly providerData: JsonValue | undefined;
}

/** A tool call under way; `part` is set once its arguments are complete. */
export class CallDraft {
  readonly type = "tool_call" as const;
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly json: TextBuffer = new TextBuffer();
  readonly #isProviderExecuted: boolean;
  providerData: JsonValue | undefined;
  part: ToolCallPart | undefined;

  constructor({ id, index, name, isProviderExecuted, providerData }: CallStart) {
    this.index = index;
    this.id = id;
    this.name = name;
    this.#isProviderExecuted = isProviderExecuted;
    this.providerData = providerData;
  }

  /** Completes the call with the arguments that the provider has parsed, or else with those of the deltas. */
  complete(input: JsonValue | undefined): ToolCallPart {
    if (input !== undefined) {
      return isTooDeep(input) ? this.#close({}, tooDeep) : this.#close(input, undefined);
    }
    // Vendors send no text for a call without arguments.
    const json = this.json.toString();
    if (json === "") return this.#close({}, undefined);
    try {
      // JSON.parse returns nothing but JSON.
      const parsed = JSON.parse(json) as JsonValue;
      const isUsable = !mayBeTooDeep(json) || !isTooDeep(parsed);
      return isUsable ? this.#close(parsed, undefined) : this.#close({}, json);
    } catch {
      // Not JSON: the text is kept as malformed input, and the model gets an error result.
      return this.#close({}, json);
    }
  }

  /** Ends the call although its arguments are incomplete. */
  cut(): ToolCallPart {
    return this.#close({}, this.json.toString());
  }

  #close(input: JsonValue, malformedInput: string | undefined): ToolCallPart {
    const part: Draft<ToolCallPart> = { ...blankCall, id: this.id, name: this.name, input };
    if (malformedInput !== undefined) part.malformedInput = malformedInput;
    if (this.#isProviderExecuted) part.isProviderExecuted = true;
    if (this.providerData !== undefined) part.providerData = this.providerData;
    this.part = part;
    return part;
  }
}
