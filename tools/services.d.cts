/** A service behind the gateway, as deploy/services.json has it. */
export interface TableService {
  readonly name: string;
  /** Whom it calls; they stand before it. */
  readonly peers?: readonly string[];
  /** `two`: a role for live and one for test data; `one`: a role for all it has. */
  readonly database: 'one' | 'two';
  /** Speaks to NATS. */
  readonly bus?: boolean;
  /** Has an HTTP port for documents, of which the gateway is told. */
  readonly documents?: boolean;
  /** May reach a mail server. */
  readonly mails?: boolean;
  /** May reach any public address. */
  readonly calls_internet?: boolean;
  /** CronJobs beside the server, with files of their own in the service's folder. */
  readonly jobs?: readonly string[];
  readonly secrets?: readonly {
    readonly variable: string;
    readonly secret: string;
    readonly key: string;
    readonly optional?: boolean;
    readonly why?: string;
  }[];
  readonly config: Readonly<Record<string, string>>;
  readonly cpu: string;
  readonly memory: { readonly request: string; readonly limit: string; readonly why?: string };
  /** Of an autoscaler by processor time; without it KEDA or nobody scales. */
  readonly replicas?: { readonly least: number; readonly most: number };
}

/** A database server of a network whose services have servers of their own, as deploy/services.json has it. */
export interface TableServer {
  readonly name: string;
  /** Whose data it has. */
  readonly services: readonly string[];
  /** Of which environments; of both without. */
  readonly environments?: ReadonlyArray<'live' | 'test'>;
  /** Of each of its instances. */
  readonly storage: string;
}

/** The checked table. */
export function readTable(folder?: string): TableService[];

/** Every file that the table decides about, by its path; `read` gives what is there now. */
export function filesOf(
  rpc: readonly TableService[],
  read?: (file: string) => string,
  drills?: readonly string[],
  servers?: readonly TableServer[],
): Record<string, string>;
