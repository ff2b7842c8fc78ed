/** Prompt for a summary, and the form in which the summary is shown to the next model. */

const question = `The conversation is about to be replaced by a summary, because it no longer fits. Write that summary now: you, or another model, will continue from it and from nothing else. Do not call tools, do not continue the work, and do not address the user.

Keep everything that is still needed:
- what the user wants, in their own words if those matter, and the progress so far
- decisions made, and why; approaches that did not work
- important files, commands, names, ids, numbers and links, verbatim, and which files were read, created or changed
- what is still open: todos, unanswered questions, the next step
- everything in an earlier summary that is still true

Leave out what is done and no longer matters. Answer with the summary alone.`;

/** Adds the directives of the agent and of the request. */
export function summaryPrompt(directives: readonly (string | undefined)[]): string {
  const added = directives.filter((directive) => directive !== undefined && directive !== "");
  return [question, ...added].join("\n\n");
}

const introduction =
  "This is a summary of the conversation so far, which is no longer shown. Continue from it.";

/** Summary as stored in the log and sent in every later request. */
export function toSummary(text: string): string {
  return `${introduction}\n\n${text}`;
}
