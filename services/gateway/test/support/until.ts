/** Waits for what comes in its time; for what does not, half a minute. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end_ms = Date.now() + 30_000;
  while (!(await condition())) {
    if (Date.now() > end_ms) throw new Error('it did not happen');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
