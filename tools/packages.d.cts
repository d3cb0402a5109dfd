export declare const PAGE: string;
/** What is wrong with a page, given the packages' names: a sentence each. */
export declare function faultsOf(page: string, names: readonly string[]): string[];
