/** Recognizes context overflows by vendors' messages. There is no status for it, and hardly two vendors use the same words. */

interface Saying {
  /** Vendor that uses these words; other hosts of the same models pass them on. */
  readonly of: string;
  readonly words: RegExp;
}

const sayings: readonly Saying[] = [
  { of: "OpenAI, Azure, Groq and many others, as a code", words: /context[_ ]length[_ ]exceeded/ },
  { of: "OpenAI, Responses", words: /exceeds the context window/ },
  // Also DeepSeek, OpenRouter, vLLM, SGLang, Mistral and Fireworks, in similar sentences.
  { of: "OpenAI, Chat", words: /maximum context length/ },
  { of: "OpenAI, newer models", words: /input tokens exceed the configured limit/ },
  // A single request above the limit per minute: waiting does not help, sending less does.
  { of: "OpenAI and Groq, as a rate limit", words: /request too large for .* tokens per min/ },
  { of: "Anthropic", words: /prompt is too long/ },
  { of: "Anthropic, with room for the answer", words: /exceed(s|ed)? (the )?context limit/ },
  { of: "Google", words: /input token count.* exceeds the maximum/ },
  { of: "xAI", words: /maximum prompt length is/ },
  { of: "Groq and Cerebras", words: /reduce the length of the messages/ },
  { of: "Bedrock", words: /input is too long for (the |this )?(requested )?model/ },
  { of: "Copilot", words: /prompt token count of \d+ exceeds the limit/ },
  { of: "Together and SGLang", words: /longer than the model'?s context length/ },
  { of: "OpenRouter's hosts", words: /exceeds (the )?maximum allowed input length/ },
  { of: "vLLM", words: /longer than the maximum model length/ },
  { of: "llama.cpp", words: /exceeds the available context size|exceed_context_size_error/ },
  { of: "llama.cpp, in a stream", words: /context size has been exceeded/ },
  { of: "LM Studio", words: /greater than the context length|context length of only \d+/ },
  { of: "Ollama", words: /exceeded (max )?context length|input length exceeds the context length/ },
  { of: "Moonshot", words: /exceeded model token limit/ },
  { of: "MiniMax", words: /context window exceeds limit/ },
  { of: "Z.ai", words: /model_context_window_exceeded|prompt exceeds max length/ },
  { of: "Alibaba", words: /range of input length should be/ },
  { of: "proxies, of too many bytes", words: /(request entity|payload|content) too large/ },
  { of: "Hugging Face", words: /inputs` tokens \+ `max_new_tokens` must be/ },
];

export function isContextOverflow(text: string): boolean {
  const lowered = text.toLowerCase();
  return sayings.some(({ words }) => words.test(lowered));
}
