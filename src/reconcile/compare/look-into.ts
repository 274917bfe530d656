import { findNewestOwnCallFor } from '../../store/audit/own-calls.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import { storeLooked } from './compare-one.ts';
import { type LookNeeds, lookAt, type Observation } from './look.ts';
import type { SweepRun } from './run.ts';

/**
 * Looks at a user or group by itself, and stores what differs: what a list alone shows is no drift yet. One that was
 * written since the lists were read is left to the next sweep.
 */
export async function lookInto(
  run: SweepRun,
  row: ResourceRow,
  needs: LookNeeds,
): Promise<Observation> {
  const { deps, counts, signal } = run;
  signal.throwIfAborted();
  await awaitQuiet(run, row.id);
  const since = deps.clock.now();
  const observation = await lookAt(run, row, needs);
  if (observation.kind === 'could-not-look') return observation;
  const looked = { row, since, observation, detector: 'sweep' } as const;
  const found = await deps.store.write((tx) => storeLooked(tx, deps, looked));
  if (found === undefined) counts.unknown += 1;
  else counts.opened += found.length;
  return observation;
}

/** Waits for a while after a write of our own, because the service may show it late. */
async function awaitQuiet({ deps, settleMs, signal }: SweepRun, id: string): Promise<void> {
  const { store, clock } = deps;
  const lastAt = await findNewestOwnCallFor(store.read, id);
  const restMs = (lastAt ?? 0) + settleMs - clock.now();
  if (restMs > 0) await clock.sleep(restMs, signal);
}
