import type { Loop } from '../../domain/clock.ts';
import type { BridgeError } from '../../domain/values.ts';
import { createShared } from '../../store/shared-state.ts';
import type { Db } from '../../store/store.ts';
import { users } from '../../upstream/operations/people.ts';
import { parseCompanyUser } from '../../upstream/shapes/company-user.ts';
import type { ReconcileDeps } from '../deps.ts';
import { createJob } from '../job.ts';
import { backoffMs, toReadFailure } from '../outcome.ts';
import {
  assertService,
  isOtherService,
  type KnownService,
  mayGoWithout,
  openService,
} from '../sections.ts';
import { readService, recheckSections } from './read-service.ts';
import { READING, type ReadBefore, Reading, type ReadProgress } from './reading.ts';

/** Interval at which a closed section is asked again, in milliseconds. */
const RECHECK_MS = 5 * 60_000;
/** Largest failure count for asking who we are: all changes wait for it, so it is asked every 16 s at least. */
const ACCOUNT_BACKOFF_MAX = 5;

/** The first complete read, as the store keeps it. A restart repeats the list that was being read. */
interface StoredRead {
  readonly sections: ReadBefore;
  /** Time when everything that may be read had been read once (epoch milliseconds). */
  readonly finishedAt: number | undefined;
}

const STORED = createShared<StoredRead>('first-read');

/** Finds when the first read ended (epoch milliseconds); undefined: it has not. */
export async function findFirstReadAt(db: Db): Promise<number | undefined> {
  return (await STORED.find(db))?.finishedAt;
}

/** Progress of the first complete read of the service. */
export type FirstReadState =
  | ({ readonly kind: 'running' } & ReadProgress)
  | { readonly kind: 'finished' };

/** The first read of a service, once per store. SCIM answers after it alone: "not found" would have users created twice. */
export class FirstRead {
  readonly #deps: ReconcileDeps;
  readonly #learned = Promise.withResolvers<void>();
  readonly #broken = Promise.withResolvers<BridgeError>();
  readonly #loop: Loop;
  #reading: Reading;
  #service: KnownService | undefined;
  #finishedAt: number | undefined;
  /** Failures in a row of asking whose service it is; undefined: this process knows. */
  #failures: number | undefined = 0;

  constructor(deps: ReconcileDeps) {
    this.#deps = deps;
    this.#reading = new Reading(deps.clock.now(), true);
    const job = { type: 'first-read', id: 'run', restMs: RECHECK_MS };
    this.#loop = createJob(deps, job, (signal) =>
      this.#turn(signal).catch((error: unknown) => {
        if (!isOtherService(error)) throw error;
        this.#broken.resolve(error);
        return RECHECK_MS;
      }),
    );
  }

  /** Starts, or goes on with the lists that are left. @throws BridgeError `other-service`: the store has another one */
  async start(): Promise<void> {
    const { store, clock } = this.#deps;
    this.#service = await openService(this.#deps);
    const stored = await STORED.find(store.read);
    this.#finishedAt = stored?.finishedAt;
    this.#reading = new Reading(clock.now(), true, stored?.sections);
    this.#loop.start();
  }

  /** Stops after the page that is being stored. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  state(): FirstReadState {
    if (this.finished) return { kind: 'finished' };
    const none = { step: 'service', read: 0, expected: null, endsAt: null };
    return { kind: 'running', ...(this.#reading.findProgress(this.#deps.clock.now()) ?? none) };
  }

  get finished(): boolean {
    return this.#finishedAt !== undefined;
  }

  /** Account behind the token, once it is known and where the service tells it. */
  ownAccount(): number | undefined {
    return this.#service?.accountId;
  }

  /** Hold on changes until this process knows that the service is the one of the store, as far as it tells. */
  readonly hold = { over: this.#learned.promise, isLong: () => (this.#failures ?? 0) > 0 };

  /** Resolves, if ever, with the reason why the bridge must stop: the store belongs to another company. */
  readonly broken = this.#broken.promise;

  async #turn(signal: AbortSignal): Promise<number> {
    const waitMs = this.#failures === undefined ? 0 : await this.#learn(this.#failures + 1, signal);
    if (waitMs > 0) return waitMs;
    const run = { deps: this.#deps, reading: this.#reading, signal };
    // A store that was filled before asks for closed sections at once. A failure is met again in five minutes.
    if (this.finished) {
      await recheckSections(run).catch((error: unknown) => this.#tellFailed('sections', error));
    }
    await readService(run, { onEnd: () => this.#save() });
    return RECHECK_MS;
  }

  /** Learns whose service it is. Returns the wait before the next attempt, in milliseconds; 0: none is needed. */
  async #learn(attempt: number, signal: AbortSignal): Promise<number> {
    try {
      this.#service = await assertService(this.#deps, await this.#askAccount(attempt, signal));
    } catch (error) {
      signal.throwIfAborted();
      if (isOtherService(error)) throw error;
      this.#failures = attempt;
      return this.#tellFailed('service', error, attempt);
    }
    this.#failures = undefined;
    this.#learned.resolve();
    return 0;
  }

  /** Asks for our own account, which must never lock itself out. The operation is not documented. */
  async #askAccount(attempt: number, signal: AbortSignal): Promise<Partial<KnownService>> {
    try {
      const options = { ...READING, signal };
      const answer = await this.#deps.upstream.call(users.retrieveCurrentUser, {}, options);
      const { id: accountId, companyId } = parseCompanyUser(answer);
      return { accountId, companyId };
    } catch (error) {
      if (await mayGoWithout(this.#deps, error, attempt)) return {};
      throw error;
    }
  }

  async #save(): Promise<void> {
    const { store, clock } = this.#deps;
    const now = clock.now();
    // That it was finished once, no later change undoes.
    const isOver = this.#reading.findOpenList() === undefined;
    const finishedAt = this.#finishedAt ?? (isOver ? now : undefined);
    const stored = { sections: this.#reading.toBefore(), finishedAt };
    await store.write((tx) => STORED.save(tx, stored, now));
    this.#finishedAt = finishedAt;
  }

  /** Reports what failed. Returns the wait before the next attempt, in milliseconds. */
  #tellFailed(step: string, error: unknown, failures = ACCOUNT_BACKOFF_MAX): number {
    const { events, random } = this.#deps;
    const { text: reason, retryAfterMs } = toReadFailure(error);
    const retryInMs = backoffMs(Math.min(failures, ACCOUNT_BACKOFF_MAX), retryAfterMs, random());
    events.firstReadFailed({ step, reason, retryInMs });
    return retryInMs;
  }
}
