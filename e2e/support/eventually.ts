const TRIES = 200;
const PAUSE_MS = 100;

/** Asks until the answer is as it has to be. */
export async function eventually<T>(ask: () => Promise<T>, is: (answer: T) => boolean): Promise<T> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const answer = await ask();
    if (is(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(`In vain: ${ask}`);
}
