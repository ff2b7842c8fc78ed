import { expect, test } from "vitest";
import { looked, prompt, replyTo } from "./offline-reply.ts";

test("a file that the prompt names is read", async () => {
  const prompts = [
    "Read src/index.ts",
    "What does `src/index.ts` do?",
    'Tell me about "src/index.ts".',
    "See https://example.com/a.html and (src/index.ts)",
  ];

  const replies = await Promise.all(prompts.map((text) => replyTo([prompt(text)])));

  expect(replies.map(({ calls }) => calls)).toEqual(
    prompts.map(() => [["read", { path: "src/index.ts" }]]),
  );
});

test("the report has the number of lines and the first of them", async () => {
  const content = Array.from({ length: 8 }, (_, index) => `line ${index + 1}\r\n`).join("");

  const reply = await replyTo([prompt("Read a.txt"), ...looked("read", "a.txt", content)]);

  expect(reply.text).toBe(
    "a.txt has 8 lines. It begins:\n\n    line 1\n    line 2\n    line 3\n    line 4\n    line 5",
  );
});

test("a part of a file is not taken for the whole", async () => {
  const content = "one\ntwo\n(Lines 1 to 2; continue with offset 3.)";

  const reply = await replyTo([prompt("Read a.txt"), ...looked("read", "a.txt", content)]);

  expect(reply.text).toBe("a.txt has at least 2 lines. It begins:\n\n    one\n    two");
});

test("an empty file is said to be empty", async () => {
  const asked = [prompt("Read a.txt"), ...looked("read", "a.txt", "(The file is empty.)")];

  const reply = await replyTo(asked);

  expect(reply.text).toBe("a.txt is empty.");
});

test("a file that is not there is said to be missing, and the folder is listed", async () => {
  const asked = prompt("Read nowhere.txt");

  const reply = await replyTo([asked, ...looked("read", "nowhere.txt", "There is none.", true)]);

  expect(reply.text).toBe("I could not read nowhere.txt: There is none. I list this folder.");
  expect(reply.calls).toEqual([["ls", { path: "." }]]);
});

test("abbreviations and addresses are not files", async () => {
  const prompts = ["Say something, e.g. a joke", "Open https://example.com/index.html"];

  const replies = await Promise.all(prompts.map((text) => replyTo([prompt(text)])));

  expect(replies.map(({ calls }) => calls)).toEqual(prompts.map(() => [["ls", { path: "." }]]));
});
