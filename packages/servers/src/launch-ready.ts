import {
  type Exit,
  freePort,
  type Launched,
  type LaunchOptions,
  launch,
  terminate,
  within,
} from './launch';

/** How a server is started that listens on a port. */
export interface ReadyOptions {
  /** 0 or nothing takes a free one, and another when somebody else was quicker. */
  readonly port: number | undefined;
  readonly ready_timeout_ms: number | undefined;
  readonly stop: { readonly signal: NodeJS.Signals; readonly timeout_ms: number };
  /** Writes what the server reads, and says what to start. */
  readonly prepare: (
    port: number,
  ) => Omit<LaunchOptions, 'onLine'> | Promise<Omit<LaunchOptions, 'onLine'>>;
  readonly onLine: (line: string) => void;
  /** Asked again and again until it is, or has ended. */
  readonly isReady: (launched: Launched, port: number) => Promise<boolean>;
  /** Whether what it said last is that its port was taken. */
  readonly tellsTakenPort: (output: string) => boolean;
  /** Whether it is something else that passes by itself. */
  readonly tellsAnotherTry?: (output: string) => boolean;
  /** The message of the error, with what it said last. */
  readonly failure: (recent: readonly string[]) => string;
}

/** A server that answers. */
export interface ReadyServer {
  readonly port: number;
  readonly pid: number;
  readonly exited: Promise<Exit>;
  stop(): Promise<void>;
}

/** A busy machine takes long; a server that will not start ends, and that is seen at once. */
export const READY_TIMEOUT_MS = 5 * 60_000;
const LOOK_EVERY_MS = 25;
const RECENT_LINES = 20;

/** Starts a server and waits until it is ready; one that does not become so is gone when this rejects. */
export async function launchReady(options: ReadyOptions): Promise<ReadyServer> {
  const { stop, tellsTakenPort, tellsAnotherTry = () => false } = options;
  const deadline_ms = Date.now() + (options.ready_timeout_ms ?? READY_TIMEOUT_MS);
  for (;;) {
    const port = options.port || (await freePort());
    const recent: string[] = [];
    const launched = await launch({
      ...(await options.prepare(port)),
      onLine: (line) => {
        recent.push(line);
        if (recent.length > RECENT_LINES) recent.shift();
        options.onLine(line);
      },
    });
    if (await becomesReady(() => options.isReady(launched, port), launched, deadline_ms)) {
      return {
        port,
        pid: launched.pid,
        exited: launched.exited,
        stop: () => terminate(launched, stop.signal, stop.timeout_ms),
      };
    }
    await terminate(launched, stop.signal, stop.timeout_ms);
    await pause(100); // its last lines may still be in the pipe
    const output = recent.join('\n');
    const retry = tellsAnotherTry(output) || (!options.port && tellsTakenPort(output));
    if (!retry || Date.now() >= deadline_ms) throw new Error(options.failure(recent));
    await pause(200);
  }
}

async function becomesReady(
  isReady: () => Promise<boolean>,
  { exited }: Launched,
  deadline_ms: number,
): Promise<boolean> {
  while (Date.now() < deadline_ms) {
    if (await isReady()) return true;
    if (await within(LOOK_EVERY_MS, exited)) return false;
  }
  return false;
}

export function pause(delay_ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delay_ms));
}
