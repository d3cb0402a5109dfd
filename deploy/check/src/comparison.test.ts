import { checkComparison } from './comparison';

const table = (...rows: string[]) =>
  ['## Beside others', '', '| What | Here |', '| --- | --- |', ...rows].join('\n');

describe('the comparison with others', () => {
  it('names files that are there', () => {
    expect(checkComparison()).toEqual([]);
  });

  it('is told when a row names none, or one that went', () => {
    const text = table(
      '| Probes | [here](../deploy/k8s/base) |',
      '| Rollouts | by hand |',
      '| Secrets | [there](../deploy/k8s/secrets.yaml), [a section](SECRETS.md#the-authority) |',
    );
    expect(checkComparison(text).map(({ message }) => message)).toEqual([
      'Rollouts: names no file of ours',
      'Secrets: there is no ../deploy/k8s/secrets.yaml',
    ]);
    expect(checkComparison('# Nothing').map(({ message }) => message)).toEqual(['is no table']);
  });
});
