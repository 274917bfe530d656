import type { DriftKind } from '../../domain/drift.ts';
import { listEntityFields } from '../../domain/entity.ts';
import { BridgeError } from '../../domain/errors.ts';
import type { Deactivation, ObservedUser } from '../../domain/user.ts';
import { parseCells } from '../../store/engine/columns.ts';
import {
  type GroupRow,
  type ResourceRow,
  type UserRow,
  updateRow,
} from '../../store/resources/rows.ts';
import { toGroupState, toObservedGroup, toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import type { CompanyUser } from '../../upstream/shapes/company-user.ts';
import type { CallContext } from '../deps.ts';
import { lookAtGroup } from '../group/look.ts';
import type { GroupOutcome } from '../group/outcome.ts';
import { lookUpAdminIds, lookUpEntities } from '../group/read-admins.ts';
import { saveEntities } from '../group/read-entities.ts';
import { observeCompanyUser } from '../read/read-users.ts';
import { saveMembers } from '../read/save-groups.ts';
import { lookAtUser } from '../user/apply.ts';
import { findCompanyUser, toSearchText } from '../user/find-company-user.ts';
import { toObservedColumns } from '../user/observe.ts';
import { classify } from '../verdict.ts';
import { LIST_LOOK, saveAdmins } from './read-lists.ts';
import type { SweepRun } from './run.ts';

/** Dependencies of a look. */
export type Looking = Pick<SweepRun, 'deps' | 'signal'>;

/** Parts that a look at one resource has to read. */
export interface LookNeeds {
  /** The ordinary look: state and name, and the members of a group. */
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

/** Finds the parts to look at where nothing is known to differ: the managed ones, and admins where they are wanted. */
export function toNeeds(
  row: ResourceRow,
  { admins }: Pick<LookNeeds, 'admins'>,
  { policy }: Pick<Looking['deps'], 'policy'>,
): LookNeeds {
  if (row.type === 'group') {
    const entities = listEntityFields(parseCells(row)).length > 0;
    return { ordinary: true, companyUser: false, admins, entities };
  }
  const { desired } = toUserState(row);
  const isOwned =
    desired.appsPermissions !== undefined || desired.temporarilyInactive !== undefined;
  const companyUser = isOwned || policy.deactivation === 'temporarilyInactive';
  return { ordinary: true, companyUser, admins: false, entities: false };
}

/**
 * What a look at one user or group has shown.
 * - `seen`: `store` stores it, in a transaction that has made sure that the row has not changed
 * - `gone`: the service has no such resource
 * - `could-not-look`: nothing is known
 */
export type Observation =
  | { readonly kind: 'seen'; readonly store: (tx: Db, locked: ResourceRow) => Promise<void> }
  | { readonly kind: 'gone' }
  | { readonly kind: 'could-not-look'; readonly reason: string };

function toUnknown(reason: string): Observation {
  return { kind: 'could-not-look', reason };
}

/** Looks at one user or group by itself. */
export async function lookAt(
  looking: Looking,
  row: ResourceRow,
  needs: LookNeeds,
): Promise<Observation> {
  return row.type === 'user'
    ? lookAtUserAgain(looking, row, needs)
    : lookAtGroupAgain(looking, row, needs);
}

/** Looks at one user, and at licence and suspension where these are needed. */
async function lookAtUserAgain(
  { deps, signal }: Looking,
  row: UserRow,
  needs: LookNeeds,
): Promise<Observation> {
  const state = toUserState(row);
  const context = { class: 'look', key: `user:${row.id}`, signal } as const;
  const { upstreamId } = state;
  let { observed } = state;
  if (needs.ordinary) {
    const outcome = await lookAtUser(deps, context, state);
    if (outcome.kind !== 'done') return toUnknown(outcome.problem.code);
    if (outcome.known.missing) return { kind: 'gone' };
    observed = outcome.known.observed;
  }
  if (observed === undefined) return toUnknown('not-found');
  if (needs.companyUser) {
    const found = await lookAtCompanyUser(deps, context, { observed, upstreamId });
    if (found === undefined) return toUnknown('companyUsers');
    observed = observeCompanyUser(found, observed, deps.clock.now());
  }
  const columns = toObservedColumns(row, observed);
  return { kind: 'seen', store: (tx) => updateRow(tx, row, columns) };
}

async function lookAtCompanyUser(
  deps: Looking['deps'],
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

const NOT_LOOKED: GroupOutcome = { kind: 'done', known: {} };

/** Looks at one group: its name, rights and members, and its admins and entities where they are needed. */
async function lookAtGroupAgain(
  { deps, signal }: Looking,
  row: GroupRow,
  needs: LookNeeds,
): Promise<Observation> {
  const context = { class: 'look', key: `group:${row.id}`, signal } as const;
  const outcome = needs.ordinary ? await lookAtGroup(deps, context, toGroupState(row)) : NOT_LOOKED;
  if (outcome.kind !== 'done') return toUnknown(outcome.problem.code);
  const { missing, observed, memberIds } = outcome.known;
  if (missing) return { kind: 'gone' };
  if (needs.ordinary && observed === undefined) return toUnknown('not-found');
  const lists = await lookAtLists(deps, row, needs);
  if (lists.kind === 'could-not-look') return lists;
  const { admins, entities } = lists;
  return {
    kind: 'seen',
    async store(tx, locked) {
      if (locked.type === 'user') return;
      const now = deps.clock.now();
      const seen = { ...toObservedGroup(locked), ...observed };
      if (observed) await updateRow(tx, locked, { observed: JSON.stringify(seen) });
      if (memberIds)
        await saveMembers(tx, locked, { memberIds, now, isFirst: false, from: 'group' });
      if (admins) await saveAdmins(tx, locked, admins, now);
      if (entities) await saveEntities(tx, locked, entities);
    },
  };
}

/** Looks at the lists of a group that are needed. */
async function lookAtLists(deps: Looking['deps'], row: GroupRow, needs: LookNeeds) {
  try {
    return {
      kind: 'seen',
      admins: needs.admins ? await lookUpAdminIds(deps, row, LIST_LOOK) : undefined,
      entities: needs.entities ? await lookUpEntities(deps, row, LIST_LOOK) : undefined,
    } as const;
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    return { kind: 'could-not-look', reason: error.code } as const;
  }
}
