import type { JsonValue } from '../../domain/json.ts';
import { type DriftRow, endDrifts } from '../../store/drifts.ts';
import { parseStored } from '../../store/engine/columns.ts';
import type { Db } from '../../store/store.ts';
import type { ReconcileDeps } from '../deps.ts';
import { isStillSo, lockCurrent } from './current.ts';
import type { DriftDeps } from './deps.ts';
import { desire } from './desire.ts';

/**
 * Takes what is observed as what is desired. The caller has entered the rules (`enterRules`, `names`). False: the
 * service was seen to hold something else by now, or it cannot be desired.
 */
export async function acceptDrift(
  tx: Db,
  deps: Pick<ReconcileDeps, 'clock' | 'rules' | 'policy'>,
  drift: DriftRow,
): Promise<boolean> {
  const key = { type: drift.resource_type, id: drift.resource_id };
  const current = await lockCurrent(tx, deps, key);
  if (current === undefined || !isStillSo(current, drift)) return false;
  const { kind, member_id: memberId } = drift;
  const value = parseStored<JsonValue>(drift.observed);
  if (!(await desire(tx, deps, current, { kind, memberId, value }))) return false;
  await endDrifts(tx, [drift.id], { status: 'accepted', now: deps.clock.now() });
  return true;
}

/**
 * Takes over an account or group that nobody asked for, which is what accepting it means. False: it is not to be
 * taken over without being named by an operator.
 */
export async function adoptUnmanaged(
  { store, clock, adopt }: DriftDeps,
  { id, resource_type: type, resource_id }: DriftRow,
): Promise<boolean> {
  const { kind } = await adopt({ type, id: resource_id });
  if (kind !== 'adopted') return false;
  await store.write((tx) => endDrifts(tx, [id], { status: 'accepted', now: clock.now() }));
  return true;
}
