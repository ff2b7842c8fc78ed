/** What the models of all apps do: look the order up, refund it, say so. */
export const steps = [
  { id: "call1", tool: "find_order", input: { id: "A7" } },
  { id: "call2", tool: "refund", input: { id: "A7", amount: 120 } },
  { text: "Your refund of 120 is on its way." },
];
