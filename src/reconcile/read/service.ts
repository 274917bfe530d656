import { BridgeError } from '../../domain/errors.ts';
import { createFact } from '../../store/facts.ts';
import type { Db } from '../../store/store.ts';
import { users } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { parseCompanyUser } from '../../upstream/shapes/company-user.ts';
import { classify } from '../verdict.ts';
import { type FirstReadContext, type FirstReadDeps, READING, type StepResult } from './step.ts';

/** Service that a store belongs to. */
export interface KnownService {
  /** Base URL, or a constant for the embedded sandbox, whose port changes. */
  readonly identity: string;
  /** Company, once a list or the account of the token named it. */
  readonly companyId?: number;
  /** Account behind the token, where the service tells it. */
  readonly accountId?: number;
}

/** The service that the store belongs to; unknown of a new store. */
export const SERVICE = createFact<KnownService>('service');

/**
 * Makes the store belong to this service, or adds new facts about it.
 * @throws BridgeError `other-service` when it belongs to another.
 */
export async function saveService(tx: Db, seen: KnownService, now: number): Promise<void> {
  const known = await SERVICE.find(tx);
  if (known !== undefined) assertSameService(known, seen);
  const value: KnownService = { ...known, ...seen };
  if (JSON.stringify(value) !== JSON.stringify(known)) {
    await SERVICE.save(tx, value, now);
  }
}

/**
 * Checks that both are the same service. @throws BridgeError `other-service` when the users and groups of the store are
 * those of another one.
 */
export function assertSameService(known: KnownService, seen: KnownService): void {
  if (known.identity !== seen.identity) throw toOtherService(known.identity, seen.identity);
  const { companyId = seen.companyId } = known;
  if (seen.companyId !== undefined && companyId !== seen.companyId) {
    throw toOtherService(`company ${companyId}`, `company ${seen.companyId}`);
  }
}

function toOtherService(known: string, seen: string): BridgeError {
  return new BridgeError(
    'other-service',
    `the store belongs to ${known}, and the settings lead to ${seen}: ` +
      'set UPSTREAM_URL and UPSTREAM_TOKEN back, or give this service a store of its own (DATABASE_URL)',
  );
}

/** Tells whether the service answers a cheap read that every token may send. Never rejects because of the service. */
export async function isAnswering({ upstream }: FirstReadDeps): Promise<boolean> {
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
export async function readService({ deps, signal, save }: FirstReadContext): Promise<StepResult> {
  const { identity, clock, upstream } = deps;
  let seen: KnownService = { identity };
  try {
    const options = { ...READING, signal };
    const account = parseCompanyUser(await upstream.call(users.retrieveCurrentUser, {}, options));
    const { id: accountId, companyId } = account;
    seen = { identity, accountId, ...(companyId === undefined ? {} : { companyId }) };
  } catch (error) {
    const { verdict, problem } = classify(error);
    const isTransient = verdict === 'later' || verdict === 'unknown';
    if (isTransient && problem.code !== 'unreadable') throw error;
  }
  await save({ state: 'open', count: 0 }, (tx) => saveService(tx, seen, clock.now()));
  return { kind: 'done' };
}
