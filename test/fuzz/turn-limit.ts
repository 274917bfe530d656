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
 */
export function monitorTurns(turnMaxMs: number, onLong: (ms: number) => void): void {
  watchTurns((ms) => {
    if (ms >= turnMaxMs) onLong(ms);
  });
}

/** Remembers the longest turn of the event loop, in milliseconds of its thread. */
export function createLongestTurn(): { take(): number } {
  let longestMs = 0;
  const look = watchTurns((ms) => {
    longestMs = Math.max(longestMs, ms);
  });
  return {
    /** The longest turn since this was asked last, with the one that has just ended. */
    take() {
      look();
      const ms = longestMs;
      longestMs = 0;
      return ms;
    },
  };
}

/** Measures each turn of the event loop. @returns measures what came after the last look at once */
function watchTurns(onTurn: (ms: number) => void): () => void {
  let before = process.threadCpuUsage();
  const look = () => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    // Between two looks are a turn and what the timer waited for, which costs the thread nothing.
    onTurn((user + system) / 1_000);
  };
  setInterval(look, EVERY_MS).unref();
  return look;
}
