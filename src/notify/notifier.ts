import type { Clock } from '../domain/clock.ts';
import type { Receiver } from '../domain/notification.ts';
import type { Store } from '../store/store.ts';
import { createDelivery, type DeliveryDeps } from './deliver.ts';
import { createPoster } from './post.ts';
import { type Observed, tellChanges } from './watch.ts';

/** Settings of notifications. */
export interface NotifyPolicy {
  readonly receivers: readonly Receiver[];
  /** Patterns of the hosts that they may be on. */
  readonly hosts: readonly string[];
  readonly privateAddresses: 'refuse' | 'allow';
}

/** What notifications are made of. */
export interface NotifierDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: () => number;
  readonly policy: NotifyPolicy;
  /** Reads what receivers may be told. */
  readonly observe: () => Promise<Observed>;
  readonly told: DeliveryDeps['told'] & { failed(error: unknown): void };
}

/** Tells receivers what happens, at the leader. */
export interface Notifier {
  start(): void;
  /** Resolves when nothing is sent any more. */
  stop(): Promise<void>;
}

/** How often the state is compared with what was told, and deliveries are looked for, in milliseconds. */
const LOOK_MS = 5_000;

/** Creates the notifier of one lead; without receivers it does nothing. */
export function createNotifier(deps: NotifierDeps): Notifier {
  const { store, clock, random, policy, told } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  let waking = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  let unlisten: () => void = () => undefined;
  const poster = createPoster(clock, policy);

  async function look(): Promise<number> {
    const observed = await deps.observe();
    const at = clock.now();
    const stored = await store.write((tx) => tellChanges(tx, policy.receivers, observed, at));
    if (stored > 0) notify();
    return LOOK_MS;
  }

  /** Another lead goes on with what this one has not stored. */
  async function repeat(work: () => Promise<number>): Promise<void> {
    while (!signal.aborted) {
      const ms = await work().catch((error: unknown) => {
        if (!signal.aborted) told.failed(error);
        return LOOK_MS;
      });
      await clock.sleep(ms, AbortSignal.any([signal, waking.signal])).catch(() => undefined);
    }
  }

  function notify(): void {
    const before = waking;
    waking = new AbortController();
    before.abort('news');
  }

  return {
    start() {
      if (policy.receivers.length === 0) return;
      unlisten = store.bell.listen('decided', notify);
      const delivery = { store, clock, random, poster, told, signal };
      running = Promise.all([
        repeat(look),
        ...policy.receivers.map((receiver) => {
          const { run } = createDelivery(delivery, receiver, LOOK_MS);
          return repeat(run);
        }),
      ]);
    },
    async stop() {
      unlisten();
      stopping.abort('stopped');
      await poster.close();
      await running;
    },
  };
}
