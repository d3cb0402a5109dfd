import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { LanguageId } from '@credit/portal';

const run = promisify(execFile);
const TIMEOUT_MS = 30_000;

/** Languages that run on every machine that has what the guides ask for. */
export const RUNNABLE = ['curl', 'node', 'python'] as const satisfies readonly LanguageId[];

export type Runnable = (typeof RUNNABLE)[number];

const FILES = { curl: 'sample.sh', node: 'sample.mjs', python: 'sample.py' } as const;

// An interpreter takes longer to start than a sample to run: each runs the samples of its language, one
// after the other, every one as a program of its own in a folder of its own. A line names the file, a
// line answers what it printed and how it failed.
const INTERPRETERS = {
  node: [
    process.execPath,
    '--input-type=module',
    '-e',
    `import { createInterface } from 'node:readline';
     import { dirname } from 'node:path';
     import { pathToFileURL } from 'node:url';
     for await (const file of createInterface(process.stdin)) {
       const said = { printed: '' };
       console.log = (...parts) => { said.printed += parts.join(' ') + '\\n'; };
       process.chdir(dirname(file));
       try { await import(pathToFileURL(file)); } catch (error) { said.failed = String(error?.stack ?? error); }
       process.stdout.write(JSON.stringify(said) + '\\n');
     }`,
  ],
  python: [
    'python3',
    '-c',
    `import contextlib, io, json, os, runpy, sys, traceback
for line in iter(sys.stdin.readline, ""):
    file, said, out = line.strip(), {}, io.StringIO()
    os.chdir(os.path.dirname(file))
    try:
        with contextlib.redirect_stdout(out):
            runpy.run_path(file, run_name="__main__")
    except SystemExit as end:
        if end.code: said["failed"] = str(end.code)
    except BaseException:
        said["failed"] = traceback.format_exc()
    said["printed"] = out.getvalue()
    print(json.dumps(said), flush=True)`,
  ],
} as const;

interface Said {
  readonly printed: string;
  readonly failed?: string;
}

/** A started interpreter: it runs one sample at a time. */
class Interpreter {
  private readonly answers: AsyncIterator<string>;
  private constructor(private readonly child: ChildProcess) {
    if (child.stdout === null) throw new Error('An interpreter has no output.');
    this.answers = createInterface(child.stdout)[Symbol.asyncIterator]();
  }

  static start([command, ...args]: readonly [string, ...string[]]): Interpreter {
    return new Interpreter(spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] }));
  }

  async run(file: string): Promise<Said> {
    const late = setTimeout(() => this.child.kill('SIGKILL'), TIMEOUT_MS);
    try {
      this.child.stdin?.write(`${file}\n`);
      const { value, done } = await this.answers.next();
      if (done === true) throw new Error('The interpreter has ended.');
      return JSON.parse(value) as Said;
    } finally {
      clearTimeout(late);
    }
  }

  stop(): void {
    this.child.stdin?.end();
  }
}

/** Runs samples as they stand; languages run beside each other, the samples of one in turn. */
export class SampleRunner {
  private readonly started = new Map<keyof typeof INTERPRETERS, Interpreter>();

  /** What a sample printed. A failure is an error. */
  async run(language: Runnable, code: string): Promise<string> {
    const folder = mkdtempSync(path.join(tmpdir(), 'sample-'));
    try {
      const file = path.join(folder, FILES[language]);
      writeFileSync(file, code);
      const { printed, failed } =
        language === 'curl'
          ? await withBash(file, folder)
          : await this.interpreter(language).run(file);
      if (failed !== undefined) throw new Error(`${code}\n${printed}${failed}`);
      return printed;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  stop(): void {
    for (const interpreter of this.started.values()) interpreter.stop();
  }

  private interpreter(language: keyof typeof INTERPRETERS): Interpreter {
    const found = this.started.get(language) ?? Interpreter.start(INTERPRETERS[language]);
    this.started.set(language, found);
    return found;
  }
}

async function withBash(file: string, cwd: string): Promise<Said> {
  try {
    const { stdout } = await run('bash', [file], { cwd, timeout: TIMEOUT_MS });
    return { printed: stdout };
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return { printed: stdout, failed: `${stderr}${error}` };
  }
}

/** The JSON that a sample printed after the status; undefined when there was no body. */
export function bodyIn(printed: string): unknown {
  const at = printed.search(/[[{]/);
  return at < 0 ? undefined : JSON.parse(printed.slice(at));
}
