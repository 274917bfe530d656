import { BridgeError } from '../../domain/errors.ts';
import { listGroupsWithAdmins, listGroupsWithEntities } from '../../store/resources/managed.ts';
import { readAdmins } from '../group/read-admins.ts';
import { readEntities } from '../group/read-entities.ts';
import { readService } from '../read/read-service.ts';
import { type ReadRun, type Seen, toSeen } from '../read/reading.ts';
import { classify } from '../verdict.ts';

/** Time for reading one list of a group, queue included, in milliseconds. */
const LIST_WAIT_MS = 60_000;

/** Groups whose entities are read, in one read of the store. */
const GROUPS_MAX = 1_000_000;

/**
 * Reads the whole service again, and the managed admin lists and entities. Desired state is not touched. It goes on
 * until every list is complete or refused: a list that could not be read proves nothing.
 * @throws the reason of the signal when the process stops
 */
export async function readServiceAgain(run: ReadRun): Promise<Seen> {
  const { deps, reading } = run;
  await readService(run);
  const { read } = deps.store;
  const asIs = { class: 'change', waitMs: LIST_WAIT_MS } as const;
  for (const id of await listGroupsWithAdmins(read)) {
    await readIfAllowed(() => readAdmins(deps, id, asIs));
  }
  for (const row of await listGroupsWithEntities(read, { afterSeq: 0, limit: GROUPS_MAX })) {
    await readIfAllowed(() => readEntities(deps, row, asIs));
  }
  return toSeen(reading);
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
