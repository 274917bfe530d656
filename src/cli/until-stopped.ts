/** Resolves with the name of the signal that asks this process to stop: SIGTERM, or SIGINT (Ctrl-C). */
export function untilStopped(): Promise<string> {
  return new Promise((resolve) => {
    const stop = (signal: string) => {
      // The next Ctrl-C ends the process at once, as is usual.
      process.off('SIGTERM', stop).off('SIGINT', stop);
      resolve(signal);
    };
    process.on('SIGTERM', stop).on('SIGINT', stop);
  });
}
