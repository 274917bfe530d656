import type { Budget } from '../budget.ts';
import type { CallClass } from '../call-class.ts';
import { createSharedBudget } from '../shared-budget.ts';
import type { Turn } from '../turns.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { createMemoryCell, type MemoryCell } from './memory-cell.ts';

const MARGIN_MS = 25;

/** One request that left. */
export interface Sent {
  readonly host: number;
  readonly name: string;
  readonly atMs: number;
}

/** Processes with one token on one clock. */
export interface Group {
  readonly clock: FakeClock;
  readonly cell: MemoryCell;
  readonly budgets: readonly Budget[];
  readonly sent: Sent[];
  /** Asks for a turn in a process, sends after `lateMs` unless that is too late, and ends it. */
  ask(host: number, name: string, options?: AskOptions): Promise<void>;
  take(host: number, callClass?: CallClass): Promise<Turn>;
}

/** Request of a turn, and the delay before it leaves. */
export interface AskOptions {
  readonly callClass?: CallClass;
  readonly lateMs?: number;
}

/** A group of processes that have asked for nothing yet. */
export function createGroup(hosts: number, requestsPerSecond = 5): Group {
  const clock = createFakeClock();
  const cell = createMemoryCell(clock);
  cell.delaysMs = [1, 3, 2];
  const budgets = Array.from({ length: hosts }, (_, n) =>
    createSharedBudget(
      { requestsPerSecond, marginMs: MARGIN_MS, inFlightMax: 64, queueMax: 10_000, clock },
      { cell, owner: `host-${n}` },
    ),
  );
  const sent: Sent[] = [];

  async function take(host: number, callClass: CallClass = 'change'): Promise<Turn> {
    const request = { operation: 'x.y', callClass, key: undefined, signal: undefined };
    const turn = await budgets[host]?.take({ ...request, again: false });
    if (turn === undefined) throw new Error('there is no such process');
    return turn;
  }

  return {
    clock,
    cell,
    budgets,
    sent,
    take,
    async ask(host, name, { callClass, lateMs = 5 } = {}) {
      const turn = await take(host, callClass);
      if (lateMs > 0) await clock.sleep(lateMs);
      if (!turn.isLapsed()) {
        sent.push({ host, name, atMs: clock.now() });
        turn.sent();
      }
      turn.end();
    },
  };
}

/** The most requests that left within a second. */
export function findBusiest(sent: readonly Sent[]): number {
  const counts = sent.map(
    ({ atMs: from }) => sent.filter(({ atMs }) => atMs >= from && atMs < from + 1_000).length,
  );
  return Math.max(...counts);
}

/** Sends many calls of one kind in one process; those that are left at the end are refused. */
export function flood(group: Group, host: number, count: number, options: AskOptions = {}): void {
  for (let n = 0; n < count; n += 1) {
    void group.ask(host, `${options.callClass ?? 'change'}`, options).catch(() => undefined);
  }
}
