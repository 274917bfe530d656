import type { Adoption, AdoptionRequest } from '../../domain/adoption.ts';
import { BridgeError } from '../../domain/errors.ts';
import { isProvider } from '../../store/credentials/providers.ts';
import { endUnmanaged } from '../../store/drifts.ts';
import { deleteDisputes } from '../../store/resources/disputes.ts';
import type { ResourceRow, RowOf } from '../../store/resources/rows.ts';
import { type Db, rehearse } from '../../store/store.ts';
import type { ProviderDeps, ScimDeps } from '../deps.ts';
import { conflict, ScimError } from '../errors.ts';
import { storeAfterLook } from './read-privilege.ts';
import { type Disputed, dispute } from './write-result.ts';

type ResourceType = ResourceRow['type'];

/** How the unmanaged resources of one type are taken over. */
export interface AdoptableKind<Type extends ResourceType> {
  readonly type: Type;
  readonly policy: 'adoptUsers' | 'adoptGroups';
  lock(tx: Db, deps: ScimDeps, id: string): Promise<RowOf<Type> | undefined>;
  /** @throws PrivilegeUnknown */
  findPrivilege(tx: Db, deps: ScimDeps, row: RowOf<Type>): Promise<string | undefined>;
  /** Folded names that nobody else may have. */
  listNames(row: RowOf<Type>): readonly string[];
  listHolders(tx: Db, row: RowOf<Type>): Promise<readonly Pick<ResourceRow, 'origin'>[]>;
  /** Takes it over as the service holds it: only the values of rules wait. */
  takeOver(tx: Db, deps: ProviderDeps, row: RowOf<Type>): Promise<void>;
}

/** Something unmanaged that a write is about. */
interface Takeover<Type extends ResourceType> {
  readonly kind: AdoptableKind<Type>;
  readonly row: RowOf<Type>;
}

const WORDS = { user: 'account', group: 'group' } as const;

/**
 * Stops a change of what is not managed.
 * @throws ScimError 403 when the settings or a privilege forbid taking it over
 * @throws PrivilegeUnknown
 */
export async function assertAdoptable<Type extends ResourceType>(
  tx: Db,
  deps: ScimDeps,
  { kind, row }: Takeover<Type>,
): Promise<void> {
  const privilege = await kind.findPrivilege(tx, deps, row);
  if (privilege !== undefined) throw new ScimError(403, `${privilege} An operator can adopt it.`);
  if (deps.policy[kind.policy] === 'yes') return;
  const what = WORDS[kind.type];
  throw new ScimError(403, `The ${what} is not managed, and the settings forbid taking it over.`);
}

/**
 * Finds out whether a creation may take over what is there already; undefined: it may.
 * @throws ScimError 409 when the settings or a privilege forbid it
 * @throws PrivilegeUnknown
 */
export async function disputeAdoption<Type extends ResourceType>(
  tx: Db,
  deps: ScimDeps,
  { kind, row }: Takeover<Type>,
): Promise<Disputed | undefined> {
  const privilege = await kind.findPrivilege(tx, deps, row);
  if (privilege !== undefined) throw conflict(`${privilege} An operator can adopt it.`);
  const policy = deps.policy[kind.policy];
  if (policy === 'yes') return undefined;
  const there = `The ${WORDS[kind.type]} exists in the service`;
  if (policy === 'refuse') throw conflict(`${there} and the settings forbid taking it over.`);
  const waits = `${there}. An operator has to decide whether it is taken over.`;
  return dispute(tx, deps, { type: kind.type, name: row.name }, waits);
}

/** Longest look for an operator's takeover, with the wait for its turn, in milliseconds. */
const LOOK = { class: 'change', waitMs: 10_000 } as const;

/**
 * Takes an account or group over for an operator, after a look where it may be privileged. The settings about adoption are
 * about providers, so they do not apply here. A dry run looks too, and is undone.
 */
export async function adoptByHand<Type extends ResourceType>(
  deps: ScimDeps,
  kind: AdoptableKind<Type>,
  request: AdoptionRequest,
): Promise<Adoption> {
  // Nobody hears of a takeover that is undone.
  const quiet = { ...deps, telemetry: { ...deps.telemetry, adopted: () => undefined } };
  try {
    const adoption = await storeAfterLook(deps, LOOK, () =>
      request.isDryRun
        ? rehearse(deps.store, (tx) => adopt(tx, quiet, { kind, request }))
        : deps.store.write((tx) => adopt(tx, deps, { kind, request })),
    );
    if (adoption.kind === 'adopted' && !request.isDryRun) deps.reconciler.notify();
    return adoption;
  } catch (error) {
    if (!(error instanceof BridgeError) || error.code !== 'could-not-look') throw error;
    return { kind: 'could-not-look', reason: error.message };
  }
}

async function adopt<Type extends ResourceType>(
  tx: Db,
  deps: ScimDeps,
  { kind, request }: { readonly kind: AdoptableKind<Type>; readonly request: AdoptionRequest },
): Promise<Adoption> {
  const { id, privileged, provider } = request;
  if (!(await isProvider(tx, provider))) return { kind: 'unknown-provider' };
  const row = await kind.lock(tx, deps, id);
  if (row === undefined || row.deleted_at !== null) return { kind: 'unknown' };
  if (row.origin !== null) return { kind: 'managed' };
  const reason = await kind.findPrivilege(tx, deps, row);
  if (reason !== undefined && privileged === 'refuse') return { kind: 'privileged', reason };
  const holders = await kind.listHolders(tx, row);
  if (holders.some(({ origin }) => origin !== null)) return { kind: 'taken' };
  await endUnmanaged(tx, row, { status: 'accepted', now: deps.clock.now() });
  await kind.takeOver(tx, { ...deps, provider }, row);
  await deleteDisputes(tx, { type: kind.type, namesFolded: kind.listNames(row) });
  return { kind: 'adopted' };
}
