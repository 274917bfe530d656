import { setTimeout as sleep } from 'node:timers/promises';
import { type BridgeProcess, startBridge } from '../support/server.ts';
import type { Trace } from './trace.ts';

/** How often a start is tried again: one fails while the store is away. */
const STARTS_MAX = 20;
const RESTART_MS = 250;

/** Processes of the bridge on one store, ended and started again as often as one likes. */
export interface Lives {
  /** One that lives, as soon as there is one; the n-th of them, counted round. */
  wait(n: number): Promise<BridgeProcess>;
  /** SIGKILL for one of them, and another life. */
  kill(slot: number): Promise<void>;
  /** SIGTERM for one of them, and another life. */
  stopOne(slot: number): Promise<void>;
  /** SIGSTOP for one of them, and SIGCONT after a while: to all others it is gone, and then it is there again. */
  freeze(slot: number, forMs: number): Promise<void>;
  /** Ends all of them in order. @returns every exit code of the run that is not 0 */
  stop(): Promise<(number | null)[]>;
  /** Whatever was printed. */
  output(): string;
}

interface Slot {
  process: BridgeProcess | undefined;
  /** False while it must not be asked. */
  isOpen: boolean;
  /** How many there were. */
  lives: number;
  /** What is done to it, one thing after another. */
  busy: Promise<void>;
}

/** How they are started. */
export interface LivesOptions {
  readonly folder: string;
  readonly processes: number;
  /** The settings of a life: of which slot, and how many were before it. */
  readonly toEnv: (slot: number, life: number) => Record<string, string>;
  readonly trace: Trace;
}

/** Starts them. */
export async function startLives({
  folder,
  processes,
  toEnv,
  trace,
}: LivesOptions): Promise<Lives> {
  const slots: Slot[] = [];
  const waiting = new Set<() => void>();
  const badCodes: (number | null)[] = [];
  let printed = '';

  async function start(slot: Slot, n: number): Promise<void> {
    for (let attempt = 1; slot.process === undefined; attempt += 1) {
      const env = toEnv(n, slot.lives);
      slot.lives += 1;
      try {
        slot.process = await startBridge({ folder, env });
        trace.note('started', { slot: n, pid: slot.process.pid, url: slot.process.baseUrl, env });
      } catch (error) {
        trace.note('start failed', { slot: n, error: String(error) });
        if (attempt === STARTS_MAX) throw error;
        await sleep(RESTART_MS);
      }
    }
    await slot.process.ready(60_000);
    slot.isOpen = true;
    for (const wake of waiting) wake();
    waiting.clear();
  }

  function getSlot(n: number): Slot {
    const slot = slots[n % slots.length];
    if (slot === undefined) throw new Error('there is no process');
    return slot;
  }

  /** Has one end, and live again. What comes meanwhile waits. */
  function renew(n: number, end: (process: BridgeProcess) => Promise<void>): Promise<void> {
    const slot = getSlot(n);
    slot.busy = slot.busy.then(async () => {
      const { process } = slot;
      if (process !== undefined) {
        slot.isOpen = false;
        await end(process);
        trace.note('ended', { slot: n, pid: process.pid });
        printed += process.output();
        slot.process = undefined;
      }
      await start(slot, n);
    });
    return slot.busy;
  }

  /** One that does not end is killed, and has no code. */
  async function stop(process: BridgeProcess): Promise<void> {
    const code = await process.stop().catch(() => null);
    if (code !== 0) badCodes.push(code);
  }

  for (let n = 0; n < processes; n += 1) {
    slots.push({ process: undefined, isOpen: false, lives: 0, busy: Promise.resolve() });
  }
  // One after another: the first makes the tables, as the order of a real roll-out has it.
  for (const [n, slot] of slots.entries()) await start(slot, n);

  return {
    async wait(n) {
      for (;;) {
        const alive = slots.flatMap(({ isOpen, process }) => (isOpen && process ? [process] : []));
        const process = alive[n % alive.length];
        if (process !== undefined) return process;
        await new Promise<void>((resolve) => waiting.add(resolve));
      }
    },
    freeze(n, forMs) {
      const slot = getSlot(n);
      slot.busy = slot.busy.then(async () => {
        const { process: frozen } = slot;
        if (frozen === undefined) return;
        process.kill(frozen.pid, 'SIGSTOP');
        await sleep(forMs);
        process.kill(frozen.pid, 'SIGCONT');
      });
      return slot.busy;
    },
    kill: (n) => renew(n, (process) => process.kill()),
    stopOne: (n) => renew(n, stop),
    async stop() {
      await Promise.all(
        slots.map(async ({ process, busy }) => {
          await busy;
          if (process !== undefined) await stop(process);
        }),
      );
      return badCodes;
    },
    output: () => printed + slots.map(({ process }) => process?.output() ?? '').join(''),
  };
}
