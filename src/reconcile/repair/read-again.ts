import { BridgeError } from '../../domain/errors.ts';
import { createFact } from '../../store/facts.ts';
import { listGroupsWithAdmins, listGroupsWithEntities } from '../../store/resources/managed.ts';
import { readAdmins } from '../group/read-admins.ts';
import { readEntities } from '../group/read-entities.ts';
import { createCheckpoint, type ReadLists, toReadLists } from '../read/checkpoint.ts';
import type { Progress } from '../read/progress.ts';
import { type AttemptRun, createAttempts, readStep } from '../read/read-step.ts';
import type { FirstReadDeps } from '../read/step.ts';
import { classify } from '../verdict.ts';

/** Time for reading one list of a group, queue included, in milliseconds. */
const LIST_WAIT_MS = 60_000;

/** Groups whose entities are read, in one read of the store. */
const GROUPS_MAX = 1_000_000;

/** Checkpoint of the second reading. */
export const READ_AGAIN_FACT = createFact<Progress>('recovery-read');

/**
 * Reads the whole service again, with the steps of the first read, and the managed admin lists and entities. Desired
 * state is not touched. It goes on where an earlier process stopped, and until every list is complete or refused: a list
 * that could not be read proves nothing.
 * @throws the reason of the signal when the process stops
 */
export async function readServiceAgain(
  deps: FirstReadDeps,
  signal: AbortSignal,
): Promise<ReadLists> {
  const checkpoint = createCheckpoint(deps, READ_AGAIN_FACT);
  await checkpoint.open();
  const run: AttemptRun = {
    deps,
    checkpoint,
    attempts: createAttempts(deps),
    signal,
    giveUp: () => undefined, // Every start has checked the service before.
  };
  for (let step = checkpoint.findOpenStep(); step; step = checkpoint.findOpenStep()) {
    const restMs = await readStep(run, step);
    signal.throwIfAborted();
    if (restMs > 0) await deps.clock.sleep(restMs, signal);
  }
  const { read } = deps.store;
  const asIs = { class: 'change', waitMs: LIST_WAIT_MS } as const;
  for (const id of await listGroupsWithAdmins(read)) {
    await readIfAllowed(() => readAdmins(deps, id, asIs));
  }
  for (const row of await listGroupsWithEntities(read, { afterSeq: 0, limit: GROUPS_MAX })) {
    await readIfAllowed(() => readEntities(deps, row, asIs));
  }
  return toReadLists(checkpoint);
}

/** Reads a list of a group; a refused one proves nothing. @throws BridgeError when it may be told later */
async function readIfAllowed(read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (error) {
    const cause = error instanceof BridgeError ? error.cause : undefined;
    if (cause === undefined) throw error;
    const { verdict } = classify(cause);
    if (verdict === 'later' || verdict === 'unknown') throw error;
  }
}
