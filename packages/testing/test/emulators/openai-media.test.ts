import { test } from "vitest";
import { picture } from "./anthropic-request.ts";
import { expectRefusal, fault, plain } from "./openai-request.ts";
import type { RefusalRow } from "./openai-request.ts";

function shown(part: RefusalRow[1]): RefusalRow[1] {
  return { ...plain, input: [{ role: "user", content: [part] }] };
}

const image = { type: "input_image", image_url: `data:image/png;base64,${picture(1, 1)}` };
const file = {
  type: "input_file",
  filename: "a.pdf",
  file_data: "data:application/pdf;base64,JVBERi0=",
};
const place = "input[0].content[0]";

const media: readonly RefusalRow[] = [
  [
    "a picture that is an object",
    shown({ ...image, image_url: { url: image.image_url } }),
    fault(
      `Invalid type for '${place}.image_url': expected a string, but got an object instead.`,
      `${place}.image_url`,
      "invalid_type",
    ),
    shown(image),
  ],
  [
    "a picture that is no URL",
    shown({ ...image, image_url: picture(1, 1) }),
    fault(
      `Invalid '${place}.image_url'. Expected a base64-encoded data URL`,
      `${place}.image_url`,
      "invalid_value",
    ),
    shown({ ...image, image_url: "https://example.com/a.png" }),
  ],
  [
    "a picture that is not base64",
    shown({ ...image, image_url: "data:image/png;base64,not base64!" }),
    fault("Expected a valid base64 string.", `${place}.image_url`, "invalid_base64_image"),
    shown(image),
  ],
  [
    "a picture that is none",
    shown({ ...image, image_url: "data:image/png;base64,aGVsbG8sIEkgYW0gYSB0ZXh0" }),
    fault("You uploaded an unsupported image.", "input", "invalid_image_format"),
    shown(image),
  ],
  [
    "a picture of nothing",
    shown({ type: "input_image" }),
    fault(
      `Missing required parameter: '${place}.image_url'.`,
      `${place}.image_url`,
      "missing_required_parameter",
    ),
    shown({ type: "input_image", file_id: "file_1" }),
  ],
  [
    "a detail that there is not",
    shown({ ...image, detail: "tiny" }),
    fault(
      "Invalid value: 'tiny'. Supported values are: 'low', 'high', 'auto', and 'original'.",
      `${place}.detail`,
      "invalid_value",
    ),
    shown({ ...image, detail: "low" }),
  ],
  [
    "a file without a name",
    shown({ type: "input_file", file_data: file.file_data }),
    fault(
      `Missing required parameter: '${place}.filename'.`,
      `${place}.filename`,
      "missing_required_parameter",
    ),
    shown(file),
  ],
  [
    "a file that is no URL",
    shown({ ...file, file_data: "JVBERi0=" }),
    fault(
      `Invalid '${place}.file_data'. Expected a base64-encoded data URL`,
      `${place}.file_data`,
      "invalid_value",
    ),
    shown(file),
  ],
  [
    "a file that is a sound",
    shown({ ...file, file_data: "data:audio/mpeg;base64,SUQz" }),
    fault("The file type you uploaded is not supported.", "input", "unsupported_file"),
    shown(file),
  ],
  [
    "a file that is two",
    shown({ ...file, file_id: "file_1" }),
    fault(`Invalid '${place}': expected exactly one of`, place, "invalid_value"),
    shown({ type: "input_file", file_id: "file_1" }),
  ],
  [
    "a file that is a song",
    shown({ type: "input_file", file_url: "https://example.com/a.mp3" }),
    fault(
      "The file type you uploaded is not supported. Please try again with a pdf",
      "input",
      "unsupported_file",
    ),
    shown({ type: "input_file", file_url: "https://example.com/a.pdf" }),
  ],
];

test.each(media)("the Responses API refuses %s", async (...row) => {
  await expectRefusal(row);
});
