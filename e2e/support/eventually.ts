const PAUSE_MS = 100;

/** Asks until the answer is as it has to be, which on a machine with much to do may take a while. */
export async function eventually<T>(
  ask: () => T | Promise<T>,
  is: (answer: T) => boolean,
  within_ms = 30_000,
): Promise<T> {
  const until_ms = performance.now() + within_ms;
  for (;;) {
    const answer = await ask();
    if (is(answer)) return answer;
    if (performance.now() > until_ms) throw new Error(`In vain: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
