import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Operator } from './operator.ts';

/** Time that the backlog, or a comparison, may take in the end, in milliseconds: more than the longest back-off. */
const QUIET_MAX_MS = 360_000;
const POLL_MS = 25;
/** Plans that may wait one after another in the end. */
const ROUNDS_MAX = 8;

const Status = z.object({
  due: z.number(),
  stuckCount: z.number(),
  stuck: z.array(z.unknown()),
  failing: z.array(z.unknown()),
  disputes: z.array(z.unknown()),
});
const Deleted = z.object({ items: z.array(z.object({ dueAt: z.string().nullable() })) });
/** Nothing else waits for so long, in milliseconds. */
const LATER_MS = 30_000;
const Sweep = z.object({ status: z.string(), reasons: z.array(z.string()) });

/**
 * Sweeps, and approves what waits, until nothing is to be done any more: what then differs is meant to. Says what does
 * not come to its end.
 */
export async function settle(operator: Operator): Promise<string[]> {
  await operator.insist('POST', '/resume', {});
  const findings: string[] = [];
  for (let round = 1; round <= ROUNDS_MAX; round += 1) {
    findings.push(...(await untilQuiet(operator)));
    // It may be one that was begun before the last change, or while something still went wrong.
    await sweep(operator);
    findings.push(...(await untilQuiet(operator)), ...(await sweep(operator)));
    findings.push(...(await untilQuiet(operator)));
    if (findings.length > 0) return findings;
    if ((await operator.approveAll()) > 0) continue;
    const repairing = (await operator.listDrifts()).filter(({ status }) => status === 'repairing');
    if (repairing.length === 0) return [];
  }
  return [`something is still repaired after ${ROUNDS_MAX} rounds`];
}

/** Waits until nothing is due and no plan is being carried out. */
async function untilQuiet(operator: Operator): Promise<string[]> {
  const deadline = performance.now() + QUIET_MAX_MS;
  for (;;) {
    const status = Status.parse(await operator.insist('GET', '/status'));
    const approved = await operator.listPlans('approved');
    const isQuiet = status.due === 0 || status.due === (await countLater(operator));
    if (isQuiet && approved.length === 0) {
      return [
        ...(status.stuckCount === 0 ? [] : [`stuck: ${JSON.stringify(status.stuck)}`]),
        ...(status.disputes.length === 0 ? [] : [`disputed: ${JSON.stringify(status.disputes)}`]),
      ];
    }
    if (performance.now() > deadline) {
      return [
        `${status.due} are due, ${approved.length} plans approved: ${JSON.stringify(status.failing)}`,
      ];
    }
    await sleep(POLL_MS);
  }
}

/** Whom a lost create may still bring forth is looked for again minutes later; they are in no answer, and wanted by nobody. */
async function countLater(operator: Operator): Promise<number> {
  let later = 0;
  for (const type of ['users', 'groups']) {
    const page = Deleted.parse(
      await operator.insist('GET', `/${type}?deleted=true&due=true&limit=1000`),
    );
    const soon = Date.now() + LATER_MS;
    later += page.items.filter(({ dueAt }) => dueAt !== null && Date.parse(dueAt) > soon).length;
  }
  return later;
}

/** Sweeps that may be incomplete in a row: an account that comes late may come between two of the lists. */
const INCOMPLETE_MAX = 3;

async function sweep(operator: Operator): Promise<string[]> {
  for (let tries = 1; ; tries += 1) {
    const findings = await sweepOnce(operator);
    if (findings.length === 0 || tries === INCOMPLETE_MAX) return findings;
  }
}

async function sweepOnce(operator: Operator): Promise<string[]> {
  const { id } = z.object({ id: z.string() }).parse(await operator.insist('POST', '/sweeps', {}));
  const deadline = performance.now() + QUIET_MAX_MS;
  for (;;) {
    const { status, reasons } = Sweep.parse(await operator.insist('GET', `/sweeps/${id}`));
    if (status === 'incomplete') return [`a sweep was incomplete: ${reasons.join('; ')}`];
    if (status !== 'running') return [];
    if (performance.now() > deadline) return ['a sweep does not come to its end'];
    await sleep(POLL_MS);
  }
}
