import {
  type ProcessTimes,
  parseStat,
  secondsIn,
  secondsOf,
  secondsOfTrees,
} from './processor-time';

it('reads what a process and its ended children have used', () => {
  const line =
    '4711 (a (b) c) S 17 4711 4711 0 -1 4194560 123 456 0 0 250 50 120 30 20 0 7 0 9 1 2 3';
  expect(parseStat(line)).toEqual({ parent: 17, own_s: 3, ended_s: 1.5 });
});

it('counts a tree once, from whichever of its processes it is asked for', () => {
  const times = (parent: number, own_s: number, ended_s = 0): ProcessTimes => ({
    parent,
    own_s,
    ended_s,
  });
  const processes = new Map([
    [1, times(0, 100)],
    [10, times(1, 1, 0.5)],
    [11, times(10, 2)],
    [12, times(11, 4)],
    [20, times(1, 8)],
  ]);
  expect(secondsIn(processes, [10])).toBe(7.5);
  expect(secondsIn(processes, [10, 11, 20, 99])).toBe(15.5);
});

it('counts this process', () => {
  expect(secondsOf(process.pid)).toBeGreaterThan(0);
  expect(secondsOfTrees([process.pid])).toBeGreaterThan(0);
});
