/** Content blocks of the Messages API. Blocks of the vendor's own tools are checked only for their ids. */
import {
  choice,
  dictionary,
  either,
  anything,
  flag,
  list,
  nullable,
  object,
  openObject,
  tagged,
  text,
} from "../shape.ts";
import type { Shape } from "../shape.ts";

export const cacheControl: Shape = nullable(
  tagged("type", { ephemeral: object({ type: anything }, { ttl: choice("5m", "1h") }) }),
);

/** Ids may come from other vendors, so only their characters are checked. */
const toolUseId = text({ pattern: /^[a-zA-Z0-9_-]+$/ });
const type = anything;
const cached = { cache_control: cacheControl };

const textBlock = object(
  { type, text: text() },
  { ...cached, citations: nullable(list(anything)) },
);

/** A prompt in several blocks. */
export const textBlocks: Shape = list(tagged("type", { text: textBlock }));

const image = object(
  {
    type,
    source: tagged("type", {
      base64: object({
        type,
        media_type: choice("image/jpeg", "image/png", "image/gif", "image/webp"),
        data: text(),
      }),
      url: object({ type, url: text() }),
      file: object({ type, file_id: text() }),
    }),
  },
  {
    ...cached,
    transformations: nullable(object({}, { oversized_image: choice("downsize", "error") })),
  },
);

const document = object(
  {
    type,
    source: tagged("type", {
      base64: object({ type, media_type: choice("application/pdf"), data: text() }),
      text: object({ type, media_type: choice("text/plain"), data: text() }),
      content: object({
        type,
        content: either(text(), list(tagged("type", { text: textBlock, image }))),
      }),
      url: object({ type, url: text() }),
      file: object({ type, file_id: text() }),
    }),
  },
  {
    ...cached,
    citations: nullable(object({}, { enabled: flag })),
    context: nullable(text()),
    title: nullable(text({ max: 500 })),
  },
);

const searchResult = object(
  { type, content: list(tagged("type", { text: textBlock })), source: text(), title: text() },
  { ...cached, citations: object({}, { enabled: flag }) },
);

const toolResult = object(
  { type, tool_use_id: toolUseId },
  {
    ...cached,
    content: either(
      text(),
      list(
        tagged("type", {
          text: textBlock,
          image,
          document,
          search_result: searchResult,
          tool_reference: object({ type, tool_name: text() }, cached),
        }),
      ),
    ),
    is_error: nullable(flag),
    toolset_name: nullable(text()),
  },
);

const serverResult = openObject({ type, tool_use_id: text(), content: anything }, cached);

/** Which of them may be in whose message is checked elsewhere. */
export const contentBlock: Shape = tagged("type", {
  text: textBlock,
  image,
  document,
  search_result: searchResult,
  // No cache marker: thinking cannot be marked.
  thinking: object({ type, thinking: text(), signature: text() }),
  redacted_thinking: object({ type, data: text() }),
  tool_use: object(
    { type, id: toolUseId, name: text({ min: 1, max: 200 }), input: dictionary },
    { ...cached, caller: dictionary, toolset_name: nullable(text()) },
  ),
  tool_result: toolResult,
  server_tool_use: openObject(
    {
      type,
      id: text({ pattern: /^srvtoolu_[a-zA-Z0-9_]+$/ }),
      name: text({ min: 1 }),
      input: dictionary,
    },
    cached,
  ),
  web_search_tool_result: serverResult,
  web_fetch_tool_result: serverResult,
  code_execution_tool_result: serverResult,
  bash_code_execution_tool_result: serverResult,
  text_editor_code_execution_tool_result: serverResult,
  tool_search_tool_result: serverResult,
  advisor_tool_result: serverResult,
  mcp_tool_use: openObject({
    type,
    id: text(),
    name: text(),
    server_name: text(),
    input: dictionary,
  }),
  mcp_tool_result: serverResult,
  container_upload: object({ type, file_id: text() }, cached),
  compaction: openObject({ type }),
});
