import { BridgeError } from '../../domain/errors.ts';
import { users } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { parseCompanyUser } from '../../upstream/shapes/company-user.ts';
import { type KnownService, SERVICE } from '../sections.ts';
import { classify } from '../verdict.ts';
import { READING, type ReadDeps } from './reading.ts';

/** Finds what the store knows of its service. @throws BridgeError `other-service` when it belongs to another address */
export async function openService({
  store,
  identity,
}: Pick<ReadDeps, 'store' | 'identity'>): Promise<KnownService | undefined> {
  const known = await SERVICE.find(store.read);
  if (known) assertSameService(known, { identity });
  return known;
}

/**
 * Makes the store belong to this service, or adds new facts about it.
 * @throws BridgeError `other-service` when it belongs to another.
 */
export async function assertService(
  { store, clock, identity }: Pick<ReadDeps, 'store' | 'clock' | 'identity'>,
  { companyId, accountId }: Omit<KnownService, 'identity'>,
): Promise<KnownService> {
  const known = await SERVICE.find(store.read);
  if (known !== undefined) assertSameService(known, { identity, companyId });
  const service: KnownService = {
    identity,
    companyId: companyId ?? known?.companyId,
    accountId: accountId ?? known?.accountId,
  };
  const isNew = service.accountId !== known?.accountId || service.companyId !== known?.companyId;
  if (known === undefined || isNew) {
    await store.write((tx) => SERVICE.save(tx, service, clock.now()));
  }
  return service;
}

/**
 * Checks that both are the same service. @throws BridgeError `other-service` when the users and groups of the store are
 * those of another one.
 */
function assertSameService(known: KnownService, seen: KnownService): void {
  const isOtherCompany =
    seen.companyId !== undefined && seen.companyId !== (known.companyId ?? seen.companyId);
  if (known.identity === seen.identity && !isOtherCompany) return;
  const toName = ({ identity, companyId }: KnownService) =>
    isOtherCompany ? `company ${companyId}` : identity;
  throw new BridgeError(
    'other-service',
    `the store belongs to ${toName(known)}, and the settings lead to ${toName(seen)}: ` +
      'set UPSTREAM_URL and UPSTREAM_TOKEN back, or give this service a store of its own (DATABASE_URL)',
  );
}

/** Tells whether the service answers a cheap read that every token may send. Never rejects because of the service. */
export async function isAnswering({ upstream }: ReadDeps): Promise<boolean> {
  try {
    await upstream.call(scim.getUsers, { query: { startIndex: 1, count: 1 } }, READING);
    return true;
  } catch (error) {
    const { verdict } = classify(error);
    return verdict !== 'later' && verdict !== 'unknown';
  }
}

/**
 * Reads our own account, which must never lock itself out. It stays unknown where the service does not tell: the
 * operation is not documented.
 */
export async function learnService(deps: ReadDeps, signal: AbortSignal): Promise<KnownService> {
  try {
    const options = { ...READING, signal };
    const answer = await deps.upstream.call(users.retrieveCurrentUser, {}, options);
    const { id: accountId, companyId } = parseCompanyUser(answer);
    return await assertService(deps, { accountId, companyId });
  } catch (error) {
    const { verdict, problem } = classify(error);
    const isTransient = verdict === 'later' || verdict === 'unknown';
    if (isTransient && problem.code !== 'unreadable') throw error;
    return assertService(deps, {});
  }
}
