/** More than a timer can wait; no call takes that long. */
const LONGEST_MS = 2 ** 31 - 1;

/** Calls `onDeadline` at the moment. Does not keep the process alive: the sockets of calls do. */
export function timerUntil(deadline_at_ms: number, onDeadline: () => void): NodeJS.Timeout {
  const wait_ms = Math.min(Math.max(deadline_at_ms - Date.now(), 0), LONGEST_MS);
  return setTimeout(onDeadline, wait_ms).unref();
}
