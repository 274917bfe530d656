import { BridgeError } from '../../domain/errors.ts';
import { createFact } from '../../store/facts.ts';
import { backoffMs } from '../backoff.ts';
import {
  type Checkpoint,
  createCheckpoint,
  type ReadLists,
  toReadLists,
} from '../read/checkpoint.ts';
import { findSection, type Progress, type Step } from '../read/progress.ts';
import { closeStep, refuseStep, runStep, type StepRun } from '../read/run-step.ts';
import type { StepResult } from '../read/step.ts';
import { toReason } from '../verdict.ts';
import { IncompleteSweep, type SweepRun } from './run.ts';

/** Attempts at one list before the sweep ends without a conclusion. */
const ATTEMPTS_MAX = 3;

const COUNTS_DISAGREE = 'no two answers agree on how many people are in some groups';

/** Checkpoint of a sweep. */
export const SWEEP_READ_FACT = createFact<Progress>('sweep-read');

/** Progress at the beginning of a sweep: every start of a process has asked for the account already. */
export const SWEEP_BEGINNING: Progress = {
  steps: { service: { state: 'done', count: 0 } },
  repeats: true,
};

/**
 * Reads every list of the service to its proven end, with the steps of the first read, from the checkpoint of an
 * earlier process. A section that the service closes is left out and reported.
 * @throws IncompleteSweep when a list was not complete. @throws the reason of the signal
 */
export async function readLists(run: SweepRun): Promise<ReadLists> {
  const { deps, signal } = run;
  const checkpoint = createCheckpoint(deps, SWEEP_READ_FACT);
  await checkpoint.open();
  const steps: StepRun = { deps, checkpoint, signal };
  for (let step = checkpoint.findOpenStep(); step; step = checkpoint.findOpenStep()) {
    await readList(run, steps, step);
    // Resources for which the list may be too old are looked at.
    deps.notify();
  }
  assertAgreeing(checkpoint);
  if (checkpoint.getStep('restGroups').membersDoubted === true) run.reasons.add(COUNTS_DISAGREE);
  return toReadLists(checkpoint);
}

/** Checks that two lists of the same users, or of the same groups, are both empty or both not. */
function assertAgreeing(checkpoint: Checkpoint): void {
  const pairs = [
    ['users', 'companyUsers'],
    ['groups', 'restGroups'],
  ] as const;
  for (const [one, other] of pairs) {
    const [a, b] = [checkpoint.getStep(one), checkpoint.getStep(other)];
    const areRead = a.state === 'done' && b.state === 'done';
    if (!areRead || (a.count === 0) === (b.count === 0)) continue;
    const [empty, full] = a.count === 0 ? [one, other] : [other, one];
    throw new IncompleteSweep(`the list ${empty} is empty, and ${full} is not`);
  }
}

async function readList(run: SweepRun, steps: StepRun, step: Step): Promise<void> {
  const { clock, random } = run.deps;
  for (let failures = 1; ; failures += 1) {
    const attempt = await tryStep(run, steps, step);
    if (attempt.kind === 'done') return;
    if (failures >= ATTEMPTS_MAX) throw new IncompleteSweep(attempt.reason);
    await clock.sleep(backoffMs(failures, attempt.retryAfterMs, random()), run.signal);
  }
}

type Attempt = StepResult & { readonly retryAfterMs?: number | undefined };

async function tryStep(run: SweepRun, steps: StepRun, step: Step): Promise<Attempt> {
  try {
    const result = await runStep(steps, step);
    if (result.kind === 'done') await closeStep(steps, step);
    return result;
  } catch (error) {
    run.signal.throwIfAborted();
    if (error instanceof BridgeError && error.code === 'other-service') throw error;
    const { verdict, problem, text, retryAfterMs } = toReason(error);
    if (verdict !== 'forbidden') return { kind: 'incomplete', reason: text, retryAfterMs };
    await refuseStep(steps, step, problem);
    run.reasons.add(`the service does not let the bridge read its ${findSection(step) ?? step}`);
    return { kind: 'done' };
  }
}
