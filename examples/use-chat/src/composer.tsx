/** The field for messages: Enter sends, Shift+Enter starts a new line, Escape stops. */
import type { KeyboardEvent, ReactNode, RefObject } from "react";
import { useEffect, useState } from "react";

interface ComposerProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly isRunning: boolean;
  /** Resolves with false if the text could not be sent. */
  send(text: string): Promise<boolean>;
  stop(): void;
}

export function Composer({ field, isRunning, send, stop }: ComposerProps): ReactNode {
  const [text, setText] = useState("");
  useEffect(() => field.current?.focus(), [field]);
  useEffect(() => {
    if (!isRunning) return undefined;
    const stopOnEscape = (event: globalThis.KeyboardEvent): void => {
      if (event.key === "Escape" && !event.isComposing) stop();
    };
    document.addEventListener("keydown", stopOnEscape);
    return () => document.removeEventListener("keydown", stopOnEscape);
  }, [isRunning, stop]);
  const submit = async (): Promise<void> => {
    if (text.trim() === "") return;
    setText("");
    const isSent = await send(text.trim());
    if (!isSent) setText((typed) => (typed === "" ? text : typed));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // Enter also ends the composition of a character.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void submit();
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <label className="unseen" htmlFor="message">
        Message
      </label>
      <textarea
        id="message"
        rows={1}
        autoComplete="off"
        placeholder={isRunning ? "Add something while it works" : "Write a message"}
        ref={field}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
      />
      {isRunning && (
        <button
          type="button"
          className="button stop"
          onClick={() => {
            field.current?.focus();
            stop();
          }}
        >
          Stop
        </button>
      )}
      <button type="submit" className="button primary">
        {isRunning ? "Add" : "Send"}
      </button>
    </form>
  );
}
