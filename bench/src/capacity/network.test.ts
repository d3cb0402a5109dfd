import { OPTION_NAMES, OPTIONS, readNetwork } from './network';

const NETWORK = { subjects: '300e6', 'events-per-second': '50000' };

describe('readNetwork', () => {
  it('takes numbers as one writes them, and what nobody said as the options have it', () => {
    const network = readNetwork({ ...NETWORK, years: '2.5', 'price-core-hour': '0' });
    expect(network).toMatchObject({
      subjects: 300_000_000,
      'events-per-second': 50_000,
      years: 2.5,
      'price-core-hour': 0,
      'server-cores': 16,
    });
    expect(Object.keys(network)).toEqual(OPTION_NAMES);
  });

  it.each([
    [{ 'events-per-second': '1' }, '--subjects is missing: subjects on record.'],
    [{ subjects: '1' }, '--events-per-second is missing'],
    [{ ...NETWORK, subjects: 'many' }, '--subjects must be a number from 1 to 100000000000.'],
    [{ ...NETWORK, subjects: '' }, '--subjects must be a number'],
    [{ ...NETWORK, subjects: '0' }, '--subjects must be a number'],
    [{ ...NETWORK, subjects: '1.5' }, '--subjects must be a whole number.'],
    [{ ...NETWORK, instances: '2.5' }, '--instances must be a whole number.'],
    [{ ...NETWORK, 'events-per-second': '-1' }, '--events-per-second must be a number from 0'],
    [{ ...NETWORK, 'events-per-second': 'Infinity' }, '--events-per-second must be a number'],
    [{ ...NETWORK, 'batch-share': '90' }, '--batch-share must be a number from 0 to 1.'],
    [{ ...NETWORK, utilisation: '0' }, '--utilisation must be a number from 0.05 to 1.'],
    [{ ...NETWORK, 'peak-factor': '0.5' }, '--peak-factor must be a number from 1 to 1000.'],
    [{ ...NETWORK, years: 'NaN' }, '--years must be a number'],
  ])('refuses %j', (given, message) => {
    expect(() => readNetwork(given)).toThrow(message);
  });

  it('has assumptions that it would take itself', () => {
    const said = OPTION_NAMES.flatMap((name) => {
      const option = OPTIONS[name];
      return 'fallback' in option ? [[name, `${option.fallback}`]] : [];
    });
    expect(readNetwork({ ...NETWORK, ...Object.fromEntries(said) })).toEqual(readNetwork(NETWORK));
  });
});
