/** No turn of the event loop may take longer, in milliseconds of its thread: what others on the machine take does not count. */
const TURN_MAX_MS = 100;
const EVERY_MS = 10;
/** The modules of a start are read in long turns. */
const START_MS = 5_000;

/** Tells of each turn of the event loop that took too long. */
export function monitorTurns(onLong: (ms: number) => void): void {
  let before = process.threadCpuUsage();
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    const ms = (user + system) / 1_000;
    // Between two looks are a turn and what the timer waited for, which costs the thread nothing.
    if (ms >= TURN_MAX_MS && performance.now() > START_MS) onLong(ms);
  }, EVERY_MS).unref();
}
