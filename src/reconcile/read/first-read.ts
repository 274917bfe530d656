import type { Loop } from '../../domain/clock.ts';
import type { BridgeError } from '../../domain/values.ts';
import { createShared } from '../../store/shared-state.ts';
import type { Db } from '../../store/store.ts';
import { users } from '../../upstream/operations/people.ts';
import { parseCompanyUser } from '../../upstream/shapes/company-user.ts';
import type { ReconcileDeps } from '../deps.ts';
import { createJob } from '../job.ts';
import { backoffMs, toReadFailure } from '../outcome.ts';
import type { KnownService } from '../sections.ts';
import { assertService, isOtherService, mayGoWithout, openService } from '../sections.ts';
import { readService, recheckSections } from './read-service.ts';
import type { ReadBefore, ReadProgress } from './reading.ts';
import { READING, Reading } from './reading.ts';

/** Interval at which a closed section is asked again, in milliseconds. */
const RECHECK_MS = 5 * 60_000;
/** Attempts after which the wait grows no more: all changes wait for whose service it is, so it is asked every 16 s at least. */
const ATTEMPTS_MAX = 5;

/** Sections that were read to their last list, or refused, and when everything had been once. A restart repeats the list that was being read. */
const STORED = createShared<{ sections: ReadBefore; finishedAt: number | undefined }>('first-read');

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
    // A store that was filled before asks for closed sections at once.
    if (this.finished) await recheckSections(run);
    await readService(run, { onEnd: () => this.#save() });
    return RECHECK_MS;
  }

  /** Learns whose service it is. Returns the wait before the next attempt, in milliseconds; 0: none is needed. */
  async #learn(attempt: number, signal: AbortSignal): Promise<number> {
    const { upstream, events, random } = this.#deps;
    try {
      // Our own account must never lock itself out. The operation is not documented.
      const asked = upstream.call(users.retrieveCurrentUser, {}, { ...READING, signal });
      const seen = await asked.then(parseCompanyUser).catch(async (error: unknown) => {
        if (!(await mayGoWithout(this.#deps, error, attempt))) throw error;
      });
      const facts = { accountId: seen?.id, companyId: seen?.companyId };
      this.#service = await assertService(this.#deps, facts);
    } catch (error) {
      signal.throwIfAborted();
      if (isOtherService(error)) throw error;
      this.#failures = attempt;
      const { text: reason, retryAfterMs } = toReadFailure(error);
      const retryInMs = backoffMs(Math.min(attempt, ATTEMPTS_MAX), retryAfterMs, random());
      events.firstReadFailed({ step: 'service', reason, retryInMs });
      return retryInMs;
    }
    this.#failures = undefined;
    this.#learned.resolve();
    return 0;
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
}
