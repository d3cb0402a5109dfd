// Chance as an argument: the same seed gives the same population everywhere.

const { floor, imul } = Math;

export interface Random {
  /** From 0 up to, not including, 1. */
  fraction(): number;
  /** From `least` to `most`, both included. */
  integer(least: number, most: number): number;
  chance(probability: number): boolean;
  /** Standard normal. */
  normal(): number;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
}

/** Mulberry32: 32 bits of state, plenty for a population of this size. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    fraction,
    integer: (least, most) => least + floor(fraction() * (most - least + 1)),
    chance: (probability) => fraction() < probability,
    // A sum of twelve is near enough, and the same on every machine, which a logarithm need not be.
    normal: () => {
      let sum = -6;
      for (let count = 0; count < 12; count += 1) sum += fraction();
      return sum;
    },
    pick: (items) => items[floor(fraction() * items.length)] ?? items[0],
  };
}
