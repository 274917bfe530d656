import { setTimeout as sleep } from 'node:timers/promises';
import type { ChangeClass } from '../../domain/change-class.ts';
import { BridgeError } from '../../domain/errors.ts';
import { GROUP_EXTENSION, USER_EXTENSION } from '../../domain/extensions.ts';
import { type ResourceKey, toResourceKey } from '../../domain/ids.ts';
import type { UserField } from '../../domain/user.ts';
import { keepRemark } from '../../store/audit/requests.ts';
import { keepChange } from '../../store/changes.ts';
import { parseCells } from '../../store/engine/columns.ts';
import { isUnsure, StoreError } from '../../store/engine/store-error.ts';
import { findRow, type GroupRow, type UserRow } from '../../store/resources/rows.ts';
import { isRoleUnknown } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import type { SpanAttributes } from '../../telemetry/tracing.ts';
import type { ScimDeps } from '../deps.ts';
import type { Content } from '../dialect/parse-resource.ts';
import { ScimError, unavailable } from '../errors.ts';
import type { RequestRepairs } from '../repairs.ts';
import { listWritten } from '../requests.ts';
import { type AcceptedWrite, assertUpstreamUp, type Disputed } from './write-result.ts';

/** Shortest wait for a look, which takes a call, in milliseconds; also where writes wait for less. */
const LOOK_WAIT_MIN_MS = 2_000;
/** Time that a provider is asked to wait when the service could not be looked at, in seconds. */
const LOOK_RETRY_SECONDS = 30;

/** A look that a removal waits for is as urgent as the removal. */
type LookClass = 'remove' | 'change';

/** A write whose resource may be privileged, for all that is known. The service has to be asked first. */
class PrivilegeUnknown extends BridgeError {
  readonly resource: ResourceKey;
  constructor(resource: ResourceKey) {
    super('could-not-look', `it is not known whether the ${resource.type} is privileged`);
    this.resource = resource;
  }
}

/** Stops a write of a group whose admins were never read. @throws PrivilegeUnknown */
export function assertAdminsKnown({ id, admins_read_at }: GroupRow): void {
  if (admins_read_at === null) throw new PrivilegeUnknown({ type: 'group', id });
}

/** Stops a write of an account whose role was never seen. @throws PrivilegeUnknown */
export function assertRoleKnown(row: UserRow): void {
  if (isRoleUnknown(row)) throw new PrivilegeUnknown({ type: 'user', id: row.id });
}

/** A write of a request that is about to be stored. */
interface UnstoredWrite {
  readonly look: LookClass;
  /** Parts of a request that are left out, where it may be taken without them. */
  readonly repairs?: RequestRepairs;
}

/**
 * Stores a write. Where the service has to tell first whether the resource is privileged, reads that and stores again.
 * This alone decides about a write of which a part is refused: it is stored without that part if it takes access away
 * from somebody, and refused otherwise. A strict credential is refused before.
 * @throws ScimError 409 for a dispute, 503 when the service is down and the settings ask for that, or when it could not be read, because the
 *   resource may then be privileged
 */
export async function storeKnowing<Accepted extends AcceptedWrite>(
  deps: ScimDeps,
  { look, repairs }: UnstoredWrite,
  write: (tx: Db) => Promise<Accepted | Disputed>,
): Promise<Accepted> {
  assertUpstreamUp(deps);
  const wait = { class: look, waitMs: Math.max(deps.policy.writeWaitMs, LOOK_WAIT_MIN_MS) };
  try {
    const stored = await storeAfterLook(deps, wait, () =>
      storeWrite(deps, async (tx) => {
        const written = await write(tx);
        const [refusal] = repairs?.listLeftOut() ?? [];
        if (refusal === undefined) return written;
        if (!takesAccess(written)) throw refusal;
        await keepRemark(tx, 'left-out', deps.clock.now());
        return written;
      }),
    );
    for (const _ of repairs?.listLeftOut() ?? []) repairs?.count('part-left-out');
    if ('kind' in stored) throw new ScimError(409, stored.detail, { scimType: 'uniqueness' });
    const { notifies, undo, row, hasFormerIds } = stored;
    if (hasFormerIds) deps.store.bell.ring('former-ids');
    // No request waits for what the rules derived: the workers do it at once after a removal, else once the write itself
    // was tried, because a refused write derives nothing.
    if (notifies && (undo === undefined || row.due_class === 0)) deps.reconciler.notify();
    return stored;
  } catch (error) {
    if (!(error instanceof BridgeError) || error.code !== 'could-not-look') throw error;
    const words = 'The service could not tell whether the resource is privileged.';
    throw unavailable(words, LOOK_RETRY_SECONDS);
  }
}

function takesAccess(written: AcceptedWrite | Disputed): boolean {
  if ('kind' in written) return false;
  return written.takesAccess === true;
}

/** Stores something, after a look where a resource may be privileged. @throws BridgeError `could-not-look` */
export async function storeAfterLook<Stored>(
  { reconciler }: Pick<ScimDeps, 'reconciler'>,
  wait: { readonly class: LookClass; readonly waitMs: number },
  store: () => Promise<Stored>,
): Promise<Stored> {
  try {
    return await store();
  } catch (error) {
    if (!(error instanceof PrivilegeUnknown)) throw error;
    await reconciler.readPrivilege(error.resource, wait);
  }
  // Read just now and still unknown: the resource was made anew meanwhile.
  return store();
}

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
async function storeWrite<Result extends AcceptedWrite | Disputed>(
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
    const { removes, links = [] } = write.undo ?? {};
    if (removes === true) return 'member-removed';
    return links.length > 0 ? 'member-added' : 'group';
  }
  const { row } = write;
  const { active, account } = parseCells<UserField>(row);
  if (active?.pending !== row.version && account?.pending !== row.version) return 'user';
  return row.active === 1 && row.deleted_at === null ? 'joiner' : 'leaver';
}

/** Body of a write, and the counter of its corrections. */
export interface Sent {
  readonly body: unknown;
  readonly repairs: RequestRepairs;
  /** Told what the body says, also of a write that is refused then. */
  understood(content: Content): void;
}

/** Attributes by which access can be taken. */
const ACCESS = ['active', 'entitlements', 'members', 'admins', USER_EXTENSION, GROUP_EXTENSION];

/**
 * Tells what the body of a PUT or PATCH says. One of which a part was left out goes on only if the rest may take access
 * away; `storeKnowing` finds out whether it does. @throws ScimError the refusal of the part
 */
export function understand<Said extends Content>(sent: Sent, content: Said): Said {
  const mayTake = listWritten(content).some(
    ({ op, path }) => op !== 'add' && ACCESS.some((name) => path.startsWith(name)),
  );
  return mayTake ? tell(sent, content) : understandWhole(sent, content);
}

/** Tells what the body of a POST says, which makes somebody new or nothing. @throws ScimError the refusal of a part */
export function understandWhole<Said extends Content>(sent: Sent, content: Said): Said {
  const [refusal] = sent.repairs.listLeftOut();
  if (refusal !== undefined) throw refusal;
  return tell(sent, content);
}

function tell<Said extends Content>(sent: Sent, content: Said): Said {
  sent.understood(content);
  return content;
}
