import type { FC } from 'hono/jsx';
import { encode } from 'uqr';

/** Longer than any address of an authenticator's secret. */
const MAX_LENGTH = 1_000;

/** A text as a picture that cameras read: dark on light in either theme, with the margin they need. */
export const QrCode: FC<{ text: string; says: string }> = ({ text, says }) => {
  if (text === '' || text.length > MAX_LENGTH) return null;
  const { data, size } = encode(text, { ecc: 'M', border: 4 });
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={says}>
      <rect width={size} height={size} fill="#fff" />
      <path d={data.flatMap(runsOf).join('')} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
};

/** The dark parts of a row, each as one bar. */
function runsOf(row: readonly boolean[], y: number): string[] {
  const runs: string[] = [];
  for (let x = 0; x < row.length; x++) {
    if (!row[x]) continue;
    const from = x;
    while (row[x + 1]) x++;
    const width = x + 1 - from;
    runs.push(`M${from} ${y}h${width}v1h-${width}z`);
  }
  return runs;
}
