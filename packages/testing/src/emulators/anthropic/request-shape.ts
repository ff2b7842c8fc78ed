/** Body of a request to the Messages API, field by field. */
import type { JsonValue } from "@capstan/kernel";
import { asText, isObject } from "../json.ts";
import {
  anything,
  choice,
  decimal,
  dictionary,
  either,
  flag,
  integer,
  list,
  nullable,
  object,
  openObject,
  tagged,
  text,
} from "../shape.ts";
import type { Shape } from "../shape.ts";
import { cacheControl, contentBlock, textBlocks } from "./block-shapes.ts";

/** Fields that need a beta header, with the prefix of its name. */
const betaFields: Readonly<Record<string, string>> = {
  mcp_servers: "mcp-client-",
  context_management: "context-management-",
  fallbacks: "server-side-fallback-",
  thread: "message-threads-",
};

export const bindingControls = "thinking-binding-controls-2026-08-01";

/** Facts about a body that depend on the headers of its request. */
export interface Dialect {
  /** Version `2026-10-21`, which accepts less than the one before it. */
  readonly isNew: boolean;
  readonly betas: readonly string[];
}

export function requestShape({ isNew, betas }: Dialect): Shape {
  const opened = Object.entries(betaFields)
    .filter(([, beginning]) => betas.some((beta) => beta.startsWith(beginning)))
    .map(([field]) => [field, anything] as const);
  return object(
    {
      model: text({ min: 1 }),
      max_tokens: integer({ min: 0 }),
      messages: list(message, { max: 100_000 }),
    },
    {
      ...options,
      ...(!isNew && sampling),
      thinking: thinkingShape(betas),
      ...Object.fromEntries(opened),
    },
  );
}

const message = object(
  {
    role: choice("user", "assistant", "system"),
    content: either(text(), list(contentBlock)),
  },
  // For system messages only, with its own beta header; its content has no effect here.
  { output_config: dictionary },
);

const toolPrefixes = [
  "bash_",
  "text_editor_",
  "computer_",
  "web_search_",
  "web_fetch_",
  "code_execution_",
  "memory_",
  "tool_search_tool_",
  "advisor_",
  "browser_toolset_",
  "mcp_toolset",
];

const customTool = object(
  {
    name: text({ pattern: /^[a-zA-Z0-9_-]{1,128}$/ }),
    input_schema: openObject({ type: choice("object") }),
  },
  {
    type: nullable(choice("custom")),
    description: text(),
    cache_control: cacheControl,
    strict: flag,
    defer_loading: flag,
    eager_input_streaming: nullable(flag),
    allowed_callers: list(text()),
    input_examples: list(dictionary),
  },
);

/** The vendor's own tools have a type with a date in it, and are not checked further. */
const tool: Shape = {
  kinds: ["object"],
  check(value, path) {
    const type: JsonValue | undefined = isObject(value) ? value["type"] : undefined;
    if (type === undefined || type === null || type === "custom") {
      return customTool.check(value, [...path, { tag: "custom" }]);
    }
    if (toolPrefixes.some((prefix) => asText(type).startsWith(prefix))) return undefined;
    const choices = ["custom", ...toolPrefixes.map((prefix) => `${prefix}*`)];
    return { kind: "tag", path, key: "type", choices, value: type };
  },
};

const sampling = {
  temperature: decimal({ min: 0, max: 1 }),
  top_p: decimal({ min: 0, max: 1 }),
  top_k: integer({ min: 0 }),
};

const parallel = { disable_parallel_tool_use: flag };

const options = {
  system: either(text(), textBlocks),
  tools: list(tool),
  tool_choice: tagged("type", {
    auto: object({ type: anything }, parallel),
    any: object({ type: anything }, parallel),
    tool: object({ type: anything, name: text() }, parallel),
    none: object({ type: anything }),
  }),
  output_config: object(
    {},
    {
      effort: nullable(choice("low", "medium", "high", "xhigh", "max")),
      format: nullable(
        tagged("type", { json_schema: object({ type: anything, schema: dictionary }) }),
      ),
    },
  ),
  stop_sequences: list(text({ min: 1 })),
  stream: flag,
  metadata: object({}, { user_id: nullable(text({ max: 256 })) }),
  service_tier: choice("auto", "standard_only"),
  container: nullable(either(text(), dictionary)),
  cache_control: cacheControl,
  diagnostics: nullable(dictionary),
  inference_geo: nullable(text()),
  speed: nullable(choice("standard", "fast")),
};

function thinkingShape(betas: readonly string[]): Shape {
  const type = anything;
  const display = nullable(choice("summarized", "omitted", "updates"));
  const controls = betas.includes(bindingControls) && {
    block_binding: nullable(
      object({}, { prefix_mismatch_behavior: nullable(choice("error", "drop_block")) }),
    ),
  };
  return tagged("type", {
    enabled: object({ type, budget_tokens: integer({ min: 1024 }) }, { display, ...controls }),
    adaptive: object({ type }, { display, ...controls }),
    disabled: object({ type }),
    between_tools: object({ type }),
  });
}
