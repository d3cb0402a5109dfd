import { newId } from './ids';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('newId', () => {
  afterEach(() => jest.restoreAllMocks());

  it('makes distinct UUIDs of version 7 in ascending order', () => {
    const ids = Array.from({ length: 20_000 }, newId);
    for (const id of ids) expect(id).toMatch(UUID_V7);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
  });

  it('begins with the time in milliseconds', () => {
    const now_ms = Date.now() + 60_000;
    jest.spyOn(Date, 'now').mockReturnValue(now_ms);
    expect(Number.parseInt(newId().replace('-', '').slice(0, 12), 16)).toBe(now_ms);
  });

  it('goes on ascending when the clock goes back', () => {
    const now_ms = Date.now() + 120_000;
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now_ms);
    const before = newId();
    clock.mockReturnValue(now_ms - 5_000);
    expect(newId() > before).toBe(true);
  });

  it('differs in its random part from one id to the next', () => {
    const tails = Array.from({ length: 1_000 }, () => newId().slice(-10));
    expect(new Set(tails).size).toBe(tails.length);
  });
});
