import { isUnmanagedKind } from '../../domain/drift.ts';
import { BridgeError } from '../../domain/errors.ts';
import type { ResourceKey } from '../../domain/ids.ts';
import { type DriftRow, listActiveDrifts } from '../../store/drifts.ts';
import { findRow, type ResourceRow } from '../../store/resources/rows.ts';
import { isLinked } from '../../store/resources/state.ts';
import { type CallOptions, type Transport, withOptions } from '../../upstream/transport.ts';
import { type Inspected, inspect } from '../compare/compare-one.ts';
import { isBusy } from '../compare/comparison.ts';
import { toNeeds } from '../compare/look.ts';
import { findQuietAt } from '../compare/run.ts';
import { decideMany } from './decide-many.ts';
import type { DriftDeps } from './deps.ts';

/** Calls of the service that one look may make. */
const CALLS_MAX = 3;

/** Result of a look that an operator asked for. */
export type LookResult =
  | {
      readonly kind: 'looked';
      /** Epoch milliseconds. */
      readonly at: number;
      /** The service has no such account or group. */
      readonly isGone: boolean;
      readonly calls: number;
      /** All that differs. */
      readonly drifts: readonly DriftRow[];
      /** Undefined: nothing was to be repaired. */
      readonly repair: LookRepair | undefined;
    }
  | { readonly kind: 'unknown' }
  /** The service is not known to have it, so there is nothing to look at. */
  | { readonly kind: 'not-linked' }
  /** A worker has it, or looks at it next. */
  | { readonly kind: 'busy' }
  /** The bridge wrote it just now, and the service may show that late; epoch milliseconds. */
  | { readonly kind: 'just-written'; readonly until: number }
  | { readonly kind: 'could-not-look'; readonly reason: string };

/** Repair that a look was asked for. */
interface LookRepair {
  /** The plan that does it; undefined: none was made. */
  readonly planId: string | undefined;
  /** Limits that it would exceed, in words. */
  readonly exceeded: readonly string[];
}

/** Request of an operator for a look. */
export interface LookRequest {
  readonly key: ResourceKey;
  readonly repairs: boolean;
  /** Name of the operator. */
  readonly by: string;
  readonly signal: AbortSignal;
}

/**
 * Looks at one user or group now, with at most three calls, and stores what was seen and what differs, as the second
 * look of a sweep does. Where that is asked for, what differs is repaired by a plan, within the limits of all plans.
 */
export async function lookNow(deps: DriftDeps, request: LookRequest): Promise<LookResult> {
  const row = await findRow(deps.store.read, request.key);
  if (row === undefined) return { kind: 'unknown' };
  if (!isLinked(row)) return { kind: 'not-linked' };
  if (isBusy(row)) return { kind: 'busy' };
  const at = deps.clock.now();
  const until = await findQuietAt(deps.store.read, row.id, deps.repair.settleMs);
  if (until > at) return { kind: 'just-written', until };
  const calls = limitCalls(deps.upstream);
  const looked = await look({ ...deps, upstream: calls.upstream }, row, request.signal);
  if (looked.kind === 'could-not-look') return looked;
  if (looked.found === undefined) return { kind: 'busy' };
  for (const { kind, id } of looked.found) deps.driftEvents.found({ kind, id });
  const repair = request.repairs ? await repairAll(deps, request) : undefined;
  const drifts = await listActiveDrifts(deps.store.read, [row.id]);
  const isGone = looked.kind === 'gone';
  return { kind: 'looked', at, isGone, calls: calls.made(), repair, drifts };
}

/** Looks, and gives up where the look would take too many calls. */
async function look(deps: DriftDeps, row: ResourceRow, signal: AbortSignal): Promise<Inspected> {
  // Admin lists are read by sweeps: they take more calls than one look may.
  const needs = toNeeds(row, { admins: false }, deps);
  try {
    return await inspect({ deps, signal }, row, { needs, detector: 'operator' });
  } catch (error) {
    if (!(error instanceof BridgeError) || error.code !== 'too-many-calls') throw error;
    return { kind: 'could-not-look', reason: error.message };
  }
}

/** Repairs what differs, but for what is unmanaged, protected or contested; above a limit nothing. */
async function repairAll(deps: DriftDeps, { key, by }: LookRequest): Promise<LookRepair> {
  const drifts = await listActiveDrifts(deps.store.read, [key.id]);
  const open = drifts.filter(({ status, kind }) => status === 'open' && !isUnmanagedKind(kind));
  const decision = { kind: 'repair', approved: 'within-limits' } as const;
  const ids = open.map(({ id }) => id);
  const { plan } = await decideMany(deps, { ids, decision, isDryRun: false, by });
  return { planId: plan?.id, exceeded: plan?.exceeded ?? [] };
}

/** A transport that makes a bounded number of calls, each of one attempt. */
function limitCalls(upstream: Transport): {
  readonly upstream: Transport;
  readonly made: () => number;
} {
  let made = 0;
  function take(options: CallOptions = {}): CallOptions {
    if (made === CALLS_MAX) {
      throw new BridgeError('too-many-calls', `a look makes at most ${CALLS_MAX} calls`);
    }
    made += 1;
    return { ...options, attemptsMax: 1 };
  }
  return { upstream: withOptions(upstream, take), made: () => made };
}
