import type { SectionView } from '../reconcile/sections.ts';
import type { BridgeParts } from './parts.ts';

/** Everything of a process that begins and ends. */
export interface LivingParts
  extends Pick<
    BridgeParts,
    'access' | 'leadership' | 'reconciler' | 'guard' | 'requests' | 'acts' | 'formerIds'
  > {
  readonly sections: SectionView;
}

/** In which order the parts begin, and in which they end. */
export function createLifecycle({
  access,
  leadership,
  reconciler,
  guard,
  requests,
  acts,
  formerIds,
  sections,
}: LivingParts): { start(): Promise<void>; stop(): Promise<void> } {
  return {
    async start() {
      await guard.start(reconciler.notify);
      await formerIds.start();
      await leadership.start();
      sections.start();
    },
    async stop() {
      for (const each of [sections, guard]) each.stop();
      await formerIds.stop();
      await requests.stored();
      await access.stop();
      await leadership.stop();
      reconciler.stop();
      await acts.stored();
    },
  };
}
