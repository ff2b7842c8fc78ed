/** Id of an approval on the page: it names the call and the hash of what was shown, so that a decision counts for nothing else. */

export interface ApprovedCall {
  readonly toolCallId: string;
  readonly hash: string;
}

const mark = ".";

export function toApprovalId({ toolCallId, hash }: ApprovedCall): string {
  return `${toolCallId}${mark}${hash}`;
}

/** Undefined if the text is no such id. */
export function parseApprovalId(id: string): ApprovedCall | undefined {
  const end = id.lastIndexOf(mark);
  if (end <= 0 || end === id.length - 1) return undefined;
  return { toolCallId: id.slice(0, end), hash: id.slice(end + 1) };
}

/** Tool by which pages of AI SDK 5 get approvals, which that version does not have. Its output is `{ approved, reason? }`. */
export const approvalTool = "approval";

/**
 * Tool by which pages get the questions of suspended calls, such as forms of MCP servers. Its input is `{ toolCallId, toolName, input }`, its
 * output the answer. The id of such a call is made like that of an approval, so that an answer counts for no other question.
 */
export const questionTool = "question";
