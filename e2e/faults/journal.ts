import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { PlannedFault } from './plan';
import type { Leak } from './secrets';
import type { Topology } from './store-plan';

/** What a request does to the register of what works: credentials, sessions, open files. */
export interface Register {
  /** It ends what this names, from its answer on. */
  readonly ends?: string;
  /** It may bring it back, from when it is sent. */
  readonly restores?: string;
  /** It can succeed only while this works. */
  readonly uses?: string;
}

/** What a request is about, as far as the verdict needs to know. */
export interface Intent extends Register {
  readonly kind:
    | 'account'
    | 'event'
    | 'bulk'
    | 'profile'
    | 'dispute'
    | 'decision'
    | 'foreign'
    | 'register'
    | 'import'
    | 'report'
    | 'limited'
    | 'other';
  /** Tells this operation's attempts from others'. */
  readonly operation: string;
  /** Source references of its events, or the external ids of its accounts. */
  readonly references?: readonly string[];
  /** Of its file. */
  readonly sha256?: string;
  /** It is not sent again when nobody knows what became of it. */
  readonly once?: boolean;
}

/** What a process held at some time. */
export interface Held {
  readonly name: string;
  readonly pid: number;
  readonly memory_mb: number;
  readonly files: number;
}

/** One line. Times are milliseconds since the run began. */
export type Entry =
  | {
      readonly t: 'run';
      readonly seed: number;
      readonly duration_ms: number;
      readonly topology: Topology;
      readonly faults: readonly PlannedFault[];
    }
  | { readonly t: 'world'; readonly world: WorldRecord }
  /** When it is 0 here. */
  | { readonly t: 'clock'; readonly epoch_ms: number }
  | {
      readonly t: 'sample';
      readonly at_ms: number;
      readonly processes: readonly Held[];
      /** Of the services to PostgreSQL. */
      readonly connections: number;
    }
  | { readonly t: 'overload'; readonly at_ms: number; readonly phase: 'begins' | 'ends' }
  | {
      readonly t: 'sent';
      readonly id: number;
      readonly at_ms: number;
      readonly gateway: number;
      readonly method: string;
      readonly path: string;
      readonly key?: string;
      readonly intent: Intent;
    }
  | {
      readonly t: 'got';
      readonly id: number;
      readonly at_ms: number;
      /** 0 when no whole answer came. */
      readonly status: number;
      readonly text: string;
    }
  | {
      readonly t: 'fault';
      readonly at_ms: number;
      readonly number: number;
      readonly phase: 'begins' | 'ends';
    }
  | {
      readonly t: 'crash';
      readonly at_ms: number;
      /** Of the fault. */
      readonly number: number;
      readonly point: string;
      /** False when nobody came by. */
      readonly crashed: boolean;
    }
  | {
      readonly t: 'delivery';
      readonly at_ms: number;
      readonly hook: string;
      readonly event_id: string;
      readonly type: string;
      readonly credit_event_id?: string;
      readonly verified: boolean;
      readonly accepted: boolean;
    }
  | { readonly t: 'rest'; readonly at_ms: number; readonly reached: boolean; readonly what: string }
  | { readonly t: 'observed'; readonly observed: Observed };

/** Who takes part. */
export interface WorldRecord {
  /** By the path of its receiver. */
  readonly hooks: Readonly<
    Record<string, { readonly institution_id: string; readonly types: readonly string[] }>
  >;
  /** Has a stake in nothing. */
  readonly stranger_hook: string;
}

/** What stands in the databases when all has come to rest. */
export interface Observed {
  readonly events: readonly {
    readonly id: string;
    readonly reference: string | null;
    /** Who is told of it: undefined where nobody is. */
    readonly receivers?: readonly string[] | null;
    /** As what: undefined where it is no notice. */
    readonly notice?: string | null;
  }[];
  readonly accounts: readonly { readonly id: string; readonly external_id: string }[];
  readonly disputes: readonly { readonly id: string; readonly status: string }[];
  readonly imports: readonly {
    readonly id: string;
    readonly state: string;
    readonly reported: number;
    readonly existing: number;
    readonly refused: number;
    /** Null until the whole file was there. */
    readonly sha256: string | null;
  }[];
  readonly reports: readonly {
    readonly id: string;
    readonly status: string;
    readonly said_sha256: string | null;
    /** Of the document that is kept. */
    readonly sha256: string | null;
  }[];
  /** Rows of test data, of which the run makes none. */
  readonly test_rows: number;
  readonly audit: readonly {
    readonly action: string;
    readonly target_id: string;
    readonly count: number;
  }[];
  readonly unpublished: number;
  readonly dead_letters: number;
  readonly pending_deliveries: number;
  /** Nothing, where nothing stands that must not. */
  readonly leaks: readonly Leak[];
  readonly commands: readonly {
    readonly name: string;
    readonly exit_code: number;
    readonly output: string;
  }[];
}

/** What a request is called in logs and audit entries. */
export const requestId = (seed: number, id: number) => `faults-${seed}-${id}`;

/** Writes what happened, as it happens: a harness that is killed leaves what it had seen. */
export class Journal {
  readonly entries: Entry[] = [];
  private readonly file: number;
  /** Of a clock that nobody sets. */
  private began_ms = performance.now();
  private next_id = 1;

  constructor(path: string) {
    this.file = openSync(path, 'w', 0o600);
  }

  /** Everything before was preparation: the run's time begins here. */
  begin(): void {
    this.began_ms = performance.now();
    this.write({ t: 'clock', epoch_ms: Date.now() });
  }

  now_ms(): number {
    return Math.floor(performance.now() - this.began_ms);
  }

  newId(): number {
    const id = this.next_id;
    this.next_id += 1;
    return id;
  }

  write(entry: Entry): void {
    this.entries.push(entry);
    writeSync(this.file, `${JSON.stringify(entry)}\n`);
  }

  close(): void {
    closeSync(this.file);
  }
}

export function readJournal(path: string): Entry[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry);
}
