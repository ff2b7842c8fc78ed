/** Elements of the conversation. */
import { element, keyedList, setText } from "./dom.js";
import { showMarkdown } from "./markdown.js";
import { toolView } from "./tool-view.js";

/**
 * @import { Item, Part, ReplyItem, TextPart } from "./conversation.js"
 * @import { Decide } from "./tool-view.js"
 */

/** @param {Decide} decide */
export function messageList(decide) {
  return keyedList((/** @type {Item} */ item) =>
    item.kind === "user" ? userView() : replyView(decide),
  );
}

function userView() {
  const text = element("span");
  const note = element("span", { class: "note" });
  const article = element("article", { class: "message user", "aria-label": "You" }, [text, note]);
  return {
    element: article,
    /** @param {Item} item */
    update(item) {
      if (item.kind !== "user") return;
      setText(text, item.text);
      setText(note, item.note);
      note.hidden = item.note === "";
      article.classList.toggle("queued", item.note.startsWith("Waits"));
    },
  };
}

/** @param {Decide} decide */
function replyView(decide) {
  const parts = element("div", { class: "message assistant" });
  const dots = [1, 2, 3].map(() => element("span"));
  const working = element("div", { class: "working", "aria-hidden": "true" }, dots);
  const article = element("article", { "aria-label": "Assistant" }, [parts, working]);
  const show = keyedList((/** @type {Part} */ part) =>
    part.type === "tool" ? toolView(decide) : textView(part),
  );
  return {
    element: article,
    /** @param {Item} item */
    update(item) {
      if (item.kind !== "assistant") return;
      show(parts, item.parts);
      working.hidden = !isSilent(item);
      // Screen readers read a reply when it is complete, not word by word.
      article.setAttribute("aria-busy", String(item.isBusy));
    },
  };
}

/**
 * Whether the reply is awaited, and nothing on the page moves.
 *
 * @param {ReplyItem} item
 */
function isSilent({ parts, isBusy }) {
  const last = parts.at(-1);
  return isBusy && (last?.type !== "tool" || last.state !== "running") && last?.type !== "text";
}

/** @param {TextPart} part */
function textView({ type }) {
  const body = element("div", { class: type === "text" ? "markdown" : "body" });
  const shown = type === "thinking" ? thinkingOf(body) : body;
  if (type === "note") body.className = "note";
  return {
    element: shown,
    /** @param {Part} part */
    update(part) {
      if (part.type === "text") showMarkdown(body, part.text);
      else if (part.type !== "tool") setText(body, part.text);
    },
  };
}

/** @param {HTMLElement} body */
function thinkingOf(body) {
  return element("details", { class: "thinking" }, [element("summary", {}, ["Thoughts"]), body]);
}
