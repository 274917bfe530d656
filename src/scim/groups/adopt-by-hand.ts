import type { Adoption, AdoptionRequest } from '../../domain/adoption.ts';
import { BridgeError } from '../../domain/errors.ts';
import { type GroupId, groupId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import { enterRules } from '../../rules/follow.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { listGroupsByName, lockGroup } from '../../store/groups/groups.ts';
import { deleteDisputes } from '../../store/resources/disputes.ts';
import type { Db } from '../../store/store.ts';
import type { ScimDeps } from '../deps.ts';
import { takeOver } from './create-group.ts';
import { findGroupPrivilege } from './protect-group.ts';
import { storeGroupChange } from './store-change.ts';

/** Longest look at the admins of the group, with the wait for its turn, in milliseconds. */
const LOOK_WAIT_MS = 10_000;

/**
 * Takes a group over for an operator, with its members as they are: only the values of rules wait. Its admins
 * are read first. `groups.adopt` is about providers, so it does not apply here.
 */
export async function adoptGroupByHand(
  deps: ScimDeps,
  request: AdoptionRequest,
): Promise<Adoption> {
  const adoption = await adopt(deps, request);
  if (adoption.kind === 'adopted') deps.reconciler.wake();
  return adoption;
}

async function adopt(deps: ScimDeps, request: AdoptionRequest): Promise<Adoption> {
  const stored = await deps.store.write((tx) => store(tx, deps, request));
  if (stored.kind !== 'must-read-admins') return stored;
  try {
    await deps.reconciler.readAdmins(stored.id, { class: 'change', waitMs: LOOK_WAIT_MS });
  } catch (error) {
    if (!(error instanceof BridgeError) || error.code !== 'could-not-look') throw error;
    return { kind: 'could-not-look', reason: error.message };
  }
  const again = await deps.store.write((tx) => store(tx, deps, request));
  // Read just now and still unread: the group was made anew meanwhile.
  return again.kind === 'must-read-admins' ? { kind: 'unknown' } : again;
}

async function store(
  tx: Db,
  deps: ScimDeps,
  { id, privileged }: AdoptionRequest,
): Promise<Adoption | { readonly kind: 'must-read-admins'; readonly id: GroupId }> {
  await enterRules(tx, deps.rules, 'names');
  const row = await lockGroup(tx, groupId(id));
  if (row === undefined || row.deleted_at !== null) return { kind: 'unknown' };
  if (row.origin !== null) return { kind: 'managed' };
  if (row.admins_read_at === null) return { kind: 'must-read-admins', id: row.id };
  const reason = await findGroupPrivilege(tx, deps, row);
  if (reason !== undefined && privileged === 'refuse') return { kind: 'privileged', reason };
  const named = await listGroupsByName(tx, row.display_name_folded);
  if (named.some(({ origin }) => origin !== null)) return { kind: 'taken' };
  const before = parseStored<JsonObject>(row.attributes);
  await storeGroupChange(tx, deps, {
    row: await takeOver(tx, deps, row),
    origin: row.origin,
    before,
    attributes: before,
    ...{ fields: [], members: [], admins: [], keeps: () => false },
    claim: undefined,
    isNew: false,
  });
  await deleteDisputes(tx, { type: 'group', namesFolded: [row.display_name_folded] });
  return { kind: 'adopted' };
}
