/** Recognizes used-up quotas by vendors' messages. The status is that of a rate limit or an invalid request, but waiting does not help. */

const sayings: readonly RegExp[] = [
  // DeepSeek, Moonshot, OpenRouter, and OpenAI's code for it.
  /insufficient[_ ](quota|balance|credits?|funds)/,
  /(exceeded|exceeds) (your|the) (account )?balance|balance is (too low|not enough|exhausted)/,
  // Anthropic: "Your credit balance is too low". xAI: "used all available credits".
  /credit balance|credit[_ ]limit|(all|any|no|out of|enough|remaining) (your |available |more )?credits/,
  /credits? (are|is|has been|have been) (depleted|exhausted|used up)/,
  // OpenAI and compatible vendors: "check your plan and billing details", "billing_hard_limit_reached".
  /billing[_ ](details|hard[_ ]limit|account|issue|period)|check your billing|payment required/,
  /(monthly|spending|spend|usage) (spending |usage )?limit (is |has been |was )?(reached|exceeded)/,
  /(reached|exceeded|hit) (your|its|the|their) (monthly |current )?(spending|spend|usage) (limit|cap)/,
  /reached (your|its|the) monthly/,
  // Alibaba: overdue payments.
  /arrearage|account is (suspended|not active|deactivated)/,
];

export function isSpentQuota(text: string): boolean {
  const lowered = text.toLowerCase();
  return sayings.some((words) => words.test(lowered));
}
