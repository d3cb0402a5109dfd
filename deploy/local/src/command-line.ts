import { createHash } from 'node:crypto';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

// What the tools of lenders have in common: furnish reports a file, listen follows the feed.

/** The command is not one that the tool takes: the message and how it is used are shown. */
export class Misused extends Error {}

/** How a tool is told which network it speaks to, and as whom. */
export const NETWORK_OPTIONS = {
  base: { type: 'string', default: 'http://127.0.0.1:8080/api/v1' },
  key: { type: 'string' },
} as const;

/** How a usage says it. */
export const NETWORK_USAGE = `The network is --base URL (${NETWORK_OPTIONS.base.default} unless said). The key is read from
CREDIT_API_KEY, or given as --key, which others on the machine can see.`;

type Parsed<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: true }>
>;

/** The arguments of a tool by its options. */
export function readArguments<const Options extends ParseArgsOptionsConfig>(
  args: string[],
  options: Options,
): Parsed<Options> {
  try {
    return parseArgs({ args, options, allowPositionals: true }) as Parsed<Options>;
  } catch (error) {
    throw new Misused(error instanceof Error ? error.message : String(error));
  }
}

/** The address of the API, without a slash at its end. */
export function readBase(base: string): string {
  const url = URL.parse(base);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Misused('--base is no address.');
  if (url.username !== '' || url.password !== '') throw new Misused('--base holds a password.');
  return base.replace(/\/$/, '');
}

/** The key by which the tool calls; undefined when there is none. It is never shown. */
export function readKey(
  given: string | undefined,
  environment: NodeJS.ProcessEnv,
): string | undefined {
  const key = given ?? environment.CREDIT_API_KEY ?? '';
  return key === '' ? undefined : key;
}

/** The key of a tool that cannot do without. */
export function requireKey(key: string | undefined): string {
  if (key === undefined) throw new Misused('Neither CREDIT_API_KEY nor --key is set.');
  return key;
}

/** What is kept of a key in files: of one for test data nothing follows for live data. */
export function keyMark(key: string | undefined): string {
  return createHash('sha256')
    .update(key ?? '')
    .digest('hex');
}

/** Runs a tool to its end; what it throws is shown, and decides its exit code. */
export function runTool(tool: {
  readonly usage: string;
  readonly main: () => Promise<number>;
  readonly exitCodeOf: (error: unknown) => number;
}): void {
  tool.main().then(
    (code) => {
      process.exitCode = code;
    },
    (error: unknown) => {
      console.error(error instanceof Error ? error.message : error);
      if (error instanceof Misused) console.error(tool.usage);
      process.exitCode = tool.exitCodeOf(error);
    },
  );
}
