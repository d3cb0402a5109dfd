import { createOutput, type OutputOptions } from './output';

function capture(options: Partial<OutputOptions> = {}) {
  const written: string[] = [];
  const output = createOutput({
    write: (text) => written.push(text),
    format: 'line',
    colour: false,
    verbose: false,
    ...options,
  });
  return { output, written };
}

const record = (rest: object) =>
  JSON.stringify({ level: 'info', time: '2026-03-04T05:06:07.089Z', service: 'scoring', ...rest });

describe('the output of the system', () => {
  it("puts a service's record on one line", () => {
    const { output, written } = capture();
    output.child('scoring', record({ msg: 'done', took_ms: 3, path: '/a b', nested: { a: 1 } }));
    expect(written).toEqual([
      '05:06:07.089 scoring    done took_ms=3 path="/a b" nested={"a":1}\n',
    ]);
  });

  it('shows levels other than info, and the stack below', () => {
    const { output, written } = capture();
    const err = { message: 'no luck', stack: 'Error: no luck\n    at one\n    at two' };
    output.child('scoring', record({ level: 'error', msg: 'failed', err }));
    expect(written).toEqual([
      '05:06:07.089 scoring    ERROR failed err="no luck"\n    at one\n    at two\n',
    ]);
  });

  it.each(['plain words', '{"broken": '])('passes on what is no record: %s', (line) => {
    const { output, written } = capture();
    output.child('scoring', line);
    expect(written[0]?.slice(12)).toBe(` scoring    ${line}\n`);
  });

  it('prints nothing for nothing', () => {
    const { output, written } = capture();
    output.child('scoring', '');
    output.server('postgres').info('checkpoint');
    output.say('debug', 'detail');
    expect(written).toEqual([]);
  });

  it('passes JSON through for machines, and wraps the rest in it', () => {
    const { output, written } = capture({ format: 'json' });
    output.child('scoring', record({ msg: 'done' }));
    output.child('scoring', 'plain words');
    output.server('postgres').error('no space');
    expect(written[0]).toBe(`${record({ msg: 'done' })}\n`);
    expect(written.slice(1).map((text) => JSON.parse(text))).toMatchObject([
      { level: 'info', service: 'scoring', msg: 'plain words' },
      { level: 'error', service: 'postgres', msg: 'no space' },
    ]);
  });
});
