import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { BridgeProcess } from '../support/server.ts';
import { askOps } from './ask-ops.ts';
import { findProcessFacts, type ProcessFacts } from './process-facts.ts';

/** What one sweep took. */
export interface SweepRun {
  readonly wallMs: number;
  /** Processor time of the bridge; undefined where only Linux knows. */
  readonly cpuMs: number | undefined;
  readonly calls: number;
}

const pollMs = 20;
const Asked = z.object({ id: z.string() });
const Sweep = z.object({
  status: z.string(),
  calls: z.number(),
  counts: z.object({ opened: z.number().optional(), unknown: z.number().optional() }),
  reasons: z.array(z.string()),
});

/** Has the bridge make a sweep. @throws Error when it was not complete, or found what nobody changed. */
export async function runSweep(bridge: BridgeProcess): Promise<SweepRun> {
  const before = findProcessFacts(bridge.pid);
  const startedAt = performance.now();
  const { id } = Asked.parse(await askOps(bridge, 'POST', '/ops/sweeps'));
  for (;;) {
    await sleep(pollMs);
    const sweep = Sweep.parse(await askOps(bridge, 'GET', `/ops/sweeps/${id}`));
    if (sweep.status === 'running') continue;
    const wallMs = performance.now() - startedAt;
    if (sweep.status !== 'complete' || sweep.counts.opened !== 0) {
      throw new Error(`the sweep did not find what is there: ${JSON.stringify(sweep)}`);
    }
    const cpuMs = toCpuMs(before, findProcessFacts(bridge.pid));
    return { wallMs, cpuMs, calls: sweep.calls };
  }
}

function toCpuMs(before: ProcessFacts | undefined, after: ProcessFacts | undefined) {
  return before && after && after.cpuMs - before.cpuMs;
}
