/** The parts of jest's JSON results that are read. */
export interface Results {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numRuntimeErrorTestSuites: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    /** The file, absolute. */
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export function countsOf(results: Results): Counts;

/** The files that failed, when all of them may be tried again alone; else none. */
export function toTryAgain(results: Results): string[];

/** The counts of a run of which some files were tried again: those files count as they did then. */
export function countsWithSecond(first: Results, second: Results): Counts;
