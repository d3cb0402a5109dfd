import { findingOf, KNOWN_FOR_MS } from './tail';

const tail = { sequence: 10, age_ms: 1_000 };
const old = { sequence: 10, age_ms: KNOWN_FOR_MS };

describe('the last acknowledged message, sent again', () => {
  it('is where it was: all before it is there', () => {
    expect(findingOf(tail, { sequence: 10, duplicate: true })).toBe('whole');
    expect(findingOf(old, { sequence: 10, duplicate: true })).toBe('whole');
  });

  it('was lost when another message has its place, however far others have come', () => {
    expect(findingOf(tail, { sequence: 8, duplicate: false })).toBe('lost');
    expect(findingOf(tail, { sequence: 500, duplicate: false })).toBe('lost');
    // Sent again twice, by two replicas.
    expect(findingOf(tail, { sequence: 8, duplicate: true })).toBe('lost');
    expect(findingOf(tail, { sequence: 500, duplicate: true })).toBe('lost');
  });

  it('was lost when it was stored in its own place once more', () => {
    expect(findingOf(tail, { sequence: 10, duplicate: false })).toBe('lost');
    expect(findingOf(old, { sequence: 10, duplicate: false })).toBe('lost');
  });

  it('may have been forgotten by its id only, when it is old', () => {
    expect(findingOf(old, { sequence: 11, duplicate: false })).toBe('stored_again');
    expect(findingOf(old, { sequence: 9, duplicate: false })).toBe('lost');
  });
});
