import type { JsonValue } from "@capstan/kernel";
import { tinyImage } from "@capstan/testing";
import { describe, test } from "vitest";
import { call, calling, expectRefusal, fault, result, saying, user } from "./chat-request.ts";
import type { RefusalRow } from "./chat-request.ts";

function image(url: string): JsonValue {
  return { type: "image_url", image_url: { url } };
}

function file(given: JsonValue): JsonValue {
  return { role: "user", content: [{ type: "file", file: given }] };
}

const picture = image(`data:image/png;base64,${tinyImage.data}`);
const shown = saying({ role: "user", content: [picture] });
const pdf = saying(file({ filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" }));
const path = "messages[0].content[0].file";

const rows: readonly RefusalRow[] = [
  [
    "a picture in what a tool says",
    saying(user, calling([call()]), { ...result(), content: [picture] }),
    fault(
      "Invalid 'messages[2]'. Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL.",
      "messages[2]",
      "invalid_value",
    ),
    saying(user, calling([call()]), result(), { role: "user", content: [picture] }),
  ],
  [
    "a picture that is no URL",
    saying({ role: "user", content: [image(tinyImage.data)] }),
    fault("Failed to download image from iVBORw0KGgo", null, "invalid_image_url"),
    shown,
  ],
  [
    "a picture of another kind",
    saying({ role: "user", content: [image(`data:text/plain;base64,${tinyImage.data}`)] }),
    fault("Invalid MIME type. Only image types are supported.", null, "invalid_image_format"),
    shown,
  ],
  [
    "a picture that is not base64",
    saying({ role: "user", content: [image("data:image/png;base64,!!!")] }),
    fault("Invalid base64 image_url.", null, "invalid_base64_image"),
    shown,
  ],
  [
    "a picture that is none",
    saying({ role: "user", content: [image("data:image/png;base64,AAAA")] }),
    fault("You uploaded an unsupported image.", null, "invalid_image_format"),
    saying({ role: "user", content: [image("https://example.com/a.png")] }),
  ],
  [
    "a file without anything in it",
    saying(file({ filename: "a.pdf" })),
    fault(
      `Missing required parameter: '${path}.file_id'.`,
      `${path}.file_id`,
      "missing_required_parameter",
    ),
    saying(file({ file_id: "file-1" })),
  ],
  [
    "a file without a type",
    saying(file({ filename: "a.pdf", file_data: "JVBERi0=" })),
    fault("but got a value without the 'data:' prefix.", `${path}.file_data`, "invalid_value"),
    pdf,
  ],
  [
    "a file of another type",
    saying(file({ filename: "a.txt", file_data: "data:text/plain;base64,SGk=" })),
    fault("but got unsupported MIME type 'text/plain'.", `${path}.file_data`, "invalid_value"),
    pdf,
  ],
];

describe("Chat Completions refuses, for pictures and files,", () => {
  test.each(rows)("%s", async (...row) => {
    await expectRefusal(row);
  });
});
