import type { DriftKind } from '../../domain/drift.ts';
import { BridgeError } from '../../domain/errors.ts';
import type { Deactivation, ObservedUser } from '../../domain/user.ts';
import {
  type GroupRow,
  toGroupState,
  toObservedGroup,
  updateGroup,
} from '../../store/groups/groups.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { toUserState, type UserRow, updateUser } from '../../store/users/users.ts';
import type { CompanyUser } from '../../upstream/shapes/company-user.ts';
import type { CallContext } from '../deps.ts';
import { lookAtGroup } from '../group/look.ts';
import type { GroupKnown } from '../group/outcome.ts';
import { lookUpAdminIds, lookUpEntities } from '../group/read-admins.ts';
import { saveEntities } from '../group/read-entities.ts';
import { observeCompanyUser } from '../read/read-users.ts';
import { saveMembers } from '../read/save-group.ts';
import { lookAtUser } from '../user/apply.ts';
import { findCompanyUser, toSearchText } from '../user/find-company-user.ts';
import { toObservedColumns } from '../user/observe.ts';
import { classify } from '../verdict.ts';
import { LIST_LOOK, saveAdmins } from './read-group-lists.ts';
import type { SweepRun } from './run.ts';

/** Looks at one user, and at licence and suspension where these are needed. */
export async function lookAtUserAgain(
  { deps, signal }: Pick<SweepRun, 'deps' | 'signal'>,
  row: UserRow,
  needs: LookNeeds,
): Promise<Observation<UserRow>> {
  const state = toUserState(row);
  const context = { class: 'look', key: `user:${row.id}`, signal } as const;
  const { upstreamId } = state;
  let { observed } = state;
  if (needs.ordinary) {
    const reason = 'seen to differ in a list';
    const action = { kind: 'look-at-user', upstreamId, reason } as const;
    const outcome = await lookAtUser(deps, context, { state, action });
    if (outcome.kind !== 'done') return { kind: 'could-not-look', reason: outcome.problem.code };
    if (outcome.known.missing) return { kind: 'gone' };
    observed = outcome.known.observed;
  }
  if (observed === undefined) return { kind: 'could-not-look', reason: 'not-found' };
  if (needs.companyUser) {
    const found = await lookAtCompanyUser({ deps, signal }, context, { observed, upstreamId });
    if (found === undefined) return { kind: 'could-not-look', reason: 'companyUsers' };
    observed = observeCompanyUser(found, observed, deps.clock.now());
  }
  const columns = toObservedColumns(row, observed);
  return { kind: 'seen', store: (tx, { id }) => updateUser(tx, id, columns) };
}

async function lookAtCompanyUser(
  { deps }: Pick<SweepRun, 'deps' | 'signal'>,
  context: CallContext,
  { observed, upstreamId }: { observed: ObservedUser; upstreamId: number | undefined },
): Promise<CompanyUser | undefined> {
  if (upstreamId === undefined) return undefined;
  try {
    return await findCompanyUser(deps, context, { upstreamId, text: toSearchText(observed) });
  } catch (error) {
    classify(error);
    return undefined;
  }
}

/** Parts that a look at one resource has to read. */
export interface LookNeeds {
  /** What the ordinary look shows: state and name, and the members of a group. */
  readonly ordinary: boolean;
  /** Licence and suspension of a user. */
  readonly companyUser: boolean;
  /** Admin list of a group. */
  readonly admins: boolean;
  /** Entities of a group. */
  readonly entities: boolean;
}

/** Finds the parts in which drift of these kinds can be seen. */
export function toLookNeeds(kinds: readonly DriftKind[], deactivation: Deactivation): LookNeeds {
  const isSuspension = deactivation === 'temporarilyInactive';
  const isOfCompany = (kind: DriftKind) =>
    kind === 'user.access' ||
    (isSuspension && (kind === 'user.deactivated' || kind === 'user.activated'));
  return {
    ordinary: true,
    companyUser: kinds.some(isOfCompany),
    admins: kinds.some((kind) => kind.startsWith('admin.')),
    entities: kinds.some((kind) => kind.startsWith('entity.')),
  };
}

/**
 * Result of a look at one user or group.
 * - `seen`: `store` stores it, in a transaction that has made sure that the row has not changed
 * - `gone`: the service has no such resource
 * - `could-not-look`: nothing is known
 */
export type Observation<Row extends ResourceRow> =
  | { readonly kind: 'seen'; readonly store: (tx: Db, row: Row) => Promise<void> }
  | { readonly kind: 'gone' }
  | { readonly kind: 'could-not-look'; readonly reason: string };

/** Looks at one group: its name, rights and members, and its admins and entities where they are needed. */
export async function lookAtGroupAgain(
  { deps, signal }: Pick<SweepRun, 'deps' | 'signal'>,
  row: GroupRow,
  needs: LookNeeds,
): Promise<Observation<GroupRow>> {
  const ordinary = needs.ordinary ? await lookOrdinarily({ deps, signal }, row) : NOTHING_SEEN;
  if (ordinary.kind !== 'seen') return ordinary;
  const { observed, memberIds } = ordinary.found;
  const admins = await attemptLook(needs.admins, () => lookUpAdminIds(deps, row, LIST_LOOK));
  if (admins.kind === 'could-not-look') return admins;
  const entities = await attemptLook(needs.entities, () => lookUpEntities(deps, row, LIST_LOOK));
  if (entities.kind === 'could-not-look') return entities;
  return {
    kind: 'seen',
    async store(tx, locked) {
      const now = deps.clock.now();
      const seen = { ...toObservedGroup(locked), ...observed };
      if (observed) await updateGroup(tx, locked.id, { observed: JSON.stringify(seen) });
      if (memberIds)
        await saveMembers(tx, locked, { memberIds, now, repeats: true, from: 'group' });
      if (admins.found) await saveAdmins(tx, locked, { upstreamUserIds: admins.found, now });
      if (entities.found) await saveEntities(tx, locked, entities.found);
    },
  };
}

/** What the ordinary look at a group has shown. */
interface SeenGroup {
  readonly kind: 'seen';
  readonly found: Pick<GroupKnown, 'observed' | 'memberIds'>;
}

const NOTHING_SEEN: SeenGroup = { kind: 'seen', found: {} };

async function lookOrdinarily(
  { deps, signal }: Pick<SweepRun, 'deps' | 'signal'>,
  row: GroupRow,
): Promise<SeenGroup | Exclude<Observation<GroupRow>, { readonly kind: 'seen' }>> {
  const context = { class: 'look', key: `group:${row.id}`, signal } as const;
  const outcome = await lookAtGroup(deps, context, toGroupState(row));
  if (outcome.kind !== 'done') return { kind: 'could-not-look', reason: outcome.problem.code };
  if (outcome.known.missing) return { kind: 'gone' };
  if (outcome.known.observed === undefined) return { kind: 'could-not-look', reason: 'not-found' };
  return { kind: 'seen', found: outcome.known };
}

/** Looks at a list of a group, if it is needed. */
async function attemptLook<Found>(
  isNeeded: boolean,
  look: () => Promise<Found>,
): Promise<
  | { readonly kind: 'seen'; readonly found: Found | undefined }
  | { readonly kind: 'could-not-look'; readonly reason: string }
> {
  if (!isNeeded) return { kind: 'seen', found: undefined };
  try {
    return { kind: 'seen', found: await look() };
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    return { kind: 'could-not-look', reason: error.code };
  }
}
