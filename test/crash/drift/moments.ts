import { setTimeout as sleep } from 'node:timers/promises';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import type { SeededRandom } from '../../interleavings/seeded-random.ts';
import type { Administrator } from './administrator.ts';
import type { Operator } from './operator.ts';

/** What a moment is made of. */
export interface Stage {
  readonly sandbox: Sandbox;
  readonly random: SeededRandom;
  readonly administrator: Administrator;
  readonly operator: Operator;
}

/** How long to wait for a call, and for a plan, that may not come, in milliseconds. */
const CALL_MAX_MS = 1_500;
const PLAN_MAX_MS = 3_000;
/** Changes before a kill at most: more than a plan may undo by itself, or fewer. */
const CHANGES_MAX = 30;

/** Brings the bridge to a point at which it is to be killed. */
type Moment = (stage: Stage) => Promise<void>;

/** In the middle of what the bridge is killed. */
export const moments: Readonly<Record<string, Moment>> = {
  async 'a sweep'({ random, administrator, operator }) {
    changeSome(administrator, random);
    await operator.ask('POST', '/sweeps', {});
    await sleep(random.next() * 150);
  },
  async 'a page of the audit log'({ sandbox, random, administrator }) {
    changeSome(administrator, random);
    const count = () => sandbox.calls.count({ operation: 'auditLogs.retrieveAuditLogEvents' });
    await untilMore(count);
    await sleep(random.next() * 60);
  },
  async 'a release'(stage) {
    changeSome(stage.administrator, stage.random);
    await untilPlanned(stage);
    await sleep(stage.random.next() * 40);
  },
  async 'an approval'(stage) {
    const { random, operator } = stage;
    await untilPlanned(stage);
    const [held] = await operator.listPlans('held');
    // Nobody waits for the answer, which may not come.
    if (held !== undefined) void operator.approve(held);
    await sleep(random.next() * 60);
  },
};

/** Sweeps until a plan waits, or is being carried out; or there is nothing to be planned. */
async function untilPlanned({ sandbox, operator }: Stage): Promise<void> {
  const before = sandbox.calls.count({ mutating: true });
  await operator.ask('POST', '/sweeps', {});
  const deadline = performance.now() + PLAN_MAX_MS;
  while (performance.now() < deadline) {
    if (sandbox.calls.count({ mutating: true }) > before) return;
    if ((await operator.listPlans('held')).length > 0) return;
    await sleep(5);
  }
}

function changeSome(administrator: Administrator, random: SeededRandom): void {
  const changes = Math.ceil(random.next() * CHANGES_MAX);
  for (let n = 0; n < changes; n += 1) administrator.act();
}

async function untilMore(count: () => number): Promise<void> {
  const before = count();
  const deadline = performance.now() + CALL_MAX_MS;
  while (count() === before && performance.now() < deadline) await sleep(1);
}
