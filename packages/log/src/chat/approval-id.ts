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
