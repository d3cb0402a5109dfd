import { readFileSync } from 'node:fs';
import path from 'node:path';
import { COMMANDS, resolveCommand, usage } from './commands';

const ROOT = path.resolve(__dirname, '../../../..');

it('runs a subcommand of a service, with what was said after it', () => {
  expect(resolveCommand(['dead-letters', 'webhooks', '--discard', '--event', 'x'])).toEqual({
    service: 'webhooks',
    args: ['dead-letters', '--discard', '--event', 'x'],
  });
  expect(resolveCommand(['reseal', 'identity', '--dry-run'])).toEqual({
    service: 'identity',
    args: ['sealed-secrets', '--reseal', '--dry-run'],
  });
  expect(resolveCommand(['institution', 'some-id', '--suspend'])).toEqual({
    service: 'identity',
    args: ['institution', 'some-id', '--suspend'],
  });
});

it('refuses what it does not know, and says what there is', () => {
  expect(() => resolveCommand([])).toThrow('What is to be done?');
  expect(() => resolveCommand(['replya', 'scoring'])).toThrow('no command replya');
  expect(() => resolveCommand(['replay', '--consumer', 'x'])).toThrow('needs a service first');
  expect(() => resolveCommand(['reseal', 'scoring'])).toThrow('identity, webhooks');
  for (const { name } of COMMANDS) expect(usage()).toContain(`  ${name} `);
});

it('can be tried without effect, whatever changes something, and is in the runbook', () => {
  const runbook = readFileSync(path.join(ROOT, 'docs/runbooks/operate.md'), 'utf8');
  for (const { name, usage: options } of COMMANDS) {
    expect([name, options.includes('--dry-run')]).toEqual([name, true]);
    expect(runbook).toContain(`npm run operate -- ${name}`);
  }
});
