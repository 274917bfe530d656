import type { Adoption, AdoptionRequest } from '../../domain/adoption.ts';
import { groupId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import { enterRules } from '../../rules/follow.ts';
import { findGroupPrivilege } from '../../rules/rules.ts';
import { isProvider } from '../../store/credentials/providers.ts';
import { endUnmanaged } from '../../store/drifts.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { listGroupsByName, lockGroup } from '../../store/groups/groups.ts';
import { deleteDisputes } from '../../store/resources/disputes.ts';
import type { Db } from '../../store/store.ts';
import type { ScimDeps } from '../deps.ts';
import { UNCOUNTED } from '../repairs.ts';
import { adoptKnowing, assertAdminsKnown } from '../writes/read-privilege.ts';
import { takeOver } from './create-group.ts';
import { storeGroupChange } from './store-change.ts';

/**
 * Takes a group over for an operator, with its members as they are: only the values of rules wait. Its admins
 * are read first. `groups.adopt` is about providers, so it does not apply here.
 */
export async function adoptGroupByHand(
  deps: ScimDeps,
  request: AdoptionRequest,
): Promise<Adoption> {
  return adoptKnowing(deps, request, (tx, known) => store(tx, known, request));
}

async function store(
  tx: Db,
  deps: ScimDeps,
  { id, privileged, provider }: AdoptionRequest,
): Promise<Adoption> {
  if (!(await isProvider(tx, provider))) return { kind: 'unknown-provider' };
  await enterRules(tx, deps.rules, 'names');
  const row = await lockGroup(tx, groupId(id));
  if (row === undefined || row.deleted_at !== null) return { kind: 'unknown' };
  if (row.origin !== null) return { kind: 'managed' };
  assertAdminsKnown(row);
  const reason = await findGroupPrivilege(tx, deps, row);
  if (reason !== undefined && privileged === 'refuse') return { kind: 'privileged', reason };
  const named = await listGroupsByName(tx, row.display_name_folded);
  if (named.some(({ origin }) => origin !== null)) return { kind: 'taken' };
  const ended = { status: 'accepted', now: deps.clock.now() } as const;
  await endUnmanaged(tx, { type: 'group', id: row.id }, ended);
  const before = parseStored<JsonObject>(row.attributes);
  await storeGroupChange(tx, deps, {
    row: await takeOver(tx, { ...deps, provider }, row),
    origin: row.origin,
    before,
    attributes: before,
    ...{ fields: [], members: [], admins: [], repairs: UNCOUNTED, placeOf: () => undefined },
    isNew: false,
  });
  await deleteDisputes(tx, { type: 'group', namesFolded: [row.display_name_folded] });
  return { kind: 'adopted' };
}
