import { type Picture, rounded, share } from './picture';

/** Part of a whole, as a bar from the left. */
export function bar(
  { name, value, max }: { readonly name: string; readonly value: number; readonly max: number },
  { width, height }: { readonly width: number; readonly height: number } = {
    width: 100,
    height: 8,
  },
): Picture {
  const filled = rounded(width * share(value, 0, max));
  return {
    name: 'bar-picture',
    says: `${name}: ${value} of ${max}`,
    x: 0,
    y: 0,
    width,
    height,
    stretches: true,
    groups: [
      {
        marks: [
          { kind: 'rect', role: 'bar-track', x: 0, y: 0, width, height },
          { kind: 'rect', role: 'bar-value', x: 0, y: 0, width: filled, height },
        ],
      },
    ],
  };
}
