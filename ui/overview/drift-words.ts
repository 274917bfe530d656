import type { Ops } from '../api/types.ts';
import { toCount } from '../parts/count.ts';

/** Differences of what is managed; accounts and groups that nobody asked for are told beside them. */
export function toDrifts(drifts: Ops<'Status'>['drifts']): string {
  const managed = drifts.filter(({ kind }) => !kind.endsWith('.unmanaged'));
  const count = managed.reduce((sum, drift) => sum + drift.count, 0);
  const held = managed.reduce((sum, drift) => sum + drift.held, 0);
  const others = drifts.reduce((sum, drift) => sum + drift.count, 0) - count;
  const parts = [
    count === 0 ? 'nothing' : toCount(count, 'difference'),
    ...(held === 0 ? [] : [`${held.toLocaleString('en')} in a plan`]),
    ...(others === 0 ? [] : [`${others.toLocaleString('en')} that nobody asked for`]),
  ];
  return parts.join(', ');
}
