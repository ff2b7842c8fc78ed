/** A tool call that folds, and the question for an approval. */
import { element, setText } from "./dom.js";

/**
 * @import { PendingCall } from "@capstan/client"
 * @import { Part, ToolPart, ToolState } from "./conversation.js"
 *
 * @typedef {(call: PendingCall, isApproved: boolean, reason: string) => void} Decide
 */

/** @type {Readonly<Record<ToolState, string>>} */
const labels = {
  running: "running",
  waiting: "needs approval",
  done: "done",
  failed: "failed",
  denied: "denied",
  stopped: "stopped",
};

/** @param {Decide} decide */
export function toolView(decide) {
  const name = element("span", { class: "name" });
  const state = element("span", { class: "state" });
  const input = textBox();
  const output = textBox();
  const outputTitle = element("h3", {}, ["Output"]);
  const body = element("div", { class: "body" }, [
    element("h3", {}, ["Input"]),
    input,
    outputTitle,
    output,
  ]);
  const details = element("details", { class: "tool" }, [
    element("summary", {}, [name, state]),
    body,
  ]);
  const whole = element("div", {}, [details]);
  return {
    element: whole,
    /** @param {Part} part */
    update(part) {
      if (part.type !== "tool") return;
      details.dataset["state"] = part.state;
      setText(name, part.name);
      setText(state, labels[part.state]);
      setText(input, part.input);
      setText(output, part.output);
      outputTitle.hidden = output.hidden = part.output === "";
      input.setAttribute("aria-label", `Input of ${part.name}`);
      output.setAttribute("aria-label", `Output of ${part.name}`);
      showApproval(whole, details, part, decide);
    },
  };
}

function textBox() {
  return element("pre", { tabindex: "0", role: "region" });
}

/**
 * @param {HTMLElement} whole
 * @param {HTMLElement} details
 * @param {ToolPart} part
 * @param {Decide} decide
 */
function showApproval(whole, details, { approval, name, input }, decide) {
  const shown = whole.querySelector(".approval");
  // The question shows the input itself.
  details.hidden = approval !== undefined;
  if (approval === undefined) shown?.remove();
  else if (shown === null) whole.append(question(approval, name, input, decide));
}

/**
 * @param {PendingCall} call
 * @param {string} name
 * @param {string} input
 * @param {Decide} decide
 */
function question(call, name, input, decide) {
  const reason = element("input", { type: "text", placeholder: "Optional", maxlength: "1000" });
  const approve = element("button", { type: "button", class: "button primary" }, ["Approve"]);
  const deny = element("button", { type: "button", class: "button" }, ["Deny"]);
  const box = textBox();
  box.setAttribute("aria-label", `Input of ${name}`);
  box.textContent = input;
  /** @param {boolean} isApproved */
  const answer = (isApproved) => {
    approve.disabled = deny.disabled = true;
    decide(call, isApproved, reason.value.trim());
  };
  approve.addEventListener("click", () => answer(true));
  deny.addEventListener("click", () => answer(false));
  return element("section", { class: "approval", "aria-label": `Approval of ${name}` }, [
    element("h2", {}, [`Allow ${name}?`]),
    element("h3", {}, ["It runs with exactly this input"]),
    box,
    element("label", { class: "reason" }, ["Reason, if you deny it", reason]),
    element("div", { class: "actions" }, [approve, deny]),
  ]);
}
