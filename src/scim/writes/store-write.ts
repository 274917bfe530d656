import { setTimeout as sleep } from 'node:timers/promises';
import type { ChangeClass } from '../../domain/change-class.ts';
import { toResourceKey } from '../../domain/ids.ts';
import type { UserField } from '../../domain/user.ts';
import { keepChange } from '../../store/changes.ts';
import { parseCells } from '../../store/engine/columns.ts';
import { isUnsure, StoreError } from '../../store/engine/store-error.ts';
import { findRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import type { SpanAttributes } from '../../telemetry/tracing.ts';
import type { ScimDeps } from '../deps.ts';
import type { AcceptedWrite, Disputed } from './write-result.ts';

/** Time to find out whether a write was kept, in milliseconds: as long as a restart of the store takes. */
const FIND_OUT_MS = 3_000;
const ASK_EVERY_MS = 200;

/** Dependencies of storing a write. */
type WriteDeps = Pick<ScimDeps, 'store' | 'reconciler' | 'policy' | 'clock' | 'tracing'>;

/** Dependencies of storing a write, with the trace that it belongs to. */
type TracedDeps = Omit<WriteDeps, 'tracing'> & { readonly trace: string | undefined };

/**
 * Stores a write of a request. When the connection is lost during the commit, the outcome is unknown: then the row is
 * looked up.
 * @throws StoreError `store-unsure` when the outcome cannot be found out in time; every error of `store`
 */
export async function storeWrite<Result extends AcceptedWrite | Disputed>(
  deps: WriteDeps,
  store: (tx: Db) => Promise<Result>,
): Promise<Result> {
  const span = deps.tracing?.begin({ name: 'accept', kind: 'internal' });
  const traced = { ...deps, trace: span?.traceparent };
  let last: Result | undefined;
  try {
    return await deps.store.write(async (tx) => {
      last = await announce(tx, traced, await store(tx));
      return last;
    });
  } catch (error) {
    if (!isUnsure(error) || last === undefined || 'kind' in last) throw error;
    if (await isKept(deps, last)) return last;
    throw error;
  } finally {
    span?.end({ attributes: toSpanAttributes(last) });
  }
}

function toSpanAttributes(stored: AcceptedWrite | Disputed | undefined): SpanAttributes {
  if (stored === undefined || 'kind' in stored) return {};
  const kind = stored.undo === undefined ? 'nothing' : toChangeClass(stored);
  return { 'scim_bridge.resource_type': stored.type, 'scim_bridge.change': kind };
}

/**
 * Confirms what is wanted already. While another write waits this one gets a version of its own, so that taking the other
 * back leaves this one.
 */
export async function confirmWanted<
  Row extends { readonly version: number; readonly due_at: number | null },
>(row: Row, update: (columns: { version: number }) => Promise<unknown>): Promise<Row> {
  if (row.due_at === null) return row;
  const version = row.version + 1;
  await update({ version });
  return { ...row, version };
}

/**
 * Where another process leads, it has to know that a request waits: a refusal belongs to that one. When the change was
 * accepted is kept until the service holds it, whichever process brings it there.
 */
async function announce<Result extends AcceptedWrite | Disputed>(
  tx: Db,
  deps: TracedDeps,
  result: Result,
): Promise<Result> {
  if ('kind' in result) return result;
  if (result.undo === undefined) return result;
  const { reconciler, policy, clock, trace } = deps;
  const { row, undo } = result;
  const key = toResourceKey(result);
  await keepChange(tx, row, {
    kind: toChangeClass(result),
    at: Math.round(clock.now()),
    version: row.version,
    trace: trace ?? null,
  });
  const write = { key, version: row.version, undo, waitMs: policy.writeWaitMs };
  const waitId = await reconciler.announce(tx, write);
  return waitId === undefined ? result : { ...result, waitId };
}

/** True when the row is there as this attempt has written it; false also when no answer came in time. */
async function isKept(
  { store }: Pick<WriteDeps, 'store'>,
  { row, ...key }: AcceptedWrite,
): Promise<boolean> {
  const until = performance.now() + FIND_OUT_MS;
  while (performance.now() < until) {
    try {
      const found = await findRow(store.read, key);
      return found?.write_id === row.write_id;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      await sleep(ASK_EVERY_MS);
    }
  }
  return false;
}

/** Kind of a stored write that waits for the service; the most urgent one, where it is several. */
function toChangeClass(write: AcceptedWrite): ChangeClass {
  if (write.type === 'group') {
    const { removes, members, admins } = write.undo ?? {};
    if (removes === true) return 'member-removed';
    return (members?.size ?? 0) + (admins?.size ?? 0) > 0 ? 'member-added' : 'group';
  }
  const { row } = write;
  const { active, account } = parseCells<UserField>(row);
  if (active?.pending !== row.version && account?.pending !== row.version) return 'user';
  return row.active === 1 && row.deleted_at === null ? 'joiner' : 'leaver';
}
