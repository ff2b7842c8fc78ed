/** The field for messages: Enter sends, Shift+Enter starts a new line, Escape stops. */
import { find } from "./dom.js";

/**
 * @param {{ send(text: string): void, stop(): void }} actions
 */
export function composer({ send, stop }) {
  const form = find(".composer", HTMLFormElement);
  const field = find("#message", HTMLTextAreaElement);
  const stopButton = find(".composer .stop", HTMLButtonElement);
  const sendButton = find(".composer [type=submit]", HTMLButtonElement);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (text === "") return;
    field.value = "";
    send(text);
  });
  field.addEventListener("keydown", (event) => {
    // Enter also ends the composition of a character.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.isComposing && !stopButton.hidden) stop();
  });
  stopButton.addEventListener("click", stop);
  return {
    focus: () => field.focus(),
    /** Puts a text back that could not be sent. @param {string} text */
    restore(text) {
      if (field.value === "") field.value = text;
    },
    /** @param {boolean} isRunning */
    show(isRunning) {
      if (!isRunning && document.activeElement === stopButton) field.focus();
      stopButton.hidden = !isRunning;
      sendButton.textContent = isRunning ? "Add" : "Send";
      field.placeholder = isRunning ? "Add something while it works" : "Write a message";
    },
  };
}
