import type { Clock } from '../domain/clock.ts';
import { createNews, type News } from '../domain/news.ts';
import type { Receiver } from '../domain/notification.ts';
import { giveUpOthers } from '../store/notifications.ts';
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

/** Dependencies of the notifier. */
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

/** Words for what waits for a receiver that is none any more. */
const UNNAMED = 'the settings name no such receiver';

/** Creates the notifier of one lead; without receivers it does nothing. */
export function createNotifier(deps: NotifierDeps): Notifier {
  const { store, clock, random, policy, told } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const ofState = createNews(clock, signal);
  let running: Promise<unknown> = Promise.resolve();
  let unlisten: () => void = () => undefined;
  const poster = createPoster(clock, policy);
  const deliveries = policy.receivers.map((receiver) => {
    const delivery = { store, clock, random, poster, told, signal };
    return { ...createDelivery(delivery, receiver, LOOK_MS), news: createNews(clock, signal) };
  });

  async function look(): Promise<number> {
    const observed = await deps.observe();
    const at = clock.now();
    const stored = await store.write((tx) => tellChanges(tx, policy.receivers, observed, at));
    if (stored > 0) for (const { news } of deliveries) news.tell();
    return LOOK_MS;
  }

  const fail = (error: unknown) => {
    if (!signal.aborted) told.failed(error);
  };

  /** Without this it would wait for ever, and with it all that it says of people. */
  async function giveUp(): Promise<void> {
    const names = policy.receivers.map(({ name }) => name);
    await store.write((tx) => giveUpOthers(tx, names, UNNAMED)).catch(fail);
  }

  /** Another lead goes on with what this one has not stored. */
  async function repeat(work: () => Promise<number>, news: News): Promise<void> {
    while (!signal.aborted) {
      const ms = await work().catch((error: unknown) => {
        fail(error);
        return LOOK_MS;
      });
      await news.rest(ms);
    }
  }

  return {
    start() {
      running = giveUp();
      if (policy.receivers.length === 0) return;
      unlisten = store.bell.listen('decided', () => {
        for (const news of [ofState, ...deliveries.map((one) => one.news)]) news.tell();
      });
      running = Promise.all([
        running,
        repeat(look, ofState),
        ...deliveries.map(({ run, news }) => repeat(run, news)),
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
