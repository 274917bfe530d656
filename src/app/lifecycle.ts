import type { AuditPoller } from '../reconcile/audit/poller.ts';
import type { Pruning } from '../reconcile/loop/pruning.ts';
import type { Replicas } from '../reconcile/loop/replicas.ts';
import type { BridgeParts } from './parts.ts';

/** How long a stop waits for calls on their way, in milliseconds. */
export const STOP_GRACE_MS = 15_000;

/** Everything of a bridge that begins and ends. */
export interface LivingParts
  extends Pick<
    BridgeParts,
    | 'access'
    | 'upstream'
    | 'firstRead'
    | 'reconciler'
    | 'recovery'
    | 'sweeps'
    | 'keeper'
    | 'sections'
    | 'guard'
    | 'requests'
  > {
  readonly auditPoller: AuditPoller;
  readonly pruning: Pruning;
  readonly replicas: Replicas;
  /** Tells the workers that something became due. */
  readonly wake: () => void;
}

/** In which order the parts begin, and in which they end. */
export function createLifecycle({
  access,
  upstream,
  firstRead,
  reconciler,
  recovery,
  sweeps,
  keeper,
  sections,
  guard,
  requests,
  auditPoller,
  pruning,
  replicas,
  wake,
}: LivingParts): { start(): Promise<void>; stop(): Promise<void> } {
  return {
    async start() {
      await guard.start(wake);
      await replicas.start();
      // Before the first read, so that what changes behind it is read of.
      await auditPoller.start();
      await firstRead.start();
      await reconciler.start(recovery.hold);
      await recovery.start();
      sections.start();
      pruning.start();
      sweeps.start();
      keeper.start();
    },
    async stop() {
      for (const each of [sections, guard]) each.stop();
      await pruning.stop();
      await requests.stop();
      await access.stop();
      await auditPoller.stop();
      await sweeps.stop();
      await keeper.stop();
      await recovery.stop();
      await firstRead.stop();
      await reconciler.stop(STOP_GRACE_MS);
      await replicas.stop();
      await upstream.close();
    },
  };
}
