export const question: string;
export function orderOf(): { readonly command: string; readonly where: string };
export function bank(order: string): Promise<string>;
export function answerTo(result: string): string;
