import { BridgeError } from '../../domain/values.ts';
import { scim } from '../../upstream/operations/scim.ts';
import type { ReconcileDeps } from '../deps.ts';
import { type Classified, classify } from '../outcome.ts';
import { type KnownService, SERVICE } from '../sections.ts';
import { READING } from './reading.ts';

type StoreDeps = Pick<ReconcileDeps, 'store' | 'clock' | 'identity'>;

/** Finds what the store knows of its service. @throws BridgeError `other-service` when it belongs to another address */
export async function openService({
  store,
  identity,
}: StoreDeps): Promise<KnownService | undefined> {
  const known = await SERVICE.find(store.read);
  if (known && known.identity !== identity) throw toOther(known.identity, identity);
  return known;
}

/** Makes the store belong to this service, or adds facts about it. @throws BridgeError `other-service`: it has another */
export async function assertService(
  deps: StoreDeps,
  { companyId, accountId }: Omit<KnownService, 'identity'>,
): Promise<KnownService> {
  const { store, clock, identity } = deps;
  const known = await openService(deps);
  if (companyId !== undefined && companyId !== (known?.companyId ?? companyId)) {
    throw toOther(`company ${known?.companyId}`, `company ${companyId}`);
  }
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

function toOther(known: string, seen: string): BridgeError {
  return new BridgeError(
    'other-service',
    `the store belongs to ${known}, and the settings lead to ${seen}: ` +
      'set UPSTREAM_URL and UPSTREAM_TOKEN back, or give this service a store of its own (DATABASE_URL)',
  );
}

/** True for the error of a store that belongs to another service. */
export function isOtherService(error: unknown): error is BridgeError {
  return error instanceof BridgeError && error.code === 'other-service';
}

/** Tells whether the service answers a cheap read that every token may send. Never rejects because of the service. */
export async function isAnswering({ upstream }: ReconcileDeps): Promise<boolean> {
  try {
    await upstream.call(scim.getUsers, { query: { startIndex: 1, count: 1 } }, READING);
    return true;
  } catch (error) {
    return !isTransient(classify(error));
  }
}

/** Times that one kind of call may fail while other reads work. */
const FAILURES_MAX = 3;

/** True when the bridge goes on without what a call was to tell: it tells nothing, or fails alone. `attempt`: from 1 on */
export async function mayGoWithout(
  deps: ReconcileDeps,
  error: unknown,
  attempt: number,
): Promise<boolean> {
  const classified = classify(error);
  if (!isTransient(classified) || classified.problem.code === 'unreadable') return true;
  return attempt >= FAILURES_MAX && (await isAnswering(deps));
}

const isTransient = ({ verdict }: Classified) => verdict === 'later' || verdict === 'unknown';
