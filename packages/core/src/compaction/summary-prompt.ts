/** What a model is asked for when the context is compacted, and how the answer is shown to the next one. */

const question = `The conversation is about to be replaced by a summary, because it no longer fits. Write that summary now: you, or another model, will go on from it and from nothing else. Do not call tools, do not go on with the work, and do not address the user.

Keep everything that is still needed:
- what the user wants, in their words where those matter, and how far it is
- decisions that were made, and why; what was tried and did not work
- files, commands, names, ids, numbers and links that matter, exactly as they are, and which files were read, created or changed
- what is open: todos, questions that nobody has answered, the next step
- all that an earlier summary holds and that still holds true

Leave out what is done and no longer matters. Answer with the summary alone.`;

/** With what the agent and whoever asked for it add. */
export function summaryPrompt(directives: readonly (string | undefined)[]): string {
  const added = directives.filter((directive) => directive !== undefined && directive !== "");
  return [question, ...added].join("\n\n");
}

const introduction =
  "This is a summary of the conversation so far, which is no longer shown. Go on from it.";

/** As it stands in the log, and in every request from then on. */
export function toSummary(text: string): string {
  return `${introduction}\n\n${text}`;
}
