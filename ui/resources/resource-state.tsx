import type { Ops } from '../api/types.ts';
import { toCount } from '../parts/count.ts';
import { Tag } from '../parts/tag.tsx';

/** State of a user or group, in a few words. */
export function ResourceState({ item }: { readonly item: Ops<'User'> | Ops<'Group'> }) {
  const { deleted, origin, stuckSince, drifts, disputed, pending, problem } = item;
  return (
    <span className="tags">
      {deleted && <Tag tone="quiet" text="deleted" />}
      {origin === null && <Tag tone="quiet" text="only observed" />}
      {stuckSince !== null && <Tag tone="bad" text="refused" />}
      {stuckSince === null && problem !== null && <Tag tone="waiting" text="tried in vain" />}
      {drifts > 0 && <Tag tone="waiting" text={toCount(drifts, 'drift')} />}
      {disputed && <Tag tone="bad" text="disputed" />}
      {pending.length > 0 && <Tag tone="info" text={`pending: ${pending.join(', ')}`} />}
      {isAtRest(item) && <Tag tone="good" text="as wanted" />}
    </span>
  );
}

function isAtRest({
  deleted,
  origin,
  stuckSince,
  problem,
  drifts,
  disputed,
  pending,
}: Ops<'User'> | Ops<'Group'>): boolean {
  const isManaged = !deleted && origin !== null;
  const hasTrouble = stuckSince !== null || problem !== null || disputed;
  return isManaged && !hasTrouble && drifts === 0 && pending.length === 0;
}
