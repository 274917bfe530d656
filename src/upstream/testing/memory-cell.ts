import type { Clock } from '../clock.ts';
import type { SharedCell, SharedReading } from '../shared-rate.ts';

/** A cell in memory, which can be slow, lost and out of reach. */
export interface MemoryCell extends SharedCell {
  /** Durations of its operations in turn, in milliseconds. */
  delaysMs: readonly number[];
  /** `after`: the text is written, and the writer does not learn of it. */
  trouble: 'none' | 'before' | 'after';
  /** Lead of its clock over the one that it was made with, in milliseconds. */
  aheadMs: number;
  readonly text: SharedReading['text'];
  readonly reads: number;
  readonly writes: number;
  /** Loses the text, as in a crash of the storage. */
  lose(): void;
}

/** A cell that was never written. */
export function createMemoryCell(clock: Clock): MemoryCell {
  let version = 0;
  let text: SharedReading['text'] = null;
  let operations = 0;
  const count = { reads: 0, writes: 0 };

  async function operate(cell: MemoryCell): Promise<void> {
    const delayMs = cell.delaysMs[operations % cell.delaysMs.length] ?? 0;
    operations += 1;
    if (delayMs > 0) await clock.sleep(delayMs);
    if (cell.trouble === 'before') throw new Error('the cell is out of reach');
  }

  const cell: MemoryCell = {
    delaysMs: [],
    trouble: 'none',
    aheadMs: 0,
    get text() {
      return text;
    },
    get reads() {
      return count.reads;
    },
    get writes() {
      return count.writes;
    },
    lose() {
      version += 1_000_000;
      text = undefined;
    },
    async read() {
      count.reads += 1;
      await operate(cell);
      return { version, text, nowMs: clock.now() + cell.aheadMs };
    },
    async replace(expected, next) {
      count.writes += 1;
      await operate(cell);
      if (expected !== version) return false;
      version += 1;
      text = next;
      if (cell.trouble === 'after') throw new Error('the answer was lost');
      return true;
    },
  };
  return cell;
}
