import { execFile } from 'node:child_process';
import { mkdir, readFile, statfs } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

const ROOMY = '8g';
const TRIES = 5;

/**
 * A file system of its own that can be made full: it shrinks to what is on it, so that being full
 * takes no more memory than before.
 */
export class SmallDisk {
  private constructor(readonly path: string) {}

  /** Undefined where this user may not mount. */
  static async mount(path: string): Promise<SmallDisk | undefined> {
    await mkdir(path, { recursive: true, mode: 0o700 });
    try {
      await run('mount', ['-t', 'tmpfs', '-o', `size=${ROOMY},mode=0700`, 'faults', path]);
    } catch {
      return undefined;
    }
    return new SmallDisk(path);
  }

  /** Those of a run that is over. */
  static async unmountUnder(directory: string): Promise<void> {
    const mounted = (await readFile('/proc/mounts', 'utf8'))
      .split('\n')
      .map((line) => line.split(' ')[1] ?? '')
      .filter((place) => place.startsWith(`${directory}/`));
    for (const place of mounted) await new SmallDisk(place).unmount();
  }

  /** Leaves no page free, unless the server keeps taking what is measured. */
  async fill(): Promise<void> {
    for (let tried = 1; ; tried += 1) {
      const { blocks, bfree, bsize } = await statfs(this.path);
      try {
        await this.resize(`${(blocks - bfree) * bsize}`);
        return;
      } catch (error) {
        if (tried >= TRIES) throw error;
      }
    }
  }

  free(): Promise<void> {
    return this.resize(ROOMY);
  }

  /** Gone once the last process has let go of it. */
  async unmount(): Promise<void> {
    await run('umount', ['--lazy', this.path]);
  }

  private async resize(size: string): Promise<void> {
    await run('mount', ['-o', `remount,size=${size}`, this.path]);
  }
}
