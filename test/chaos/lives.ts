import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BridgeProcess } from '../support/server.ts';
import { startBridge } from '../support/server.ts';

/** How often a start is tried again: one fails while the store is away. */
const STARTS_MAX = 20;
const RESTART_MS = 250;

/** What happened in a run, line by line. Moments are milliseconds since 1970, as in the logs. */
export class Trace {
  readonly #lines: string[] = [];

  note(what: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.#lines.push(JSON.stringify({ at: Date.now(), what, ...fields }));
  }

  save(path: string): void {
    writeFileSync(path, `${this.#lines.join('\n')}\n`);
  }
}

interface Slot {
  readonly n: number;
  process: BridgeProcess | undefined;
  isOpen: boolean;
  lives: number;
  busy: Promise<void>;
}

interface LivesOptions {
  readonly folder: string;
  readonly processes: number;
  readonly toEnv: (slot: number, life: number) => Record<string, string>;
  readonly trace: Trace;
}

/** Processes of the bridge on one store, ended and started again as often as one likes. */
export class Lives {
  readonly #options: LivesOptions;
  readonly #slots: readonly Slot[];
  readonly #waiting = new Set<() => void>();
  /** Every exit code that is not 0; of one that did not end and was killed: null. */
  readonly badCodes: (number | null)[] = [];
  #printed = '';

  constructor(options: LivesOptions) {
    this.#options = options;
    this.#slots = Array.from({ length: options.processes }, (_, n) => ({
      n,
      process: undefined,
      isOpen: false,
      lives: 0,
      busy: Promise.resolve(),
    }));
  }

  /** One after another: the first makes the tables, as the order of a real roll-out has it. */
  async start(): Promise<void> {
    for (const slot of this.#slots) await this.#start(slot);
  }

  async wait(n: number): Promise<BridgeProcess> {
    for (;;) {
      const alive = this.#slots.flatMap(({ isOpen, process }) => (isOpen && process) || []);
      const process = alive[n % alive.length];
      if (process !== undefined) return process;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  renew(n: number, how: 'kill' | 'terminate'): Promise<void> {
    return this.#queue(n, async (slot) => {
      const { process } = slot;
      if (process !== undefined) {
        slot.isOpen = false;
        await (how === 'kill' ? process.kill() : this.#stop(process));
        this.#options.trace.note('ended', { slot: n, pid: process.pid });
        this.#printed += process.output();
        slot.process = undefined;
      }
      await this.#start(slot);
    });
  }

  freeze(n: number, forMs: number): Promise<void> {
    return this.#queue(n, async ({ process }) => {
      process?.freeze();
      await sleep(forMs);
      process?.goOn();
    });
  }

  async stop(): Promise<void> {
    for (const { n } of this.#slots)
      void this.#queue(n, async ({ process }) => process && this.#stop(process));
    await Promise.all(this.#slots.map(({ busy }) => busy));
  }

  output(): string {
    return this.#printed + this.#slots.map(({ process }) => process?.output() ?? '').join('');
  }

  /** What comes meanwhile waits. */
  #queue(n: number, act: (slot: Slot) => Promise<void> | undefined): Promise<void> {
    const slot = this.#slots[n];
    if (slot === undefined) throw new RangeError(`there is no process ${n}`);
    slot.busy = slot.busy.then(() => act(slot));
    return slot.busy;
  }

  async #start(slot: Slot): Promise<void> {
    const { folder, toEnv, trace } = this.#options;
    for (let attempt = 1; slot.process === undefined; attempt += 1) {
      const env = toEnv(slot.n, slot.lives);
      slot.lives += 1;
      try {
        slot.process = await startBridge({ folder, env });
        const { pid, baseUrl } = slot.process;
        trace.note('started', { slot: slot.n, pid, url: baseUrl, env });
      } catch (error) {
        trace.note('start failed', { slot: slot.n, error: String(error) });
        if (attempt === STARTS_MAX) throw error;
        await sleep(RESTART_MS);
      }
    }
    await slot.process.ready(60_000);
    slot.isOpen = true;
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  async #stop(process: BridgeProcess): Promise<void> {
    const code = await process.stop().catch(() => null);
    if (code !== 0) this.badCodes.push(code);
  }
}
