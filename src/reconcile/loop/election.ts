import type { Clock } from '../../domain/clock.ts';
import { createLoop, type Loop } from '../../domain/loop.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import { recoverInFlight } from '../../store/in-flight.ts';
import {
  findLeader,
  type Lead,
  type LeaderRow,
  renewLead,
  type TakenLead,
  takeLead,
  yieldLead,
} from '../../store/leader.ts';
import type { Db, Store } from '../../store/store.ts';
import { isNotLeading, toLeadersStore } from '../lead.ts';

/** The lead of this process. */
export interface OwnLead extends Lead {
  /** Epoch milliseconds. */
  readonly since: number;
  /** False once another process may have taken over: nothing leaves then. Absent: no other process can. */
  readonly isSure?: () => boolean;
}

/** Work of a process while it leads. */
export interface Tenure {
  start(): Promise<void>;
  /** Ends what runs; calls that wait for their turn are dropped. */
  stop(): Promise<void>;
  /** News for the other processes, as JSON text. */
  readNews(): Promise<string>;
}

/** The leader, as far as this process knows. */
export interface KnownLeader extends Lead {
  readonly since: number;
  readonly isSelf: boolean;
  /** False: it has not been heard of for so long that another process may take over. */
  readonly isAlive: boolean;
  readonly news: string | null;
}

/** Events of the lead that telemetry is told. */
export interface ElectionEvents {
  /** This process leads from now on; `quietInMs`: nothing is sent before. */
  took(fields: { epoch: number; before: string | undefined; quietInMs: number }): void;
  /** It does not lead any more: another process has taken over, or it gave the lead up. */
  ended(fields: { epoch: number; how: 'lost' | 'given-up' }): void;
  /** Another process leads from now on. */
  follows(fields: { epoch: number; owner: string }): void;
  failed(fields: { type: string; id: string; error: unknown }): void;
}

/** Dependencies of an election. */
export interface ElectionDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Names this process. */
  readonly owner: string;
  /** Longest time in which a call that left may have an effect, in milliseconds. */
  readonly callMs: number;
  readonly events: ElectionEvents;
  readonly createTenure: (lead: OwnLead) => Promise<Tenure>;
  /** Stores what the next leader has to know of this process, with the end of the lead. */
  readonly handOver: (tx: Db) => Promise<void>;
}

/** Sees to it that one process on a store leads, and knows which. */
export interface Election {
  /** Leads from now on where nobody does. @throws what the start of a tenure throws */
  start(): Promise<void>;
  known(): KnownLeader | undefined;
  /** Gives the lead up, and takes it no more. */
  resign(): Promise<void>;
  stop(): Promise<void>;
}

/** Interval at which a leader says that it leads, and others ask whether one does, in milliseconds. */
const BEAT_MS = 1_000;
/** Time after its last word until another process takes over, in milliseconds. */
const LEASE_MS = 5_000;

/** A lead while it lasts. */
interface Term {
  readonly lead: OwnLead;
  /** Ends the wait for the calls of the leader before. */
  readonly over: AbortController;
  tenure: Tenure | undefined;
  begun: Promise<void>;
  /** The calls of the leader before have ended. */
  isQuiet: boolean;
  /** The tenure has started: until then the news of the leader before hold. */
  isOpen: boolean;
}

/** The part of one process among several in the election: the row of the leader says who leads. */
class SharedElection implements Election {
  readonly #deps: ElectionDeps;
  readonly #times: { readonly leaseMs: number; readonly callMs: number };
  readonly #loop: Loop;
  #term: Term | undefined;
  #ending: Promise<void> = Promise.resolve();
  #sureUntilMs = 0;
  #seen: LeaderRow | undefined;
  #seenAtMs = 0;
  #isResigned = false;
  #beat: Promise<void> = Promise.resolve();
  #unlisten = () => {};

  constructor(deps: ElectionDeps) {
    this.#deps = deps;
    this.#times = { leaseMs: LEASE_MS, callMs: deps.callMs };
    const onFailure = (error: unknown) => this.#fail(error);
    this.#loop = createLoop({ clock: deps.clock, onFailure, failedRestMs: BEAT_MS }, async () => {
      await this.#beatOnce();
      return BEAT_MS;
    });
  }

  async start(): Promise<void> {
    this.#unlisten = this.#deps.store.bell.listen('leader', this.#loop.tell);
    await this.#beatOnce();
    // A leader before that may still be calling is not waited for: writes are accepted meanwhile.
    if (this.#term?.isQuiet) await this.#term.begun;
    this.#loop.start(BEAT_MS);
  }

  known(): KnownLeader | undefined {
    if (this.#seen === undefined) return undefined;
    const { owner, epoch, since, expires_at, now, news } = this.#seen;
    const leftMs = expires_at - now - (performance.now() - this.#seenAtMs);
    const isSelf = owner === this.#deps.owner && this.#term !== undefined;
    return { owner, epoch, since, news, isSelf, isAlive: leftMs > 0 };
  }

  async resign(): Promise<void> {
    this.#isResigned = true;
    // It may be taking the lead just now.
    await this.#beat;
    const term = this.#term;
    if (term === undefined) return this.#ending;
    term.over.abort();
    await term.begun.catch(() => undefined);
    await term.tenure?.stop();
    if (this.#term !== term) return;
    this.#term = undefined;
    // A renewal that is on its way must not come after it.
    await this.#beat;
    await this.#yield(term);
  }

  async stop(): Promise<void> {
    await this.resign();
    this.#unlisten();
    await this.#loop.stop();
    await this.#ending;
  }

  async #yield({ lead, isQuiet }: Term): Promise<void> {
    const { store, handOver, events } = this.#deps;
    try {
      await store.write(async (tx) => {
        await handOver(tx);
        await yieldLead(tx, lead, isQuiet);
      });
      store.bell.ring('leader');
    } catch {
      // It ends by itself, a few seconds later.
    }
    events.ended({ epoch: lead.epoch, how: 'given-up' });
  }

  #beatOnce(): Promise<void> {
    this.#beat = this.#tryBeat();
    return this.#beat;
  }

  async #tryBeat(): Promise<void> {
    try {
      if (this.#term) await this.#renew(this.#term);
      else await this.#look();
    } catch (error) {
      // While the store does not answer nobody can lead, and others tell of it.
      if (!(error instanceof StoreError)) this.#fail(error);
    }
  }

  async #renew(term: Term): Promise<void> {
    const news = term.isOpen ? ((await term.tenure?.readNews()) ?? null) : null;
    const askedAtMs = performance.now();
    const row = await renewLead(this.#deps.store, { ...term.lead, news }, this.#times);
    if (row !== undefined) {
      this.#sureUntilMs = askedAtMs + LEASE_MS;
      this.#see(row);
    } else if (this.#term === term) this.#lose(term);
  }

  #lose(term: Term): void {
    this.#term = undefined;
    this.#sureUntilMs = 0;
    term.over.abort();
    this.#ending = term.begun.then(
      () => term.tenure?.stop(),
      () => undefined,
    );
    this.#ending = this.#ending.catch((error: unknown) => this.#fail(error));
    this.#deps.events.ended({ epoch: term.lead.epoch, how: 'lost' });
  }

  async #look(): Promise<void> {
    const { store, owner } = this.#deps;
    const row = await findLeader(store);
    if (row !== undefined) this.#see(row);
    const isFree = row === undefined || row.expires_at <= row.now;
    if (!isFree || this.#isResigned) return;
    const askedAtMs = performance.now();
    const taken = await store.write((tx) => takeLead(tx, owner, this.#times));
    if (taken === undefined) return;
    this.#sureUntilMs = askedAtMs + LEASE_MS;
    this.#begin(taken);
  }

  #see(row: LeaderRow): void {
    const before = this.#seen;
    this.#seen = row;
    this.#seenAtMs = performance.now();
    const { owner, epoch } = row;
    const isNew = epoch !== before?.epoch && owner !== this.#deps.owner && epoch > 0;
    if (isNew) this.#deps.events.follows({ epoch, owner });
  }

  #begin({ owner, epoch, since, quietInMs, before }: TakenLead): void {
    const { events, store } = this.#deps;
    const isSure = () => this.#term?.lead === lead && performance.now() < this.#sureUntilMs;
    const lead: OwnLead = { owner, epoch, since, isSure };
    const term: Term = {
      lead,
      over: new AbortController(),
      tenure: undefined,
      begun: Promise.resolve(),
      isQuiet: quietInMs === 0,
      isOpen: false,
    };
    this.#term = term;
    events.took({ epoch, before, quietInMs });
    store.bell.ring('leader');
    term.begun = this.#open(term, quietInMs);
    term.begun.catch((error: unknown) => void this.#abandon(term, error));
  }

  /** A process that cannot begin leaves the lead to another one. */
  async #abandon(term: Term, error: unknown): Promise<void> {
    if (this.#term !== term || this.#isResigned) return;
    this.#fail(error);
    this.#term = undefined;
    await this.#yield(term);
  }

  /** Marks what may have been under way, then waits until nothing is. */
  async #open(term: Term, quietInMs: number): Promise<void> {
    const { store, clock, createTenure } = this.#deps;
    const { lead, over } = term;
    await this.#ending;
    const own = toLeadersStore(store, lead);
    await this.#persist(over.signal, () => own.write((tx) => recoverInFlight(tx, clock.now())));
    if (quietInMs > 0) await clock.sleep(quietInMs, over.signal);
    over.signal.throwIfAborted();
    term.isQuiet = true;
    await this.#persist(over.signal, async () => {
      await term.tenure?.stop();
      term.tenure = await createTenure(lead);
      await term.tenure.start();
    });
    term.isOpen = true;
    this.#loop.tell();
  }

  /** Tries again while the store does not answer. */
  async #persist(signal: AbortSignal, work: () => Promise<unknown>): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      try {
        await work();
        return;
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        await this.#deps.clock.sleep(BEAT_MS, signal);
      }
    }
  }

  #fail(error: unknown): void {
    if (isNotLeading(error)) return;
    this.#deps.events.failed({ type: 'leader', id: this.#deps.owner, error });
  }
}

/** The part of one process in the election. A file has one process, which leads. */
export function createElection(deps: ElectionDeps): Election {
  return deps.store.engine === 'sqlite' ? createSoleLeader(deps) : new SharedElection(deps);
}

function createSoleLeader({ store, clock, owner, createTenure }: ElectionDeps): Election {
  const lead: OwnLead = { owner, epoch: 1, since: clock.now() };
  let tenure: Tenure | undefined;
  async function resign(): Promise<void> {
    await tenure?.stop();
    tenure = undefined;
  }
  return {
    async start() {
      // Whatever was under way was left by a process that is gone.
      await store.write((tx) => recoverInFlight(tx, clock.now()));
      tenure = await createTenure(lead);
      await tenure.start();
    },
    known: () => ({ ...lead, isSelf: true, isAlive: true, news: null }),
    resign,
    stop: resign,
  };
}
