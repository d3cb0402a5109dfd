import { spawnSync } from 'node:child_process';
import { TOOLS } from './tools';

const { commands = {}, everywhere = [] } = TOOLS['kubectl'] ?? {};

function help(...args: string[]): string {
  return spawnSync('kubectl', args, { encoding: 'utf8' }).stdout;
}

/** Whether a page of help has a flag as an option of its own. */
function lists(page: string, flag: string): boolean {
  const name = flag.replace(/=$/, '');
  return page
    .split('\n')
    .map((line) => line.trim())
    .some(
      (line) =>
        line.startsWith(`${name}=`) || line.includes(`${name}, `) || line.includes(`, ${name}=`),
    );
}

/** Of a command that it does not know, kubectl shows another's page. */
function describes(page: string, command: string): boolean {
  return page.includes(`\n  kubectl ${command} `);
}

// No cluster is asked.
test('the kubectl that is installed knows each command and each flag of the table', () => {
  const common = help('options');
  expect(everywhere.filter((flag) => !lists(common, flag))).toEqual([]);
  const unknown = Object.entries(commands).flatMap(([command, flags]) => {
    const page = help(...command.split(' '), '--help');
    if (!describes(page, command)) return [command];
    return flags.filter((flag) => !lists(page, flag)).map((flag) => `${command} ${flag}`);
  });
  expect(unknown).toEqual([]);
  expect(lists(help('get', '--help'), '--no-such-flag')).toBe(false);
  expect(describes(help('rollout', 'forward', '--help'), 'rollout forward')).toBe(false);
}, 300_000);
