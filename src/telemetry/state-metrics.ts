import { Gauge, type Registry } from 'prom-client';
import { CHANGE_CLASSES } from '../domain/change-class.ts';
import type { Clock } from '../domain/clock.ts';
import { BridgeError } from '../domain/errors.ts';
import { metricDefinitions } from './metric-definitions.ts';
import { type Definition, type Metrics, toConfiguration } from './metrics.ts';

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
    readonly { readonly receiver: string; readonly count: number }[]
  >;
  /** Epoch milliseconds at which the last comparison ended that concluded everything; undefined: none has. */
  readonly findLastSweptAt: () => Promise<number | undefined>;
  readonly build: { readonly version: string; readonly engine: string; readonly mode: string };
  readonly clock: Clock;
}

/** Adds gauges of the backlog, of faults and of work under way. */
export function addStateMetrics({ registry }: Metrics, sources: StateSources): void {
  const add: AddGauge = (definition, read) => addGauge(registry, definition, read);
  addProcessGauges(add, sources);
  addUpstreamGauges(add, sources);
  addBacklogGauges(add, sources);
  addSeatGauges(add, sources);
  addStoreGauges(add, sources);
}

/** Series of a gauge: its labels, and the number. */
type Series<Label extends string> = readonly [Partial<Record<Label, string>>, number];

/** Adds a gauge with these series; a number that is not known now is left out, and one of the reasons says why. */
type AddGauge = <Label extends string>(
  definition: Definition<Label>,
  read: () => readonly Series<Label>[] | Promise<readonly Series<Label>[]>,
) => void;

function addProcessGauges(
  add: AddGauge,
  { build, activity, findLeader, readReadiness }: StateSources,
): void {
  const { running, waitingRequests, leader, leaderEpoch, leaderSince } = metricDefinitions;
  add(metricDefinitions.build, () => [[{ ...build, node: process.versions.node }, 1]]);
  add(metricDefinitions.started, () => toOne(performance.timeOrigin / 1_000));
  add(running, () => toOne(activity().running));
  add(waitingRequests, () => toOne(activity().waiting));
  add(leader, () => toOne(findLeader()?.isSelf === true ? 1 : 0));
  add(leaderEpoch, () => toOne(findLeader()?.epoch ?? 0));
  add(leaderSince, () => toOne((findLeader()?.since ?? 0) / 1_000));
  add(metricDefinitions.reasons, async () => {
    const { reasons } = await readReadiness();
    return reasons.map(({ code }) => [{ code }, 1]);
  });
}

function addUpstreamGauges(add: AddGauge, { upstreamHealth }: StateSources): void {
  const { gateIsShut, paused, inFlight, waitingCalls } = metricDefinitions;
  add(inFlight, () => toOne(upstreamHealth().inFlight));
  add(paused, () => toOne(upstreamHealth().pausedForMs / 1_000));
  add(waitingCalls, () =>
    Object.entries(upstreamHealth().waiting).map(([name, count]) => [{ class: name }, count]),
  );
  add(gateIsShut, () => {
    const { credentials, service } = upstreamHealth();
    const gates = Object.entries({ credentials, service });
    return gates.map(([gate, { kind }]) => [{ gate }, kind === 'shut' ? 1 : 0]);
  });
}

/** One reading of the store serves several gauges. */
function addBacklogGauges(add: AddGauge, { readBacklog, countChanges, clock }: StateSources): void {
  const { changesWaiting, changesOldest } = metricDefinitions;
  const backlog = shareReading(readBacklog);
  for (const name of ['due', 'failing', 'stuck', 'disputed'] as const) {
    add(metricDefinitions[name], async () => toOne((await backlog())?.[name]));
  }
  add(metricDefinitions.oldestAge, async () => {
    const known = await backlog();
    return toOne(known && toAgeSeconds(clock, known.oldestSince ?? clock.now()));
  });
  const changes = shareReading(countChanges);
  const none = CHANGE_CLASSES.map((kind): Series<'kind'> => [{ kind }, 0]);
  add(changesWaiting, async () => {
    const counted = await changes();
    return counted
      ? [...none, ...counted.map(({ kind, count }) => [{ kind }, count] as const)]
      : [];
  });
  add(changesOldest, async () => {
    const counted = await changes();
    const ages = counted?.map(
      ({ kind, oldestAt }) => [{ kind }, toAgeSeconds(clock, oldestAt)] as const,
    );
    return ages ? [...none, ...ages] : [];
  });
}

function addSeatGauges(add: AddGauge, { readSeats }: StateSources): void {
  const read = shareReading(readSeats);
  add(metricDefinitions.seats, async () => {
    const seats = await read();
    if (seats === undefined) return [];
    const { total, used, waiting } = seats;
    return [
      [{ state: 'used' }, used],
      [{ state: 'needed' }, used + waiting],
      ...(total === null ? [] : [[{ state: 'total' }, total] as const]),
    ];
  });
  add(metricDefinitions.seatDaysLeft, async () => toOne((await read())?.daysLeft));
}

function addStoreGauges(add: AddGauge, sources: StateSources): void {
  const { clock } = sources;
  add(metricDefinitions.connections, () =>
    Object.entries(sources.connections() ?? {}).map(([state, count]) => [{ state }, count]),
  );
  add(metricDefinitions.lastSweep, async () => {
    const at = await sources.findLastSweptAt().catch(toUnknown);
    return toOne(at && at / 1_000);
  });
  add(metricDefinitions.auditLag, async () => {
    const readAt = await sources.findAuditReadAt().catch(toUnknown);
    return toOne(readAt && toAgeSeconds(clock, readAt));
  });
  add(metricDefinitions.plansHeld, async () => {
    const plans = (await sources.countWaitingPlans().catch(toUnknown)) ?? [];
    return plans.map(({ source, waiting }) => [{ source }, waiting]);
  });
  add(metricDefinitions.notificationsWaiting, async () => {
    const counted = (await sources.countNotifications().catch(toUnknown)) ?? [];
    return counted.map(({ receiver, count }) => [{ receiver }, count]);
  });
  add(metricDefinitions.drift, async () => {
    const counted = (await sources.countDrifts().catch(toUnknown)) ?? [];
    return counted.map(({ kind, status, count }) => [{ kind, status }, count]);
  });
  add(metricDefinitions.credentialExpiry, async () => {
    const known = (await sources.listCredentials().catch(toUnknown)) ?? [];
    // For a client with two secrets, the end of the one that ends first.
    const first = new Map(known.toReversed().map((one) => [`${one.purpose} ${one.name}`, one]));
    return [...first.values()].flatMap(({ name, purpose, expiresAt }) =>
      expiresAt === null ? [] : [[{ name, for: purpose }, expiresAt / 1_000] as const],
    );
  });
}

function toAgeSeconds(clock: Clock, at: number): number {
  return Math.max(clock.now() - at, 0) / 1_000;
}

/** The series of a gauge without labels. */
function toOne(value: number | null | undefined): Series<never>[] {
  return value === null || value === undefined ? [] : [[{}, value]];
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
  definition: Definition<Label>,
  read: Parameters<AddGauge>[1],
): void {
  new Gauge({
    ...toConfiguration(definition, registry),
    async collect() {
      const series = await read();
      if (definition.labels.length === 0) this.remove();
      else this.reset();
      for (const [labels, value] of series) this.inc(labels, value);
    },
  });
}
