export declare const order: { readonly where: string; readonly ms: number };
export declare function measure(run: (session: string) => Promise<string>): Promise<void>;
