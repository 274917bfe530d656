import type { Adoption, AdoptionRequest } from '../../domain/adoption.ts';
import { BridgeError } from '../../domain/errors.ts';
import type { ResourceKey } from '../../domain/ids.ts';
import { keepRemark } from '../../store/audit/requests.ts';
import type { GroupRow } from '../../store/groups/groups.ts';
import { type Db, rehearse } from '../../store/store.ts';
import { isRoleUnknown, type UserRow } from '../../store/users/users.ts';
import type { ScimDeps } from '../deps.ts';
import { ScimError, unavailable } from '../errors.ts';
import type { RequestRepairs } from '../repairs.ts';
import { assertUpstreamUp } from './settle.ts';
import { storeWrite } from './store-write.ts';
import type { AcceptedWrite, Disputed } from './write-result.ts';

/** Shortest wait for a look, which takes a call, in milliseconds; also where writes wait for less. */
const LOOK_WAIT_MIN_MS = 2_000;
/** Time that a provider is asked to wait when the service could not be looked at, in seconds. */
const LOOK_RETRY_SECONDS = 30;

/** Longest look for an operator's takeover, with the wait for its turn, in milliseconds. */
const ADOPTION_LOOK = { class: 'change', waitMs: 10_000 } as const;

/** A look that a removal waits for is as urgent as the removal. */
export type LookClass = 'remove' | 'change';

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
export interface UnstoredWrite {
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

/** Takes a resource over for an operator, after a look where it may be privileged. A dry run looks too, and is undone. */
export async function adoptKnowing(
  deps: ScimDeps,
  { isDryRun }: AdoptionRequest,
  adopt: (tx: Db, deps: ScimDeps) => Promise<Adoption>,
): Promise<Adoption> {
  // Nobody is told of a takeover that is undone.
  const quiet = { ...deps, telemetry: { ...deps.telemetry, adopted: () => undefined } };
  try {
    const adoption = await storeAfterLook(deps, ADOPTION_LOOK, () =>
      isDryRun
        ? rehearse(deps.store, (tx) => adopt(tx, quiet))
        : deps.store.write((tx) => adopt(tx, deps)),
    );
    if (adoption.kind === 'adopted' && !isDryRun) deps.reconciler.notify();
    return adoption;
  } catch (error) {
    if (!(error instanceof BridgeError) || error.code !== 'could-not-look') throw error;
    return { kind: 'could-not-look', reason: error.message };
  }
}

/** @throws BridgeError `could-not-look` */
async function storeAfterLook<Stored>(
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
