import type { Adoption, AdoptionRequest } from '../domain/provider.ts';
import type { ResourceKey } from '../domain/values.ts';
import { BridgeError } from '../domain/values.ts';
import { isProvider } from '../store/credentials.ts';
import { lockRow } from '../store/resources/rows.ts';
import type { Db } from '../store/store.ts';
import { rehearse } from '../store/store.ts';
import { deleteWhere } from '../store/tables.ts';
import type { ScimDeps } from './deps.ts';
import { UNCOUNTED } from './repairs.ts';
import { storeAfterLook } from './writes/accept.ts';
import { applyChange, takeOver } from './writes/change.ts';
import { groupWrites } from './writes/group.ts';
import type { WriteKind } from './writes/kind.ts';
import { userWrites } from './writes/user.ts';

/** Longest look for an operator's takeover, with the wait for its turn, in milliseconds. */
const LOOK = { class: 'change', waitMs: 10_000 } as const;

/** Takes an account or group over for an operator. The settings about adoption are about providers. A dry run looks too, and is undone. */
export async function adopt(
  deps: ScimDeps,
  type: ResourceKey['type'],
  request: AdoptionRequest,
): Promise<Adoption> {
  const takeOver = (tx: Db, given: ScimDeps) =>
    type === 'user'
      ? adoptOne(tx, given, userWrites, request)
      : adoptOne(tx, given, groupWrites, request);
  // Nobody hears of a takeover that is undone.
  const quiet = { ...deps, events: { ...deps.events, adopted: () => undefined } };
  try {
    const adoption = await storeAfterLook(deps, LOOK, () =>
      request.isDryRun
        ? rehearse(deps.store, (tx) => takeOver(tx, quiet))
        : deps.store.write((tx) => takeOver(tx, deps)),
    );
    if (adoption.kind === 'adopted' && !request.isDryRun) deps.store.bell.ring('due');
    return adoption;
  } catch (error) {
    if (!(error instanceof BridgeError) || error.code !== 'could-not-look') throw error;
    return { kind: 'could-not-look', reason: error.message };
  }
}

async function adoptOne<Type extends ResourceKey['type']>(
  tx: Db,
  deps: ScimDeps,
  kind: WriteKind<Type>,
  { id, privileged, provider }: AdoptionRequest,
): Promise<Adoption> {
  const asked = { ...deps, provider };
  if (!(await isProvider(tx, provider))) return { kind: 'unknown-provider' };
  await kind.begin(tx, asked, 'adopt', id);
  const row = await lockRow(tx, { type: kind.type, id });
  if (row === undefined || row.deleted_at !== null) return { kind: 'unknown' };
  if (row.origin !== null) return { kind: 'managed' };
  const reason = await kind.findPrivilege(tx, asked, row);
  if (reason !== undefined && privileged === 'refuse') return { kind: 'privileged', reason };
  const holders = await kind.listHolders(tx, row);
  if (holders.some(({ origin }) => origin !== null)) return { kind: 'taken' };
  // As the service holds it: only the values of rules wait.
  await applyChange(tx, asked, kind, {
    row: await takeOver(tx, asked, kind, row),
    origin: null,
    asked: { attributes: row.attributes, names: new Set(), edits: [], placeOf: String },
    repairs: UNCOUNTED,
  });
  const named = { resource_type: kind.type, name_folded: kind.listNames(row) };
  await deleteWhere(tx, 'disputes', named);
  return { kind: 'adopted' };
}
