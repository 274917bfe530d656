import { Gauge, type Registry } from 'prom-client';
import { CHANGE_CLASSES } from '../domain/change-class.ts';
import type { Clock } from '../domain/clock.ts';
import { BridgeError } from '../domain/errors.ts';
import { metricDefinitions } from './metric-definitions.ts';
import { type Metrics, toConfiguration } from './metrics.ts';

/** Numbers of unfinished work in the store. */
interface BacklogNumbers {
  readonly due: number;
  readonly failing: number;
  readonly stuck: number;
  readonly disputed: number;
  /** Epoch milliseconds at which the oldest of it was requested, without stuck work. */
  readonly oldestSince: number | undefined;
}

/** Sources of the state, read at each request for the metrics. */
export interface StateSources {
  readonly readBacklog: () => Promise<BacklogNumbers>;
  readonly upstreamHealth: () => {
    readonly waiting: Readonly<Record<string, number>>;
    readonly inFlight: number;
    readonly pausedForMs: number;
    readonly credentials: { readonly kind: 'open' | 'shut' };
    readonly service: { readonly kind: 'open' | 'shut' };
  };
  /** Seats of the service, and the days until they run out; null: not known. */
  readonly readSeats: () => Promise<{
    readonly total: number | null;
    readonly used: number;
    readonly waiting: number;
    readonly daysLeft: number | null;
  }>;
  /** The lead that this process knows of; undefined: no process has ever led. */
  readonly findLeader: () =>
    | { readonly isSelf: boolean; readonly epoch: number; readonly since: number }
    | undefined;
  readonly countDrifts: () => Promise<
    readonly { readonly kind: string; readonly status: string; readonly count: number }[]
  >;
  /** Plans that wait for an operator, with their changes. */
  readonly countWaitingPlans: () => Promise<
    readonly { readonly source: string; readonly waiting: number }[]
  >;
  /** Valid credentials, the earliest end first; null: no end. */
  readonly listCredentials: () => Promise<
    readonly {
      readonly name: string;
      readonly purpose: string;
      readonly expiresAt: number | null;
    }[]
  >;
  readonly activity: () => { readonly running: number; readonly waiting: number };
  readonly readReadiness: () => Promise<{
    readonly reasons: readonly { readonly code: string }[];
  }>;
  /** Epoch milliseconds at which the audit log was last read to its end; undefined: it is not followed. */
  readonly findAuditReadAt: () => Promise<number | undefined>;
  /** Changes of providers that the service does not hold yet; `oldestAt` in epoch milliseconds. */
  readonly countChanges: () => Promise<
    readonly { readonly kind: string; readonly oldestAt: number; readonly count: number }[]
  >;
  /** Connections to the store; undefined where it has none. */
  readonly connections: () =>
    | { readonly used: number; readonly idle: number; readonly waiting: number }
    | undefined;
  /** Notifications that receivers do not have. */
  readonly countNotifications: () => Promise<
    readonly { readonly receiver: string; readonly status: string; readonly count: number }[]
  >;
  /** Epoch milliseconds at which the last comparison ended that concluded everything; undefined: none has. */
  readonly findLastSweptAt: () => Promise<number | undefined>;
  readonly build: { readonly version: string; readonly engine: string; readonly mode: string };
  readonly clock: Clock;
}

/** Adds gauges of the backlog, of faults and of work under way. */
export function addStateMetrics({ registry }: Metrics, sources: StateSources): void {
  addUpstreamGauges(registry, sources);
  addBacklogGauges(registry, sources);
  addSeatGauges(registry, sources);
  addAuditGauge(registry, sources);
  addLeaderGauges(registry, sources);
  addBuildGauges(registry, sources);
  addChangeGauges(registry, sources);
  addStoreGauges(registry, sources);
  const { running, waitingRequests, reasons, drift } = metricDefinitions;
  addGauge(registry, running, (gauge) => gauge.set(sources.activity().running));
  addGauge(registry, waitingRequests, (gauge) => gauge.set(sources.activity().waiting));
  addGauge(registry, metricDefinitions.plansHeld, async (gauge) => {
    const waiting = await sources.countWaitingPlans().catch(toUnknown);
    gauge.reset();
    for (const { source, waiting: changes } of waiting ?? []) gauge.inc({ source }, changes);
  });
  addExpiryGauge(registry, sources);
  addGauge(registry, metricDefinitions.notificationsKept, async (gauge) => {
    const counted = (await sources.countNotifications().catch(toUnknown)) ?? [];
    gauge.reset();
    for (const { receiver, status, count } of counted) gauge.set({ receiver, status }, count);
  });
  addGauge(registry, drift, async (gauge) => {
    // An unknown number is left out; one of the reasons says why it is unknown.
    const counted = (await sources.countDrifts().catch(toUnknown)) ?? [];
    gauge.reset();
    for (const { kind, status, count } of counted) gauge.set({ kind, status }, count);
  });
  addGauge(registry, reasons, async (gauge) => {
    const readiness = await sources.readReadiness();
    gauge.reset();
    for (const { code } of readiness.reasons) gauge.inc({ code });
  });
}

function addBuildGauges(registry: Registry, { build }: StateSources): void {
  addGauge(registry, metricDefinitions.build, (gauge) =>
    gauge.set({ ...build, node: process.versions.node }, 1),
  );
  addGauge(registry, metricDefinitions.started, (gauge) =>
    gauge.set(performance.timeOrigin / 1_000),
  );
}

function addChangeGauges(registry: Registry, { countChanges, clock }: StateSources): void {
  const read = shareReading(countChanges);
  const { changesWaiting, changesOldest } = metricDefinitions;
  const add = (
    definition: { name: string; help: string; labels: readonly ['kind'] },
    toValue: (change: { readonly count: number; readonly oldestAt: number }) => number,
  ) =>
    addGauge(registry, definition, async (gauge) => {
      const counted = await read();
      gauge.reset();
      // An unknown number is left out; one of the reasons says why it is unknown.
      if (counted === undefined) return;
      for (const kind of CHANGE_CLASSES) gauge.set({ kind }, 0);
      for (const each of counted) gauge.set({ kind: each.kind }, toValue(each));
    });
  add(changesWaiting, ({ count }) => count);
  add(changesOldest, ({ oldestAt }) => Math.max(clock.now() - oldestAt, 0) / 1_000);
}

function addStoreGauges(registry: Registry, { connections, findLastSweptAt }: StateSources): void {
  addGauge(registry, metricDefinitions.connections, (gauge) => {
    for (const [state, count] of Object.entries(connections() ?? {})) gauge.set({ state }, count);
  });
  addGauge(registry, metricDefinitions.lastSweep, async (gauge) => {
    const at = await findLastSweptAt().catch(toUnknown);
    if (at === undefined) gauge.remove();
    else gauge.set(at / 1_000);
  });
}

function addLeaderGauges(registry: Registry, { findLeader }: StateSources): void {
  const { leader, leaderEpoch, leaderSince } = metricDefinitions;
  addGauge(registry, leader, (gauge) => gauge.set(findLeader()?.isSelf === true ? 1 : 0));
  addGauge(registry, leaderEpoch, (gauge) => gauge.set(findLeader()?.epoch ?? 0));
  addGauge(registry, leaderSince, (gauge) => gauge.set((findLeader()?.since ?? 0) / 1_000));
}

function addUpstreamGauges(registry: Registry, { upstreamHealth }: StateSources): void {
  const { gateIsShut, paused, inFlight, waitingCalls } = metricDefinitions;
  addGauge(registry, inFlight, (gauge) => gauge.set(upstreamHealth().inFlight));
  addGauge(registry, paused, (gauge) => gauge.set(upstreamHealth().pausedForMs / 1_000));
  addGauge(registry, waitingCalls, (gauge) => {
    for (const [name, count] of Object.entries(upstreamHealth().waiting)) {
      gauge.set({ class: name }, count);
    }
  });
  addGauge(registry, gateIsShut, (gauge) => {
    const { credentials, service } = upstreamHealth();
    gauge.set({ gate: 'credentials' }, credentials.kind === 'shut' ? 1 : 0);
    gauge.set({ gate: 'service' }, service.kind === 'shut' ? 1 : 0);
  });
}

/** One reading of the store serves all of them. */
function addBacklogGauges(registry: Registry, { readBacklog, clock }: StateSources): void {
  const read = shareReading(readBacklog);
  const { due, failing, stuck, disputed, oldestAge } = metricDefinitions;
  const add = (
    definition: { name: string; help: string; labels: readonly [] },
    toValue: (backlog: BacklogNumbers) => number,
  ) =>
    addGauge(registry, definition, async (gauge) => {
      const backlog = await read();
      // An unknown number is left out; one of the reasons says why it is unknown.
      if (backlog === undefined) gauge.remove();
      else gauge.set(toValue(backlog));
    });
  add(due, (backlog) => backlog.due);
  add(failing, (backlog) => backlog.failing);
  add(stuck, (backlog) => backlog.stuck);
  add(disputed, (backlog) => backlog.disputed);
  add(oldestAge, ({ oldestSince }) => {
    const now = clock.now();
    return Math.max(now - (oldestSince ?? now), 0) / 1_000;
  });
}

/** Gauges of seats; a number that nobody knows is left out. */
function addSeatGauges(registry: Registry, { readSeats }: StateSources): void {
  const read = shareReading(readSeats);
  addGauge(registry, metricDefinitions.seats, async (gauge) => {
    const seats = await read();
    gauge.reset();
    if (seats === undefined) return;
    const { total, used, waiting } = seats;
    gauge.set({ state: 'used' }, used);
    gauge.set({ state: 'needed' }, used + waiting);
    if (total !== null) gauge.set({ state: 'total' }, total);
  });
  addGauge(registry, metricDefinitions.seatDaysLeft, async (gauge) => {
    const daysLeft = (await read())?.daysLeft ?? null;
    if (daysLeft === null) gauge.remove();
    else gauge.set(daysLeft);
  });
}

/** For a client with two secrets, the end of the one that ends first. */
function addExpiryGauge(registry: Registry, { listCredentials }: StateSources): void {
  addGauge(registry, metricDefinitions.credentialExpiry, async (gauge) => {
    const known = (await listCredentials().catch(toUnknown)) ?? [];
    gauge.reset();
    for (const { name, purpose, expiresAt } of known.toReversed()) {
      if (expiresAt !== null) gauge.set({ name, for: purpose }, expiresAt / 1_000);
    }
  });
}

function addAuditGauge(registry: Registry, { findAuditReadAt, clock }: StateSources): void {
  addGauge(registry, metricDefinitions.auditLag, async (gauge) => {
    const readAt = await findAuditReadAt().catch(toUnknown);
    if (readAt === undefined) gauge.remove();
    else gauge.set(Math.max(clock.now() - readAt, 0) / 1_000);
  });
}

/** Requests during a reading share it; undefined when the store cannot be read. */
function shareReading<Numbers>(read: () => Promise<Numbers>) {
  let reading: Promise<Numbers | undefined> | undefined;
  return () => {
    reading ??= read()
      .catch(toUnknown)
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
}

function toUnknown(error: unknown): undefined {
  if (error instanceof BridgeError) return undefined;
  throw error;
}

function addGauge<Label extends string>(
  registry: Registry,
  definition: { name: string; help: string; labels: readonly Label[] },
  collect: (gauge: Gauge<Label>) => void | Promise<void>,
): void {
  new Gauge({
    ...toConfiguration(definition, registry),
    collect() {
      return collect(this);
    },
  });
}
