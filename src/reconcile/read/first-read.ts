import type { Loop } from '../../domain/clock.ts';
import type { BridgeError } from '../../domain/values.ts';
import { createShared } from '../../store/shared-state.ts';
import type { ReconcileDeps } from '../deps.ts';
import { createJob } from '../job.ts';
import { BLIND, isOtherService, openService } from '../sections.ts';
import { readService, recheckSections } from './read-service.ts';
import type { ReadProgress } from './reading.ts';
import { READ_SECTIONS, Reading } from './reading.ts';

/** Interval at which a closed section is asked again, in milliseconds. */
const RECHECK_MS = 5 * 60_000;

/** When everything had been read once (epoch milliseconds). A restart before that begins anew. */
export const FIRST_READ = createShared<number>('first-read');

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
  readonly #reading: Reading;

  constructor(deps: ReconcileDeps) {
    this.#deps = deps;
    this.#reading = new Reading(deps.clock.now(), true);
    this.#reading.lists.service.state = 'open';
    const job = { type: 'first-read', id: 'run', restMs: RECHECK_MS };
    this.#loop = createJob(deps, job, (signal) =>
      this.#turn(signal).catch((error: unknown) => {
        if (!isOtherService(error)) throw error;
        this.#broken.resolve(error);
        return RECHECK_MS;
      }),
    );
  }

  /** Starts. @throws BridgeError `other-service`: the store has another one */
  async start(): Promise<void> {
    const reading = this.#reading;
    const { read } = this.#deps.store;
    reading.accountId = (await openService(this.#deps))?.accountId;
    reading.isFirst = (await FIRST_READ.find(read)) === undefined;
    const sections = this.finished ? this.#deps.sections.states() : undefined;
    for (const section of sections ? READ_SECTIONS : []) {
      // One that is closed may never have been read.
      const { code = BLIND.code } = sections?.[section]?.problem ?? {};
      reading.restart(section, code === BLIND.code ? 'done' : 'refused');
    }
    this.#loop.start();
  }

  readonly stop = () => this.#loop.stop();

  state(): FirstReadState {
    if (this.finished) return { kind: 'finished' };
    const none = { step: 'members', read: 0, expected: null, endsAt: null };
    return { kind: 'running', ...(this.#reading.findProgress(this.#deps.clock.now()) ?? none) };
  }

  get finished(): boolean {
    return !this.#reading.isFirst;
  }

  /** Account behind the token, once it is known and where the service tells it. */
  ownAccount(): number | undefined {
    return this.#reading.accountId;
  }

  /** Hold on changes until this process knows that the service is the one of the store, as far as it tells. */
  readonly hold = {
    over: this.#learned.promise,
    isLong: () => !this.#reading.isDone('service') && this.#reading.failures > 0,
  };

  /** Resolves, if ever, with the reason why the bridge must stop: the store belongs to another company. */
  readonly broken = this.#broken.promise;

  async #turn(signal: AbortSignal): Promise<number> {
    const run = { deps: this.#deps, reading: this.#reading, signal };
    // A store that was filled before asks for closed sections at once.
    if (this.finished) await recheckSections(run);
    await readService(run, { onEnd: () => this.#noteEnd() });
    return RECHECK_MS;
  }

  async #noteEnd(): Promise<void> {
    const { store, clock } = this.#deps;
    // It comes before all lists.
    this.#learned.resolve();
    // That it was finished once, no later change undoes.
    if (this.finished || this.#reading.findOpenList() !== undefined) return;
    const now = clock.now();
    await store.write((tx) => FIRST_READ.save(tx, now, now));
    this.#reading.isFirst = false;
  }
}
