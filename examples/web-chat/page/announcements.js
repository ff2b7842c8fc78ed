/** What screen readers are told besides the messages. */

/**
 * @import { ClientSessionState } from "@capstan/client"
 * @param {ClientSessionState} state
 * @returns {string}
 */
export function announcementOf({ status, messages, pendingToolCalls }) {
  const approvals = pendingToolCalls.filter(({ kind }) => kind === "approval");
  if (approvals.length > 0) {
    return `Approval needed: ${approvals.map(({ toolName }) => toolName).join(", ")}`;
  }
  if (status === "running") return "Working";
  const last = messages.findLast(({ role }) => role === "assistant");
  if (last?.role !== "assistant") return "";
  return last.stopReason === "aborted" ? "Stopped" : "Reply complete";
}
