/** A process of a rival: tells its parent the port, and ends with it or when it is told to. */
export function serve(port: number, stop: () => Promise<void>): void {
  const end = () => {
    void stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.once('SIGTERM', end);
  process.once('disconnect', end);
  process.send?.({ port });
}

/** A number from the environment. */
export function setting(name: string): number {
  const value = Number(process.env[name]);
  if (!Number.isSafeInteger(value)) throw new Error(`${name} must be a number.`);
  return value;
}
