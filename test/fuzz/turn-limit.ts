const EVERY_MS = 10;

/** The line in which a process tells of a long turn. */
export function describeLongTurn(ms: number): string {
  return `fuzz-probe: a turn took ${Math.round(ms)} ms`;
}

/** Such lines of an output, of turns that took too long. */
export function findLongTurns(output: string, turnMaxMs: number): string[] {
  const told = [...output.matchAll(/fuzz-probe: a turn took (\d+) ms/g)];
  return told.filter(([, ms]) => Number(ms) >= turnMaxMs).map(([line]) => line);
}

/**
 * Tells of each turn of the event loop that took too long.
 * @param turnMaxMs in milliseconds of its thread: what others on the machine take does not count
 * @param startMs how long after the start nothing is told: its modules are read in long turns
 */
export function monitorTurns(
  { turnMaxMs, startMs }: { turnMaxMs: number; startMs: number },
  onLong: (ms: number) => void,
): void {
  let before = process.threadCpuUsage();
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    const ms = (user + system) / 1_000;
    // Between two looks are a turn and what the timer waited for, which costs the thread nothing.
    if (ms >= turnMaxMs && performance.now() > startMs) onLong(ms);
  }, EVERY_MS).unref();
}
