import type { Adoption, AdoptionRequest } from '../../domain/adoption.ts';
import { userId } from '../../domain/ids.ts';
import { followUser } from '../../rules/follow.ts';
import { isProvider } from '../../store/credentials/providers.ts';
import { endUnmanaged } from '../../store/drifts.ts';
import { deleteDisputes } from '../../store/resources/disputes.ts';
import type { Db } from '../../store/store.ts';
import { listAccountNames, listUsersByAnyName, lockUser } from '../../store/users/users.ts';
import type { ScimDeps } from '../deps.ts';
import { adoptKnowing, assertRoleKnown } from '../writes/read-privilege.ts';
import { takeOverUser } from './store-change.ts';

/**
 * Takes an account over for an operator, as the service holds it: only the values of rules wait. Protection from
 * losing access stays. `users.adopt` is about providers, so it does not apply here.
 */
export async function adoptUserByHand(deps: ScimDeps, request: AdoptionRequest): Promise<Adoption> {
  return adoptKnowing(deps, request, (tx, known) => store(tx, known, request));
}

async function store(
  tx: Db,
  deps: ScimDeps,
  { id, privileged, provider }: AdoptionRequest,
): Promise<Adoption> {
  if (!(await isProvider(tx, provider))) return { kind: 'unknown-provider' };
  const row = await lockUser(tx, userId(id));
  if (row === undefined || row.deleted_at !== null) return { kind: 'unknown' };
  if (row.origin !== null) return { kind: 'managed' };
  assertRoleKnown(row);
  const reason = await deps.rules.protection.findPrivilege(tx, row);
  if (reason !== undefined && privileged === 'refuse') return { kind: 'privileged', reason };
  const names = listAccountNames(row).filter((name) => name !== null);
  // An account that another user is to get, or has, is not given to two.
  const holders = await listUsersByAnyName(tx, row.user_name_folded, names);
  if (holders.some(({ origin }) => origin !== null)) return { kind: 'taken' };
  const ended = { status: 'accepted', now: deps.clock.now() } as const;
  await endUnmanaged(tx, { type: 'user', id: row.id }, ended);
  await takeOverUser(tx, row, provider);
  await followUser(tx, deps.rules, row.id, deps.clock.now());
  await deleteDisputes(tx, { type: 'user', namesFolded: [row.user_name_folded, ...names] });
  deps.telemetry.adopted({ type: 'user', id: row.id });
  return { kind: 'adopted' };
}
