import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { askOps } from '../bench/ask-ops.ts';
import type { BridgeProcess } from '../support/server.ts';

/** What waits, as `/ops/status` tells it. */
export interface Waiting {
  readonly due: number;
  readonly stuckCount: number;
}

/** How long it took until nothing was left to do; of an estimate, how long it would have taken at the pace that was seen. */
export interface Drain {
  readonly kind: 'measured' | 'estimated';
  readonly seconds: number;
}

const pollMs = 500;
const status = z.object({ due: z.number(), stuckCount: z.number() });

/** Reads what waits. */
export async function readWaiting(bridge: BridgeProcess): Promise<Waiting> {
  return status.parse(await askOps(bridge, 'GET', '/ops/status'));
}

/** Waits until nothing is due, no longer than `secondsMax`. */
export async function drain(bridge: BridgeProcess, secondsMax: number): Promise<Drain> {
  const startedAt = performance.now();
  const { due: dueBefore } = await readWaiting(bridge);
  for (;;) {
    const { due } = await readWaiting(bridge);
    const seconds = (performance.now() - startedAt) / 1_000;
    if (due === 0) return { kind: 'measured', seconds };
    if (seconds >= secondsMax) {
      const perSecond = (dueBefore - due) / seconds;
      return { kind: 'estimated', seconds: seconds + due / Math.max(perSecond, 0) };
    }
    await sleep(pollMs);
  }
}
