/** OpenAI models on Azure, at `https://<resource>.openai.azure.com/openai/v1`. The model id is the name of the deployment. */
import { openAiResponses } from "../protocols/openai-responses/openai-responses.ts";
import type { Vendor } from "../wire/vendor.ts";
import { openAiVendor } from "./openai.ts";

export const azureVendor: Vendor = {
  id: "azure",
  name: "Azure OpenAI",
  protocol: openAiResponses,
  // Each customer has its own host.
  baseUrl: "",
  baseUrlVariable: "AZURE_OPENAI_BASE_URL",
  keyVariable: "AZURE_OPENAI_API_KEY",
  ...(openAiVendor.media && { media: openAiVendor.media }),
  quirks: { keyHeader: "api-key" },
};
