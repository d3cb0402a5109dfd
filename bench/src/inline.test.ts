import { inlineText, one, text } from './inline';

describe('inlineText', () => {
  it('writes every parameter out, as often as it occurs', () => {
    expect(inlineText('SELECT $1,\n  $2, $1', ['a', text("it's")])).toBe("SELECT a, 'it''s', a");
    expect(inlineText('SELECT $2 + $1 + $2', [':a', ':b'])).toBe('SELECT :b + :a + :b');
  });

  it('refuses values that do not fit', () => {
    expect(() => inlineText('SELECT $2', ['a'])).toThrow('no value for $2');
    expect(() => inlineText('SELECT $1', ['a', 'b'])).toThrow('2 values for 1');
  });

  it('makes arrays of one', () => {
    expect(one(':id', 'uuid')).toBe('ARRAY[:id]::uuid[]');
  });
});
